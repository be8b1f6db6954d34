// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/acp_sessions.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "cli/base/clock.hpp"
#include "cli/base/ids.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/keep_going/run_record.hpp"
#include "core/text/sha256.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;
using Says = AcpAnswer::Says;

// A stop comes with the reply to a heartbeat: soon while the agent works, rarely while it rests.
constexpr milliseconds kPaceAtWork{2'000};
constexpr milliseconds kPaceAtRest{60'000};
constexpr std::ptrdiff_t kHeldMax = 64;   // threads that wait; see AcpGate::kOpenMax
constexpr std::size_t kThreadsMax = 256;  // with those that end soon
constexpr milliseconds kOpeningMax{2'000};
constexpr milliseconds kAgainPause{300};
constexpr std::size_t kNativeBytesMax = 64;
// Shorter ids are counters, with or without a name, which each process of such an agent begins
// at 1.
constexpr std::size_t kUniqueBytesMin = 16;
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

/// Names this process to the daemon. Its end is that of its sessions, whatever ends it.
std::vector<std::string> own_process() {
    const RecordedProcess process = recorded_process(::getpid());
    std::string space(64, '\0');  // `pid:[4026531836]`
    const ::ssize_t size = ::readlink("/proc/self/ns/pid", space.data(), space.size());
    space.resize(static_cast<std::size_t>(std::max<::ssize_t>(size, 0)));
    std::erase_if(space, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) == 0; });
    return {"X-Headway-Agent-Pid: " + std::to_string(process.pid),
            "X-Headway-Agent-Start: " + process.began, "X-Headway-Agent-Boot: " + process.boot,
            "X-Headway-Agent-Pid-Ns: " + space};
}

// The daemon has taken the request, or never will: one that is busy, starts or ends has nothing of
// it.
bool is_taken(const HttpReply& reply) {
    return reply.answered() && !worth_retrying(reply) && !is_of_another_program(reply);
}

}  // namespace

AcpSessions::AcpSessions(Setup setup)
    : setup_(std::move(setup)),
      mark_(random_tag()),
      decided_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

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
    if (session.native.size() < kUniqueBytesMin) session.native += "-" + mark_;
    Json body = action.data;
    body["goal"] = setup_.goal.empty() ? join(setup_.command, " ") : setup_.goal;
    body["policy"] = {{"heartbeat_interval_ms", kPaceAtRest.count()}};
    session.opening = dump(body);
    session.id = agent + "-" + session.native;
    session.by_person = action.request.empty();
}

void AcpSessions::start(Session& session) {
    session.stopped = Stop::kNone;
    Reporter::Setup setup;
    setup.url = setup_.url;
    setup.credential = setup_.credential;
    setup.session = session.id;
    setup.open = session.opening;
    setup.heartbeat = kPaceAtRest;
    setup.beat = [] { return Json::object(); };
    setup.pace = [at_work = session.at_work, busy = session.busy] {
        return *at_work || *busy ? kPaceAtWork : kPaceAtRest;
    };
    setup.warn = setup_.warn;
    setup.by_person = session.by_person;
    // Words of this hook's answer would not reach the model.
    setup.take_up = [agent = session.agent, native = session.native](bool by_person) {
        return dump({{"event", "start"},
                     {"agent", agent},
                     {"session", native},
                     {"source", by_person ? "resume" : "compact"},
                     {"words", false}});
    };
    const auto before =
        std::find_if(ending_.rbegin(), ending_.rend(),
                     [&session](const Ending& ending) { return ending.id == session.id; });
    session.reporter = std::make_shared<Reporter>(
        std::move(setup), before == ending_.rend() ? nullptr : before->reporter);
}

void AcpSessions::report(const AcpAction& action) {
    Session* const session = find(action.session);
    if (session == nullptr) return;
    if (session->reporter == nullptr) start(*session);
    if (action.type == "tool.started") *session->busy = true;
    session->reporter->add(action.type, action.data);
}

