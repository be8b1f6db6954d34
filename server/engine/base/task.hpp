// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "server/http/message/reply_to.hpp"

// Work for the engine. A task is made by the I/O thread or, for missed pings, by the engine itself.
// The engine runs it on its own thread and returns the same object with the result, which the I/O
// thread encodes.

namespace headway::server {

class Answers;
class Reader;
class Transaction;
struct EngineContext;

/// The sessions that a write changes or a read is about. The task owns the texts.
using SessionNames = std::vector<std::string_view>;

/// Event ids that a write reports, each with its session. The task owns the texts.
using ReportedIds = std::vector<std::pair<std::string_view, std::string_view>>;

/// True for errors that fail the whole transaction, not only one command.
inline bool is_storage_error(core::ErrorCode code) noexcept {
    return code == core::ErrorCode::kStorageUnavailable || code == core::ErrorCode::kStorageFull ||
           code == core::ErrorCode::kStorageCorrupt || code == core::ErrorCode::kStorageSyncFailed;
}

class Task {
public:
    Task() = default;
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    virtual ~Task() = default;

    /// Passes the result to `on`. Called once, on the I/O thread, after the turn.
    virtual void answer(Answers& on, const ReplyTo& to) = 0;
    /// Makes `error` the result, even if the task has run successfully.
    void fail(core::Error error) { error_ = std::move(error); }
    bool failed() const noexcept { return error_.has_value(); }
    /// True if the task failed because of the store; RetryQueue may then try it again.
    bool retry_queue() const noexcept { return error_ && is_storage_error(error_->code); }

protected:
    std::optional<core::Error> error_;
};

/// Changes sessions or tables, in the transaction of its turn.
class WriteTask : public Task {
public:
    /// Names the sessions that run() will change. Called before the transaction begins, because a
    /// shared store locks and reads all sessions of a turn at once. An error becomes the reply.
    virtual core::Result<> name(Reader& reader, SessionNames& names) = 0;
    /// Called only if several daemons share the store, when the turn holds its sessions and earlier
    /// writes have run. False if the sessions chosen by name() are no longer the right ones; the
    /// next turn then calls name() again.
    virtual core::Result<bool> is_well_named(Reader& reader) const = 0;
    /// Names the event ids that run() will look up, so that a remote store needs only one query for
    /// all of them.
    virtual void report_ids(ReportedIds& ids) const = 0;
    /// Storage errors fail the whole transaction; other errors become the reply.
    virtual core::Result<> run(Transaction& transaction) = 0;
    /// True if the write is refused when disk space is low: writes of agents, and the event of a
    /// missed ping.
    virtual bool fills_disk() const = 0;
    /// Refuses the write, since nothing can be stored, or its session cannot be read. The reply is
    /// `error`; if a call must not run unchecked, the reply refuses the call instead.
    virtual void refuse_unstored(Reader& reader, core::Error error) = 0;
    /// True for hooks and for questions to a person. Such a task takes as much time as many
    /// reports, so a turn handles only a few of these tasks.
    virtual bool rationed() const = 0;
    /// Called when the turn has begun, even if nothing can be written.
    virtual void arrive(EngineContext& parts) = 0;
    /// True if the task stores a fact that the I/O thread observes and reports only once. Such a
    /// task gets no reply, and if the store fails, it is tried again (RetryQueue).
    virtual bool delivered() const = 0;
    /// Called when the task could not be stored and waits for the next try.
    virtual void wait(EngineContext& parts) = 0;
    /// Keeps a copy of the arguments for restore(), before name() and run() change them.
    virtual void keep() = 0;
    /// Restores the arguments kept by keep(), if it was called, so that the task can run again.
    virtual void restore() = 0;
};

/// Reads committed state, after the commit of its turn, in slices of about kReaderSlice.
class ReadTask : public Task {
public:
    /// Reads one slice. True if the result is complete.
    virtual core::Result<bool> read(Reader& reader) = 0;
    /// Called when the turn has begun, before its writes.
    virtual void arrive(Reader& reader) = 0;
    /// Names the sessions that the read is about, if it is about particular ones.
    virtual void name(SessionNames& names) const = 0;
    /// Cursor of the last event that the caller has seen, perhaps at another daemon; 0: none.
    virtual std::int64_t position() const = 0;
    /// True if the read is needed even after its connection has closed, because other clients wait
    /// for it.
    virtual bool shared() const = 0;
    /// Approximate size of the result.
    virtual std::size_t bytes() const = 0;
};

/// Starts an operation. Its reply, if any, is sent when the operation ends.
class StartTask : public Task {
public:
    /// An error becomes the reply.
    virtual core::Result<> start(EngineContext& parts, const ReplyTo& to) = 0;
    /// True if the operation starts before the writes of its turn, not after them.
    virtual bool first() const = 0;
};

/// A task on its way to the engine. Exactly one of `write`, `read` and `start` is set.
struct Request {
    ReplyTo reply_to;
    bool watched = false;   ///< a client waits for or watches the session
    std::size_t bytes = 0;  ///< approximate size, counted against the bound of the queue
    std::unique_ptr<WriteTask> write = nullptr;
    std::unique_ptr<ReadTask> read = nullptr;
    std::unique_ptr<StartTask> start = nullptr;
};

inline bool is_write(const Request& request) noexcept {
    return request.write != nullptr;
}

inline bool is_rationed(const Request& request) noexcept {
    return request.write != nullptr && request.write->rationed();
}

/// A task with its result.
struct Answered {
    ReplyTo to;
    std::unique_ptr<Task> task;
};

}  // namespace headway::server
