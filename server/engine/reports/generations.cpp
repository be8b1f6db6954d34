// SPDX-License-Identifier: Apache-2.0
#include "server/engine/reports/generations.hpp"

#include <utility>
#include <vector>

namespace headway::server {

using core::Result;

Result<> open_implicitly(Transaction& transaction, const std::string& session,
                         core::SessionStarted about, const Resident* before, Takes takes) {
    about.implicit = true;
    if (before != nullptr && takes != Takes::kOperators)
        (void)take_rules(before->session.state(), transaction.settings().policy, about);
    std::vector<core::Event>& events = transaction.events();
    Beginning begun{session, std::move(about), true};
    begun.takes = takes;
    HEADWAY_TRY(Resident * resident, begin_after(transaction, before, std::move(begun), events));
    return transaction.append(*resident, events);
}

}  // namespace headway::server