void AcpSessions::ask(const AcpAction& action) {
    Session* const session = find(action.session);
    if (action.data.contains("refused")) return refuse(action, action.data.text_of("refused"));
    if (action.session.empty() || action.type.empty())
        return refuse(action, "neither its session nor its call is named");
    if (session == nullptr)
        return refuse(action, "more sessions at work than are followed; wait until one rests");
    session->used = *session->busy = true;
    if (session->reporter == nullptr) start(*session);
    const std::lock_guard lock(mutex_);
    const auto waiting = std::count_if(holds_.begin(), holds_.end(),
                                       [](const Hold& hold) { return !hold.forgotten; });
    if (waiting >= kHeldMax || holds_.size() >= kThreadsMax) {
        decisions_.push_back({action, true, "too many calls wait for an answer"});
        ::eventfd_write(decided_.get(), 1);
        return;
    }
    AcpAction asking = action;
    asking.data["hook"]["agent"] = session->agent;
    asking.data["hook"]["session"] = session->native;
    Hold& held = holds_.emplace_back();
    held.serial = action.serial;
    held.thread = std::jthread([this, &held, asking = std::move(asking), at = session->reporter] {
        decide(asking, *at, held);
    });
}

// On a thread of its own.
void AcpSessions::decide(const AcpAction& asking, const Reporter& reporter, Hold& hold) {
    AcpAnswer said = answer(asking, reporter, hold);
    const bool refused = said.refuses();
    std::unique_lock lock(mutex_);
    if (hold.forgotten && !hold.end.is_null()) {
        const Json end = std::move(hold.end);
        lock.unlock();
        tell_end(asking, reporter, end, hold);
        lock.lock();
    }
    hold.done = true;
    if (hold.forgotten) late_.push_back(asking.session);
    // One that was decided without the daemon wakes for the cleaning up.
    const bool reached = said.says != Says::kAway;
    if (!hold.forgotten && !closing_)
        decisions_.push_back({asking, refused, std::move(said.reason), reached});
    ::eventfd_write(decided_.get(), 1);
}

void AcpSessions::refuse(const AcpAction& action, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    decisions_.push_back({action, true, reason});
    ::eventfd_write(decided_.get(), 1);
}

bool AcpSessions::forget(std::uint64_t serial, Json end) {
    const std::lock_guard lock(mutex_);
    for (Hold& hold : holds_) {
        if (hold.serial != serial || hold.done || hold.forgotten) continue;
        hold.end = std::move(end);
        hold.forgotten = true;
        return true;
    }
    return false;
}

// The report has one id for all tries: it is stored once.
AcpAnswer AcpSessions::answer(const AcpAction& action, const Reporter& reporter, Hold& hold) {
    Daemon daemon(setup_.url, setup_.credential);
    daemon.set_headers(own_process());
    if (action.data.contains("started"))
        hold.report = {{"type", "tool.started"},
                       {"event_id", "acp-" + random_tag()},
                       {"data", action.data["started"]}};
    const std::string hook = dump(action.data["hook"]);
    bool reached = action.reached;
    if (hold.report.is_null() && !reached) {
        // The reporter has the start of a call that was announced long before. A daemon that has it
        // may have asked a person, and has gone away since.
        reached = reporter.in_touch() || reporter.has_told(action.type);
        reached = reporter.caught_up(kOpeningMax) || reached;
    }
    AcpPatience patience(reached);
    for (;;) {
        AcpAnswer said = answer_once(daemon, reporter, hook, hold);
        if (closing_ || hold.forgotten) return said;
        if (const auto end = patience.after(said, steady_now())) return *end;
        std::this_thread::sleep_for(kAgainPause);
    }
}

