// SPDX-License-Identifier: Apache-2.0
#include "server/endpoints/routing/call.hpp"

#include <utility>

#include "api/text/plain_text.hpp"
#include "core/base/limits.hpp"

namespace headway::server {
namespace {

/// A call beyond its handler. The connection keeps what the request refers to.
struct KeptCall {
    HttpRequest request;
    Principal caller;
    api::Query query;
    Call call;

    explicit KeptCall(const Call& original)
        : request(original.request),
          caller(original.caller),
          query(original.query),
          call(original.connection, original.to, request, caller, query, original.on) {}
    KeptCall(const KeptCall&) = delete;
    KeptCall& operator=(const KeptCall&) = delete;
};

}  // namespace

core::Result<std::string> Call::idempotency_key() const {
    const std::string_view key = request.head.idempotency_key;
    if (key.empty()) return std::string{};
    if (key.size() > core::limits::kRedeemKeyBytesMax || api::as_utf8(key) != key) {
        return core::Error{core::ErrorCode::kInvalidField, "must be 1 to 255 bytes of UTF-8",
                           "Idempotency-Key"};
    }
    return own_key(caller, key);
}

std::string Call::place_holder() const {
    if (request.peer.local) return {};
    if (caller.anonymous() || caller.only_reports) return origin_of(request.peer);
    return on.access.stays_as(caller, request.head);
}

core::Result<> Call::read_beside(LongBodies::Read reads,
                                 std::function<core::Result<>(Call& call)> follows,
                                 bool asks) const {
    const LongBodies::Body body{request.body, request.packed,
                                request.target.endpoint->body.bytes_max, asks};
    if (!on.bodies.has_room(body)) {
        return core::Error{
            core::ErrorCode::kOverloaded, "too many long bodies are being read; send it again", {}};
    }
    const auto kept = std::make_shared<KeptCall>(*this);
    connection.keep_request();
    on.bodies.add(body, std::move(reads),
                  [kept, then = std::move(follows)](core::Result<std::size_t> length) {
                      Call& call = kept->call;
                      core::Result<> done;
                      if (length) {
                          call.bytes = *length;
                          done = then(call);
                      } else {
                          done = std::move(length).error();
                      }
                      if (!done) call.respond(problem_response(done.error(), call.path()));
                      call.connection.let_go();
                  });
    return {};
}

core::Result<> Call::ask(Request asked, const std::string& session) const {
    if (on.intake.ask(std::move(asked), session)) return {};
    return core::Error{
        core::ErrorCode::kOverloaded, "too many requests are waiting; try again", {}};
}

core::Result<> Call::begin_wait(std::string id) const {
    const std::string* wait = query.find("wait");
    if (wait == nullptr) return {};
    HEADWAY_TRY(const std::int64_t ms, api::parse_duration_ms(*wait, "wait"));
    if (core::Millis{ms} > core::limits::kWaitMax) {
        return core::Error{core::ErrorCode::kInvalidParameter, "at most 10m; wait again after that",
                           "wait"};
    }
    if (ms <= 0 || on.state.draining) return {};
    const core::Timestamp deadline = on.clock.now() + core::Millis{ms};
    return on.polls.add_document(to, std::move(id), deadline, place_holder());
}

}  // namespace headway::server
