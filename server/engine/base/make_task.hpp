// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/base/assert.hpp"
#include "server/engine/base/task.hpp"

// Makes tasks from plain values: commands, queries and long operations are structs with their
// arguments and a call operator. For a result of type T, the I/O thread calls
// `answer_with(Answers&, const ReplyTo&, T)` (server/hub/waits/answers.hpp).

namespace headway::server {

/// A command: `Result<T> operator()(Transaction&)` runs it in a transaction, and name() names its
/// sessions.
template <class Op>
concept WriteOp = std::invocable<Op&, Transaction&>;
/// A query: `Result<T> operator()(Reader&)`. A query that returns a `Result<std::optional<T>>` is
/// called again until the optional has a value.
template <class Op>
concept ReadOp = std::invocable<Op&, Reader&>;
/// A long operation: `Result<> operator()(EngineContext&, const ReplyTo&)` starts it, and the reply
/// is sent when it ends.
template <class Op>
concept StartOp = std::invocable<Op&, EngineContext&, const ReplyTo&>;

/// Replies with a problem document. I/O thread.
void refuse_with(Answers& on, const ReplyTo& to, const core::Error& error);

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {
    using Value = T;
};

template <WriteOp Op>
class WriteOf final : public WriteTask {
public:
    explicit WriteOf(Op op) : op_(std::move(op)) {}
    const Op& op() const noexcept { return op_; }

    core::Result<> name(Reader& reader, SessionNames& names) override {
        return op_.name(reader, names);
    }
    core::Result<bool> is_well_named(Reader& reader) const override {
        if constexpr (requires { op_.is_well_named(reader); }) {
            return op_.is_well_named(reader);
        } else {
            return true;
        }
    }
    core::Result<> run(Transaction& transaction) override {
        HEADWAY_TRY(result_, op_(transaction));
        return {};
    }
    void report_ids(ReportedIds& ids) const override {
        if constexpr (requires { op_.report_ids(ids); }) op_.report_ids(ids);
    }
    bool fills_disk() const override {
        if constexpr (requires { Op::kFillsDisk; }) {
            return Op::kFillsDisk;
        } else {
            return false;
        }
    }
    void refuse_unstored(Reader& reader, core::Error error) override {
        if constexpr (requires { op_.unstored(reader, error); })  // run() may have moved op_ away
            unstored_ = (kept_ ? *kept_ : op_).unstored(reader, error);
        fail(std::move(error));
    }
    bool rationed() const override {
        return requires {
            Op::kRationed;
        };
    }
    void arrive(EngineContext& parts) override {
        if constexpr (requires { op_.arrive(parts); }) op_.arrive(parts);
    }
    bool delivered() const override {
        if constexpr (requires { op_.delivered(); }) {
            return (kept_ ? *kept_ : op_).delivered();  // run() may have moved the arguments of op_
                                                        // away
        } else {
            return false;
        }
    }
    void wait(EngineContext& parts) override {
        if constexpr (requires { op_.wait(parts); }) op_.wait(parts);
    }
    void keep() override {
        if (!kept_) kept_.emplace(op_);
    }
    void restore() override {
        if (kept_) op_ = *kept_;
        error_.reset();
        result_.reset();
        unstored_.reset();
    }
    void answer(Answers& on, const ReplyTo& to) override {
        if (unstored_) return answer_with(on, to, *std::move(unstored_));
        if (error_) return refuse_with(on, to, *error_);
        HEADWAY_ASSERT(result_.has_value());
        answer_with(on, to, *std::move(result_));
    }

private:
    Op op_;
    std::optional<Op> kept_;  ///< only for commands that may be run again
    std::optional<typename std::invoke_result_t<Op&, Transaction&>::value_type> result_;
    std::optional<typename std::invoke_result_t<Op&, Transaction&>::value_type> unstored_;
};

template <ReadOp Op>
class ReadOf final : public ReadTask {
    using Given = typename std::invoke_result_t<Op&, Reader&>::value_type;
    static constexpr bool kSliced = IsOptional<Given>::value;
    using Held = std::conditional_t<kSliced, Given, std::optional<Given>>;

public:
    explicit ReadOf(Op op) : op_(std::move(op)) {}
    const Op& op() const noexcept { return op_; }

    core::Result<bool> read(Reader& reader) override {
        HEADWAY_TRY(result_, op_(reader));
        return result_.has_value();
    }
    void arrive(Reader& reader) override {
        if constexpr (requires { op_.arrive(reader); }) op_.arrive(reader);
    }
    void name(SessionNames& names) const override {
        if constexpr (requires { std::string_view{op_.session}; }) {
            if (!op_.session.empty()) names.push_back(op_.session);
        }
    }
    std::int64_t position() const override {
        if constexpr (requires { op_.position(); }) return op_.position();
        return 0;
    }
    bool shared() const override {
        return requires {
            Op::kShared;
        };
    }
    std::size_t bytes() const override {
        if constexpr (requires { size_of(*result_); }) return result_ ? size_of(*result_) : 0;
        return 0;
    }
    void answer(Answers& on, const ReplyTo& to) override {
        if constexpr (requires { op_.refuse(on, *error_); }) {
            if (error_) return op_.refuse(on, *error_);
        }
        if (error_) return refuse_with(on, to, *error_);
        HEADWAY_ASSERT(result_.has_value());
        answer_with(on, to, *std::move(result_));
    }

private:
    Op op_;
    Held result_;
};

template <StartOp Op>
class StartOf final : public StartTask {
public:
    explicit StartOf(Op op) : op_(std::move(op)) {}

    core::Result<> start(EngineContext& parts, const ReplyTo& to) override {
        return op_(parts, to);
    }
    bool first() const override {
        return requires {
            Op::kFirst;
        };
    }
    void answer(Answers& on, const ReplyTo& to) override {
        HEADWAY_ASSERT(
            error_.has_value());  // if there is no error, the reply is sent when the operation ends
        refuse_with(on, to, *error_);
    }

private:
    Op op_;
};

/// Makes the request that runs this command or query, or starts this operation.
template <class Op>
Request request_of(const ReplyTo& to, Op op) {
    Request request;
    request.reply_to = to;
    if constexpr (WriteOp<Op>) {
        request.write = std::make_unique<WriteOf<Op>>(std::move(op));
    } else if constexpr (ReadOp<Op>) {
        request.read = std::make_unique<ReadOf<Op>>(std::move(op));
    } else {
        request.start = std::make_unique<StartOf<Op>>(std::move(op));
    }
    return request;
}

}  // namespace headway::server