// The call is reported first: policies make their requests for approval of that. An ended session
// takes no report, and the hook belongs to the generation in force.
AcpAnswer AcpSessions::answer_once(Daemon& daemon, const Reporter& reporter,
                                   const std::string& hook, Hold& hold) {
    const auto goes_on = [this, &hold] { return !closing_ && !hold.forgotten; };
    hold.asked = false;
    if (!hold.report.is_null()) {
        const std::string session = reporter.in_force(kOpeningMax);
        const HttpReply reply =
            exchange(daemon, session_path(session, "/events"), dump(hold.report), goes_on);
        AcpAnswer said = acp_answer(reply);
        const bool decided = said.says == Says::kRefused || said.says == Says::kSilent;
        if (decided || !reply.answered()) return said;
        if (reply.ok()) {
            hold.report = Json();
            hold.taken = true;
        }
    }
    hold.held = false;
    const HttpReply reply = exchange(daemon, "/v1/hooks/generic", hook, goes_on, &hold.held);
    hold.asked = is_taken(reply);  // a held call begins its reply at once
    AcpAnswer said = acp_answer(reply);
    // A daemon that has the call may have asked a person before it went away.
    if (hold.taken && said.says == Says::kAway) said.says = Says::kSilent;
    return said;
}

// A daemon ends the request of a call that it holds, and of no other: where the question has not
// come to it, it comes now, without a wait.
void AcpSessions::tell_end(const AcpAction& action, const Reporter& reporter, const Json& end,
                           Hold& hold) {
    Daemon daemon(setup_.url, setup_.credential);
    daemon.set_headers(own_process());
    const auto goes_on = [this] { return !closing_; };
    const auto gives_up = steady_now() + AcpPatience::kBackMax;
    const Json last = {
        {"type", "tool.finished"}, {"event_id", "acp-" + random_tag()}, {"data", end}};
    for (; !closing_ && steady_now() < gives_up; std::this_thread::sleep_for(kAgainPause)) {
        const std::string events = session_path(reporter.in_force(kOpeningMax), "/events");
        if (!hold.report.is_null()) {
            if (!exchange(daemon, events, dump(hold.report), goes_on).ok()) continue;
            hold.report = Json();
        }
        if (!hold.asked) {
            // Until the reply begins: the end of the call must not come before its hook.
            HttpClient::StreamHandlers handlers;
            handlers.on_data = [](std::string_view) { return false; };
            handlers.on_idle = goes_on;
            hold.asked = is_taken(
                daemon.post_held("/v1/hooks/generic", dump(action.data["hook"]), handlers));
            if (!hold.asked) continue;
        }
        if (is_taken(exchange(daemon, events, dump(last), goes_on))) return;
        hold.asked = false;
    }
}

HttpReply AcpSessions::exchange(Daemon& daemon, const std::string& path, std::string body,
                                const std::function<bool()>& goes_on, std::atomic<bool>* begun) {
    std::string reply;
    HttpClient::StreamHandlers handlers;
    handlers.on_data = [&reply, begun](std::string_view bytes) {
        if (begun != nullptr) *begun = true;
        reply += bytes;
        return reply.size() <= kReplyBytesMax;
    };
    handlers.on_idle = goes_on;
    HttpReply head = daemon.post_held(path, std::move(body), handlers);
    if (head.ok()) head.body = std::move(reply);
    return head;
}

std::vector<AcpSessions::Decision> AcpSessions::decisions() {
    eventfd_t count = 0;
    ::eventfd_read(decided_.get(), &count);
    const std::lock_guard lock(mutex_);
    std::erase_if(holds_, [](const Hold& hold) { return hold.done; });
    for (const Decision& decision : decisions_) {
        const AcpAction& asked = decision.asked;
        const std::string call =
            asked.type.empty() ? "a call"
                               : "the call " + asked.type + " of the session " + asked.session;
        std::string reason = call + " is refused: " + decision.reason;
        if (decision.refused && reason != last_reason_) setup_.refused(reason);
        if (decision.refused) last_reason_ = std::move(reason);
    }
    return std::exchange(decisions_, {});
}

bool AcpSessions::waits_for_daemon() {
    const std::lock_guard lock(mutex_);
    return std::any_of(holds_.begin(), holds_.end(), [](const Hold& hold) {
        return !hold.held && !hold.done && !hold.forgotten;
    });
}

std::vector<std::string> AcpSessions::late() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> late = std::exchange(late_, {});
    std::erase_if(late, [this](const std::string& id) {
        const Session* const session = find(id);
        return session == nullptr || session->reporter == nullptr;
    });
    return late;
}

}  // namespace headway::cli
