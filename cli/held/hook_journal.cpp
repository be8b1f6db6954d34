// SPDX-License-Identifier: Apache-2.0
#include "cli/held/hook_journal.hpp"

#include <algorithm>
#include <utility>

#include "cli/base/text.hpp"
#include "cli/client/http_client.hpp"
#include "core/views/digest.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kJournalPagesMax = 20;  // of 1000 events, in one look
constexpr std::size_t kChildrenMax = 32;      // more sub-agents are not looked at
constexpr milliseconds kAbout{5'000};         // between an event and the run of which it is
constexpr const char* kWhatHooksTell =
    "/events?types=tool.started,tool.finished,approval.requested,message,heartbeat&limit=1000"
    "&after=";

HookJournal::Outcome outcome_of(const HttpReply& reply) {
    if (reply.ok()) return HookJournal::Outcome::kRead;
    const bool retry = worth_retrying(reply) || is_of_another_program(reply);
    return retry ? HookJournal::Outcome::kRetry : HookJournal::Outcome::kRefused;
}

/// How much older than now an event is by the daemon's clock.
milliseconds age_of(const Json& event) {
    const auto at = parse_time(event.text_of("at"));
    return at ? std::chrono::floor<milliseconds>(wall_now() - *at) : milliseconds{0};
}

}  // namespace

HookJournal::Look HookJournal::read(Daemon& daemon, const std::string& session, const With& with) {
    Look look;
    pages_left_ = kJournalPagesMax;
    look.outcome = read_session(daemon, session, with, look);
    if (look.outcome != Outcome::kRead || !with.children) return look;
    const HttpReply reply = daemon.get(
        "/v1/sessions?limit=" + std::to_string(kChildrenMax) + "&parent=" + url_encode(session),
        with.left());
    look.partly = outcome_of(reply) == Outcome::kRefused;
    if (outcome_of(reply) == Outcome::kRetry) look.outcome = Outcome::kRetry;
    if (!reply.ok()) return look;
    const Json list = body_json(reply).value_or(Json::object());
    for (const Json& child : list["sessions"]) {
        if (look.outcome != Outcome::kRead) break;
        look.outcome = read_session(daemon, child.text_of("id"), with, look);
        if (look.outcome != Outcome::kRefused) continue;
        look.outcome = Outcome::kRead;
        look.partly = true;
    }
    return look;
}

HookJournal::Outcome HookJournal::read_session(Daemon& daemon, const std::string& session,
                                               const With& with, Look& look) {
    std::uint64_t& after = read_to_[session];
    for (;;) {
        const HttpReply reply =
            daemon.get(session_path(session, kWhatHooksTell + std::to_string(after)), with.left());
        if (reply.status == 404 && !is_of_another_program(reply)) return Outcome::kRead;
        if (!reply.ok()) return outcome_of(reply);
        const Json page = body_json(reply).value_or(Json::object());
        note_page(page["events"], with);
        if (!page.flag_of("more") || !page["next"].is_unsigned()) {
            after = page.count_of("head", after);
            return Outcome::kRead;
        }
        after = page.count_of("next");
        if (pages_left_ == 0) {
            look.more = true;
            return Outcome::kRead;
        }
        --pages_left_;
    }
}

void HookJournal::note_page(const Json& events, const With& with) {
    for (const Json& event : events)
        lag_ = std::min(lag_.value_or(milliseconds::max()), age_of(event));
    for (const Json& event : events) {
        const std::string& id = event.text_of("event_id");
        if (id.starts_with(own_) || id.starts_with(core::kKeepGoingEvent)) continue;
        const SteadyTime at = steady_now() - std::max(age_of(event) - *lag_, milliseconds{0});
        const std::string& type = event.text_of("type");
        const bool other_run = from_ != SteadyTime::min() && at < from_ - kAbout;
        if (!other_run || (type != "heartbeat" && type != "message")) with.note({event, at});
    }
}

void HookJournal::skip(Daemon& daemon, const std::string& session, milliseconds timeout) {
    const HttpReply reply =
        daemon.get(session_path(session, "/events?order=newest&limit=1"), timeout);
    if (!reply.ok()) return;
    read_to_[session] = body_json(reply).value_or(Json::object()).count_of("head");
}

}  // namespace headway::cli
