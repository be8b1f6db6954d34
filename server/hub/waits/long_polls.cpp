// SPDX-License-Identifier: Apache-2.0
#include "server/hub/waits/long_polls.hpp"

#include <algorithm>
#include <utility>

#include "core/approvals/approval_alias.hpp"
#include "core/approvals/approvals.hpp"
#include "core/base/assert.hpp"
#include "server/engine/base/make_task.hpp"
#include "server/hub/streams/reading_time.hpp"
#include "server/hub/waits/answers.hpp"

namespace headway::server {

LongPolls::LongPolls(net::io_context& io, const Clock& clock, ViewCache& views, Intake& intake,
                     Replies& replies)
    : clock_(clock),
      intake_(intake),
      replies_(replies),
      sessions_(
          views,
          [this](const ReplyTo& to, const core::Result<Response>& response) {
              if (!response) return refuse(to, response.error());
              replies_.respond(to, *response);
          },
          [this] { return reading_time(clock_); }),
      documents_([this](const ReplyTo& to, const std::string& id) { return ask_for(to, id); },
                 [this](const ReplyTo& to, const core::Error& error) { refuse(to, error); }),
      timer_(io) {}

core::Result<> LongPolls::add(Wait wait) {
    HEADWAY_CHECK(sessions_.add(std::move(wait)));
    arm();
    return {};
}

core::Result<> LongPolls::add_document(const ReplyTo& to, std::string id, core::Timestamp deadline,
                                       const std::string& caller) {
    HEADWAY_CHECK(documents_.add(to, std::move(id), deadline, caller));
    arm();
    return {};
}

void LongPolls::refuse(const ReplyTo& to, const core::Error& error) {
    replies_.respond(to, problem_response(error, replies_.path_of(to)));
}

std::size_t LongPolls::largest_share() const {
    return std::max(sessions_.shares().largest(), documents_.shares().largest());
}

std::optional<std::uint64_t> LongPolls::give_up_largest(
    std::size_t max, const std::function<bool(std::uint64_t connection)>& may_go) {
    constexpr std::size_t kLookedAt = 64;  // a connection with a wait may owe other replies, too
    const core::Error full{
        core::ErrorCode::kOverloaded, "too many connections wait; try again", {}};
    const bool documents = documents_.shares().largest() > sessions_.shares().largest();
    const auto newest =
        (documents ? documents_.shares() : sessions_.shares()).of_largest(max, kLookedAt);
    const auto place = std::find_if(newest.begin(), newest.end(),
                                    [&](const auto& one) { return may_go(one.first); });
    if (place == newest.end()) return std::nullopt;
    if (documents) {
        documents_.give_up(*place, full);
    } else {
        sessions_.give_up(*place, full);
    }
    return place->first;
}

void LongPolls::take_document(const ReplyTo& to, DocumentReply reply) {
    if (documents_.keeps_waiting(to, reply.pending, reply.key)) return;
    Response response;
    response.body = std::move(reply.body);
    replies_.put(to, response);
}

/// The first query checked that the caller may read it.
bool LongPolls::ask_for(const ReplyTo& to, const std::string& id) {
    constexpr std::string_view kCheck = "check/";
    if (id.starts_with(kCheck)) {
        const std::size_t session = id.find('?');  // the first answer named it
        HEADWAY_ASSERT(session != std::string::npos);
        CheckQuery query{id.substr(kCheck.size(), session - kCheck.size()), id.substr(session + 1),
                         core::Grants::all()};
        return intake_.ask(request_of(to, std::move(query)), {});
    }
    if (core::is_uuid(id))
        return intake_.ask(request_of(to, ApprovalQuery{{}, 0, {id, core::Grants::all()}}), {});
    const auto ref = core::parse_approval_id(id);
    return ref && intake_.ask(request_of(to, ApprovalQuery{ref->session, ref->n}), {});
}

void LongPolls::drop_connection(std::uint64_t connection) {
    if (sessions_.size() > 0) sessions_.drop_connection(connection);
    if (documents_.size() > 0) documents_.drop_connection(connection);
}

void LongPolls::expire_all() {
    sessions_.expire(core::kNever);
    documents_.expire(core::kNever);
}

void LongPolls::arm() {
    core::Timestamp next = sessions_.next_deadline();
    const core::Timestamp document = documents_.next_deadline();
    if (next == core::kNever || (document != core::kNever && document < next)) next = document;
    if (next == core::kNever || next == timer_at_) return;
    timer_at_ = next;
    timer_.expires_after(std::max(next - clock_.now(), core::Millis{0}));
    timer_.async_wait([this](error_code ec) {
        if (ec) return;
        timer_at_ = core::kNever;
        sessions_.expire(clock_.now());
        documents_.expire(clock_.now());
        arm();
    });
}

}  // namespace headway::server
