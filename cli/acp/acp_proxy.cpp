// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/acp_proxy.hpp"

#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "cli/acp/messages/acp_file.hpp"
#include "cli/acp/messages/acp_head.hpp"
#include "cli/acp/messages/acp_message.hpp"
#include "cli/base/ids.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;
using Kind = AcpAction::Kind;

constexpr std::size_t kPassedBytes = 65'536;
// PIPE_BUF: what POLLOUT promises to take without blocking.
constexpr std::size_t kPipeBytes = 4'096;
/// Answers that an agent has caused and does not read: until it does, it is not read either.
constexpr std::size_t kInjectedMax = 1U << 20;
constexpr milliseconds kPollMax{1'000};
constexpr milliseconds kOutputAfterExit{200};  // a process left behind may keep the pipe open
constexpr milliseconds kQuestionWithin{250};   // after a call was announced as begun
// Not every agent ends with its input.
constexpr milliseconds kTermAgentAfter{2'000};
constexpr milliseconds kKillAgentAfter{10'000};

enum Slot : std::size_t {
    kSignalsIn,
    kEditorIn,
    kAgentIn,
    kAgentOut,
    kEditorOut,
    kDecided,
    kSlots
};

/// The first `size` bytes, or fewer; false: there is no reader any more.
bool write_some(int fd, std::string_view bytes, std::size_t& written) {
    const ssize_t size = ::write(fd, bytes.data(), std::min(bytes.size(), kPipeBytes));
    if (size > 0) written += static_cast<std::size_t>(size);
    return size >= 0 || errno == EINTR || errno == EAGAIN;
}

}  // namespace

AcpProxy::AcpProxy(Process process, const SignalGuard& signals, AcpSessions& sessions,
                   std::string agent)
    : agent_(std::move(process)),
      signals_(signals),
      sessions_(sessions),
      observer_(std::move(agent), random_tag(), acp_read_file) {}

ExitStatus AcpProxy::run() {
    while (!done()) {
        poll_once();
        go_on();
        sessions_.note_rest([this](const std::string& id) { return observer_.works(id); });
        start_calls();
        end_agent();
    }
    while (observer_.has_begun())
        act(observer_.start_calls(), {});
    return *status_;
}

bool AcpProxy::done() const {
    if (!status_ || !to_editor_.empty() || !stalled_.empty()) return false;
    return !agent_.out.open() || (quiet_ && steady_now() - exited_at_ >= kOutputAfterExit);
}

void AcpProxy::poll_once() {
    const bool room = to_agent_.empty();  // else the editor waits, as it would without us
    std::vector<pollfd> fds(kSlots);
    fds[kSignalsIn] = {signals_.fd(), POLLIN, 0};
    fds[kEditorIn] = {editor_open_ && room ? STDIN_FILENO : -1, POLLIN, 0};
    fds[kAgentIn] = {room ? -1 : agent_.in.get(), POLLOUT, 0};
    const bool hears = injected_ <= kInjectedMax || !agent_.in.open();
    const bool reads = to_editor_.empty() && stalled_.empty() && hears;
    fds[kAgentOut] = {reads ? agent_.out.get() : -1, POLLIN, 0};
    fds[kEditorOut] = {to_editor_.empty() ? -1 : STDOUT_FILENO, POLLOUT, 0};
    fds[kDecided] = {sessions_.decided_fd(), POLLIN, 0};
    for (const int fd : sessions_.stop_fds())
        fds.push_back({fd, POLLIN, 0});
    const bool soon = status_ || editor_gone_at_ || begun_at_ || !stalled_.empty();
    const milliseconds wait = soon ? milliseconds{50} : kPollMax;
    const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(wait.count()));
    quiet_ = ready == 0 && fds[kAgentOut].fd >= 0;
    if (ready <= 0) return;
    if (fds[kSignalsIn].revents != 0) read_signals();
    // The agent's messages come first: an answer of the editor follows the question.
    if (fds[kEditorOut].revents != 0) write_editor();
    if (fds[kAgentOut].revents != 0) read_agent();
    if (fds[kAgentIn].revents != 0) write_agent();
    if (fds[kEditorIn].revents != 0) read_editor();
    if (fds[kDecided].revents != 0) take_decisions();
    const bool stop = std::any_of(fds.begin() + kSlots, fds.end(),
                                  [](const pollfd& fd) { return fd.revents != 0; });
    if (stop) take_stops();
}

void AcpProxy::read_editor() {
    std::array<char, kPassedBytes> buffer;
    const ssize_t size = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
    const LineCutter::Take take = [this](std::string_view text, bool whole) {
        if (whole) return editor_line(text);
        editor_part(text);
    };
    if (size > 0) return from_editor_.feed({buffer.data(), static_cast<std::size_t>(size)}, take);
    // An agent may read the last line without its end, too.
    from_editor_.finish([this](std::string_view text, bool) { editor_line(text); });
    editor_open_ = false;
    editor_gone_at_ = steady_now();
    if (to_agent_.empty()) agent_.in.reset();
}

/// Takes a part of a line that is too long to be read: the answer to a permission in it is no yes.
void AcpProxy::editor_part(std::string_view text) {
    if (!in_long_line_) {
        const AcpHead head = acp_head(text);
        const bool unread = unread_ && !head.request;  // it may answer what was not read either
        drops_line_ = unread || (!head.request && gate_.may_answer(head.id));
        if (drops_line_) {
            sessions_.refuse({}, "the editor's answer is too long to be read");
            if (!head.id.empty() && !gate_.may_answer(head.id))
                to_agent_ += acp_cancelled(Json::parse(head.id).value_or(Json())) + "\n";
            for (const AcpGate::Closed& each : gate_.refuse(head.id))
                answer(each, "denied");
        }
    }
    in_long_line_ = !text.ends_with('\n');
    if (!drops_line_) to_agent_ += text;
    if (in_long_line_) return;
    to_agent_ += std::exchange(injections_, {});
    drops_line_ = false;
}

void AcpProxy::write_agent() {
    const bool taken =
        write_some(agent_.in.get(), std::string_view(to_agent_).substr(agent_has_), agent_has_);
    if (taken && agent_has_ < to_agent_.size()) return;
    drop_to_agent();
    if (!taken || (!editor_open_ && to_agent_.empty())) agent_.in.reset();
}

void AcpProxy::drop_to_agent() {
    to_agent_.clear();
    agent_has_ = 0;
    injected_ = injections_.size();
}

void AcpProxy::read_agent() {
    std::array<char, kPassedBytes> buffer;
    const ssize_t size = ::read(agent_.out.get(), buffer.data(), buffer.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (size > 0)
        return from_agent_.feed(
            {buffer.data(), static_cast<std::size_t>(size)},
            [this](std::string_view text, bool whole) { agent_text(text, whole); });
    from_agent_.finish([this](std::string_view text, bool) { agent_part(text); });
    agent_.out.reset();
}

void AcpProxy::write_editor() {
    const bool taken =
        write_some(STDOUT_FILENO, std::string_view(to_editor_).substr(written_), written_);
    if (taken && written_ < to_editor_.size()) return;
    to_editor_.clear();
    written_ = 0;
    if (taken) return;
    // The agent finds out as it would without us.
    agent_.out.reset();
    agent_.in.reset();
    drop_to_agent();
    editor_open_ = false;
    if (!editor_gone_at_) editor_gone_at_ = steady_now();
}

void AcpProxy::editor_line(std::string_view line) {
    const std::string text{line};
    const std::optional<Json> message = Json::parse(text);
    if (message && message->is_object()) return editor_message(text, *message);
    const bool batch = message && acp_selects(*message);
    if (!batch) return void(to_agent_ += text + "\n");
    for (const Json& each : *message)
        editor_line(dump(each));
}

void AcpProxy::editor_message(const std::string& line, const Json& message) {
    const bool request = !message.text_of("method").empty();
    if (message.contains("id") && (!request || acp_selects(message)))
        return editor_reply(line, message);
    const AcpObserver::Actions actions = observer_.from_editor(message);
    // The agent learns of a cancel before its permissions end, and of their end before a prompt.
    const bool cancels = !actions.empty() && actions.front().kind == Kind::kCancel;
    if (cancels) to_agent_ += line + "\n";
    act(actions, message);
    if (!cancels) to_agent_ += line + "\n";
}

void AcpProxy::editor_reply(const std::string& line, const Json& message) {
    const AcpGate::Reply reply = gate_.reply(acp_id(message["id"]), line, message);
    const bool chosen = message["result"]["outcome"]["outcome"] == "selected";
    if (reply.refused) take_back(reply.asking, chosen ? "denied" : "cancelled");
    if (reply.refused) report_state(reply.asking.session);
    if (reply.answer == AcpGate::Answer::kAskAgain) sessions_.ask(reply.asking);
    if (reply.answer != AcpGate::Answer::kPass) return;
    act(observer_.answered(message), message);
    // An answer to a request that was not read: what nothing is known of is not allowed.
    const bool blind = !reply.known && acp_selects(message);
    if (blind) sessions_.refuse({}, "its request for permission is unknown");
    to_agent_ += (blind ? acp_cancelled(message["id"]) : line) + "\n";
}

void AcpProxy::act(const AcpObserver::Actions& actions, const Json& message,
                   std::string_view line) {
    for (const AcpAction& action : actions) {
        const bool over = action.kind == Kind::kTurn || action.kind == Kind::kCancel ||
                          action.kind == Kind::kIdle || action.kind == Kind::kLeft;
        if (over) end_permissions(action.session);
        if (action.kind == Kind::kOpen) sessions_.open(observer_.agent(), action);
        if (action.kind == Kind::kTurn) sessions_.begin_turn(action.session);
        if (action.kind == Kind::kEvent) sessions_.report(action);
        if (action.kind == Kind::kIdle) sessions_.end_turn(action.session, action.type);
        if (action.kind == Kind::kLeft) sessions_.leave(action.session);
        if (action.kind == Kind::kAsk) ask(action, message, line);
        if (action.kind == Kind::kSettled && !gate_.waits_for_editor(action.session))
            sessions_.report({Kind::kEvent, action.session, "state.changed", action.data, {}});
    }
}

/// A permission lives no longer than its turn: an agent may wait for it, and a late one would let a
/// call of a cancelled turn run.
void AcpProxy::end_permissions(const std::string& session, bool refused) {
    for (const AcpGate::Closed& closed : gate_.close(session, refused))
        answer(closed, refused ? "denied" : "cancelled");
}

void AcpProxy::answer(const AcpGate::Closed& closed, const char* how) {
    take_back(closed.asking, how);
    inject(closed.line);
    if (closed.asking.deed) act(observer_.not_done(closed.asking.session, closed.asking.type), {});
}

void AcpProxy::take_back(const AcpAction& asking, const char* how) {
    Json end = observer_.taken_back(asking.session, asking.type, how);
    if (sessions_.forget(asking.serial, std::move(end)))
        observer_.told_end(asking.session, asking.type);
}

void AcpProxy::take_decisions() {
    for (const AcpSessions::Decision& decision : sessions_.decisions()) {
        const AcpAction& asked = decision.asked;
        if (decision.reached) observer_.reached(asked.session, asked.type);
        const auto line =
            gate_.decide(asked.request, asked.serial, decision.refused, decision.reached);
        if (decision.refused && line) observer_.refused(asked.session, asked.type);
        if (!decision.refused && line) {
            observer_.allowed(asked.session, asked.type);
            report_state(asked.session);
        }
        if (!line) continue;
        const bool passes = asked.deed && !decision.refused;
        if (!passes) inject(*line);
        if (passes && agent_.in.open()) pass_to_editor(*line);
        if (asked.deed && !passes) act(observer_.not_done(asked.session, asked.type), {});
    }
    for (const std::string& session : sessions_.late())
        report_state(session);
}

/// The session waits for no person any more, however long its call runs; but not before the editor
/// has answered its other questions as well. A question that comes to the daemon late, after the
/// end of its turn for example, would undo an earlier report of the same.
void AcpProxy::report_state(const std::string& session) {
    Json state = observer_.state(session);
    if (state.is_null() || gate_.waits_for_editor(session)) return;
    sessions_.report({Kind::kEvent, session, "state.changed", std::move(state), {}});
}

void AcpProxy::take_stops() {
    for (const std::string& session : sessions_.stops()) {
        if (!observer_.works(session)) continue;
        inject(acp_cancel(session));
        observer_.stopped(session);
        end_permissions(session, true);
    }
    sessions_.end_stopped();
}

void AcpProxy::start_calls() {
    if (!observer_.has_begun()) return begun_at_.reset();
    if (!begun_at_) begun_at_ = steady_now();
    if (steady_now() - *begun_at_ < kQuestionWithin) return;
    act(observer_.start_calls(), {});
    begun_at_ = steady_now();
}

void AcpProxy::inject(const std::string& line) {
    if (!agent_.in.open()) return;
    injected_ += line.size() + 1;
    (in_long_line_ && !drops_line_ ? injections_ : to_agent_) += line + "\n";
}

void AcpProxy::read_signals() {
    signalfd_siginfo info{};
    while (::read(signals_.fd(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        const int signal = static_cast<int>(info.ssi_signo);
        int wait_status = 0;
        if (signal != SIGCHLD) {
            if (!status_ && is_for_us_alone(info)) ::kill(agent_.pid, signal);
        } else if (::waitpid(agent_.pid, &wait_status, WNOHANG) == agent_.pid) {
            status_ = exit_status_of(wait_status);
            exited_at_ = steady_now();
            agent_.in.reset();
            drop_to_agent();
        }
    }
}

void AcpProxy::end_agent() {
    // The rest of an agent whose output stays open, if no more of that line is to be expected.
    if (status_ && quiet_ && steady_now() - exited_at_ >= kOutputAfterExit)
        from_agent_.finish([this](std::string_view text, bool) { agent_part(text); });
    if (status_ || !editor_gone_at_) return;
    const auto gone = steady_now() - *editor_gone_at_;
    if (ending_ == 0 && gone >= kTermAgentAfter) {
        ::kill(agent_.pid, SIGTERM);
        ending_ = 1;
    } else if (ending_ == 1 && gone >= kTermAgentAfter + kKillAgentAfter) {
        ::kill(agent_.pid, SIGKILL);
        ending_ = 2;
    }
}

}  // namespace headway::cli
