// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/acp_sessions.hpp"

#include <sys/eventfd.h>

#include <algorithm>
#include <utility>

#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "core/text/sha256.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

// A stop comes with the reply to a heartbeat: soon while the agent works, rarely while it rests.
constexpr milliseconds kPaceAtWork{2'000};
constexpr milliseconds kPaceAtRest{60'000};
// Sessions that have ended and are kept until the last reports are delivered. The oldest of more
// would be waited for.
constexpr std::size_t kEndingMax = 64;
constexpr std::size_t kHeldMax = 64;       // threads that wait; see AcpGate::kOpenMax
constexpr milliseconds kReportMax{5'000};  // a daemon that hangs holds up no call for longer
constexpr std::size_t kNativeBytesMax = 64;
constexpr std::size_t kReplyBytesMax = 1U << 20;

// The daemon checks it as well: `<agent>-<native>` has to be an id.
std::string native_id(const std::string& id) {
    const auto plain = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    };
    const bool fits =
        id.size() <= kNativeBytesMax && std::all_of(id.begin(), id.end(), plain) && !id.empty();
    return fits ? id : core::sha256_hex(id).substr(0, 32);
}

/// The call needs a person, who cannot be asked: about arguments that cannot be shown whole, or
/// because too many wait. It must not run unchecked.
bool cannot_be_asked(const HttpReply& reply) {
    if (reply.status == 400 || reply.status == 413) return true;
    const std::optional<Json> problem = Json::parse(reply.body);
    return problem && problem->text_of("code") == "too_many_approvals";
}

}  // namespace

AcpSessions::AcpSessions(Setup setup)
    : setup_(std::move(setup)), decided_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

AcpSessions::~AcpSessions() {
    closing_ = true;
}

AcpSessions::Session* AcpSessions::find(const std::string& id) {
    const auto found = sessions_.find(id);
    return found == sessions_.end() ? nullptr : &found->second;
}

void AcpSessions::open(const std::string& agent, const AcpAction& action) {
    const auto [place, added] = sessions_.try_emplace(action.session);
    if (!added) return;
    Session& session = place->second;
    session.agent = agent;
    session.native = native_id(action.session);
    Json body = action.data;
    body["goal"] = setup_.goal.empty() ? join(setup_.command, " ") : setup_.goal;
    body["policy"] = {{"heartbeat_interval_ms", kPaceAtRest.count()}};
    session.opening = dump(body);
    start(session);
}

// A session that was stopped has ended, and another prompt is another one.
void AcpSessions::start(Session& session) {
    std::string native = session.native;
    if (session.generation > 1) native += "." + std::to_string(session.generation);
    session.id = session.agent + "-" + native;
    session.stopped = false;
    Reporter::Setup setup;
    setup.url = setup_.url;
    setup.credential = setup_.credential;
    setup.session = session.id;
    setup.open = session.opening;
    setup.heartbeat = kPaceAtRest;
    setup.beat = [] { return Json::object(); };
    setup.pace = [at_work = session.at_work] { return *at_work ? kPaceAtWork : kPaceAtRest; };
    setup.warn = setup_.warn;
    session.reporter = std::make_unique<Reporter>(std::move(setup));
}

void AcpSessions::report(const AcpAction& action) {
    Session* const session = find(action.session);
    if (session == nullptr) return;
    if (session->reporter == nullptr) start(*session);
    session->reporter->add(action.type, action.data);
}

void AcpSessions::ask(const AcpAction& action) {
    Session* const session = find(action.session);
    const std::lock_guard lock(mutex_);
    const bool full = holds_.size() >= kHeldMax;
    if (session == nullptr || session->reporter == nullptr || full) {
        decisions_.push_back({action, full});
        ::eventfd_write(decided_.get(), 1);
        return;
    }
    AcpAction asking = action;
    asking.data["hook"]["agent"] = session->agent;
    asking.data["hook"]["session"] = session->id.substr(session->agent.size() + 1);
    Hold& held = holds_.emplace_back();
    held.serial = action.serial;
    held.thread = std::jthread([this, &held, asking = std::move(asking), id = session->id] {
        const bool refused = is_refused(asking, id, held);
        const std::lock_guard done(mutex_);
        held.done = true;
        decisions_.push_back({asking, refused});
        ::eventfd_write(decided_.get(), 1);
    });
}

void AcpSessions::forget(std::uint64_t serial) {
    const std::lock_guard lock(mutex_);
    for (Hold& hold : holds_) {
        if (hold.serial == serial) hold.forgotten = true;
    }
}

// On a thread of its own. Whatever goes wrong is no refusal: a daemon that is away stops no agent.
// The call is reported first: policies make their requests for approval of that.
bool AcpSessions::is_refused(const AcpAction& action, const std::string& session,
                             const Hold& hold) {
    Daemon daemon(setup_.url, setup_.credential);
    if (action.data.contains("started")) {
        const Json started = {{"type", "tool.started"}, {"data", action.data["started"]}};
        const std::string path = session_path(session, "/events");
        const HttpReply reply = daemon.post(path, started, kReportMax);
        if (!reply.ok()) return cannot_be_asked(reply);
    }
    return refuses(daemon, dump(action.data["hook"]), hold);
}

bool AcpSessions::refuses(Daemon& daemon, std::string hook, const Hold& hold) {
    std::string reply;
    HttpClient::StreamHandlers handlers;
    handlers.on_data = [&reply](std::string_view bytes) {
        reply += bytes;
        return reply.size() <= kReplyBytesMax;
    };
    handlers.on_idle = [this, &hold] { return !closing_ && !hold.forgotten; };
    HttpReply head = daemon.post_held("/v1/hooks/generic", std::move(hook), handlers);
    const std::optional<Json> json = head.ok() ? Json::parse(reply) : std::nullopt;
    if (!head.ok()) {
        head.body = std::move(reply);
        return cannot_be_asked(head);
    }
    // A call that a person allowed with other arguments must not run with these.
    return json && (json->contains("deny") || json->contains("stop") || json->contains("edit"));
}

std::vector<AcpSessions::Decision> AcpSessions::decisions() {
    eventfd_t count = 0;
    ::eventfd_read(decided_.get(), &count);
    const std::lock_guard lock(mutex_);
    std::erase_if(holds_, [](const Hold& hold) { return hold.done; });
    return std::exchange(decisions_, {});
}

void AcpSessions::set_at_work(const std::string& id, bool at_work) {
    Session* const session = find(id);
    if (session == nullptr) return;
    if (at_work && session->reporter == nullptr) start(*session);
    *session->at_work = at_work;
    if (!at_work && session->stopped) end(*session, "cancelled", "stopped by Headway");
}

void AcpSessions::end(Session& session, const char* outcome, const std::string& reason) {
    if (session.reporter == nullptr) return;
    Json body = {{"outcome", outcome}, {"reason", reason}};
    session.reporter->close(body, setup_.linger);
    ending_.push_back(std::move(session.reporter));
    ++session.generation;
    if (ending_.size() > kEndingMax) ending_.pop_front();
}

void AcpSessions::end_all(const std::string& reason) {
    for (auto& [id, session] : sessions_)
        end(session, *session.at_work ? "cancelled" : "completed", reason);
}

std::vector<int> AcpSessions::stop_fds() const {
    std::vector<int> fds;
    for (const auto& [id, session] : sessions_) {
        if (session.reporter != nullptr && !session.stopped)
            fds.push_back(session.reporter->wake_fd());
    }
    return fds;
}

std::vector<std::string> AcpSessions::stops() {
    std::vector<std::string> stopped;
    for (auto& [id, session] : sessions_) {
        if (session.reporter == nullptr || session.stopped) continue;
        const auto directive = session.reporter->stop_directive();
        if (!directive) continue;
        session.stopped = true;
        session.reporter->add("directive.acknowledged", {{"id", directive->id}});
        if (*session.at_work) {
            stopped.push_back(id);
        } else {
            end(session, "cancelled", "stopped by Headway");
        }
    }
    return stopped;
}

}  // namespace headway::cli
