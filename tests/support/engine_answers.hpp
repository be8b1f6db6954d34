// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "server/engine/base/make_task.hpp"
#include "server/engine/base/publication.hpp"
#include "server/hub/waits/answers.hpp"

// Tasks and their answers as values.

namespace headway::tests {

using AdviceReply = server::Advised;
using server::DocumentReply;
using server::StreamReply;

struct BodyReply {
    int status = 200;
    std::string body;
    std::string headers;
    bool lines = false;
    /// Another decision came first: then the body is the member `winner` of this problem.
    std::optional<core::Error> lost;
};

struct ViewReply {
    std::string session;
    std::unique_ptr<core::SessionView> view;  ///< null: unknown session
    std::optional<core::Error> error = {};
};

using server::HookAnswered;

using Answer =
    std::variant<AdviceReply, BodyReply, StreamReply, ViewReply, DocumentReply, HookAnswered>;

struct Reply {
    server::ReplyTo to;
    core::Result<Answer> what;
};

/// Reply of a task. A task that answers nothing has an empty body.
Reply reply_of(const server::Answered& answered);

/// Any command or query, to be sent once or several times.
class Command {
public:
    template <class Op>
    requires(!std::is_same_v<std::remove_cvref_t<Op>, Command>)
        Command(Op op)  // NOLINT: implicit on purpose
        : make_([op = std::move(op)](const server::ReplyTo& to) {
              return server::request_of(to, op);
          }) {}

    server::Request request(const server::ReplyTo& to = {}) const { return make_(to); }

private:
    std::function<server::Request(const server::ReplyTo&)> make_;
};

/// The command or query of a request; null if it is another.
template <class Op>
const Op* op_of(const server::Request& request) {
    if constexpr (server::WriteOp<Op>) {
        const auto* task = dynamic_cast<const server::WriteOf<Op>*>(request.write.get());
        return task == nullptr ? nullptr : &task->op();
    } else {
        const auto* task = dynamic_cast<const server::ReadOf<Op>*>(request.read.get());
        return task == nullptr ? nullptr : &task->op();
    }
}

/// An answer that no engine made.
server::Answered answered(const server::ReplyTo& to, core::Result<Answer> what);

}  // namespace headway::tests
