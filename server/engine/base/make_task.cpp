// SPDX-License-Identifier: Apache-2.0
#include "server/engine/base/make_task.hpp"

#include "server/engine/base/answers.hpp"

namespace headway::server {

void refuse_with(Answers& on, const ReplyTo& to, const core::Error& error) {
    on.refuse(to, error);
}

}  // namespace headway::server
