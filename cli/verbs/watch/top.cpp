// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <ostream>
#include <utility>

#include "cli/base/clock.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/stop_signals.hpp"
#include "cli/client/client_options.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/top/top_view.hpp"
#include "cli/verbs/one_request.hpp"

// `headway top`: the fleet on one screen, asked for every second. top_view decides about its screen
// and its keys.

namespace headway::cli {
namespace {

struct TopOptions {
    ClientOptions client;
    bool once = false;  ///< one screen, as text
};

constexpr milliseconds kEvery{1'000};
constexpr std::size_t kRowsMax = 200;  // a page of the daemon
constexpr std::size_t kPlainWidth = 120;
constexpr std::size_t kPlainHeight = 60;

/// Keys come one by one and unseen, on a screen that is put back afterwards. A line that is too
/// long for it is cut, since the terminal would scroll the top away.
class Screen {
public:
    explicit Screen(std::ostream& out) : out_(out) {
        ::tcgetattr(STDIN_FILENO, &before_);
        termios raw = before_;
        raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
        raw.c_cc[VMIN] = 0;
        raw.c_cc[VTIME] = 0;
        ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
        out_ << "\x1b[?1049h\x1b[?25l\x1b[?7l" << std::flush;
    }
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;
    ~Screen() {
        out_ << "\x1b[?7h\x1b[?25h\x1b[?1049l" << std::flush;
        ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }

    winsize size() const {
        winsize size{};
        const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
        return known ? size : winsize{24, 80, 0, 0};
    }
    void show(const std::string& text) {
        std::string bytes = "\x1b[H";
        for (const char c : text) {
            if (c == '\n') bytes += "\x1b[K\r";
            bytes += c;
        }
        out_ << bytes << "\x1b[K\x1b[J" << std::flush;
    }
    /// The key that was pressed within `wait`: a character or a whole escape sequence; or "".
    std::string key(milliseconds wait) const {
        pollfd input{STDIN_FILENO, POLLIN, 0};
        if (::poll(&input, 1, static_cast<int>(wait.count())) <= 0) return {};
        char bytes[8];
        const ssize_t count = ::read(STDIN_FILENO, bytes, 1);
        if (count <= 0) return {};
        std::string key(bytes, 1);
        if (key != "\x1b") return key;
        const ssize_t rest = ::read(STDIN_FILENO, bytes, sizeof bytes);
        if (rest > 0) key.append(bytes, static_cast<std::size_t>(rest));
        return key;
    }

private:
    std::ostream& out_;
    termios before_{};
};

class Top {
public:
    Top(const TopOptions& options, const Console& console)
        : console_(console),
          daemon_(options.client.url, options.client.credential),
          json_(options.client.json) {}

    /// Without a terminal: one screen, as text.
    int print_once() {
        if (const HttpReply reply = read_fleet(); !reply.ok())
            return explain_failure(console_, daemon_, reply);
        if (json_) {
            const Json fleet = {{"overview", data_["overview"]},
                                {"sessions", data_["rows"]},
                                {"total", data_["total"]}};
            console_.out << dump(fleet) << "\n";
            return kExitOk;
        }
        const std::size_t width = console_.width > 0 ? console_.width : kPlainWidth;
        std::string text = draw(state_, data_, wall_now(), width, kPlainHeight, false);
        text.erase(text.find_last_not_of("\n ", text.rfind('\n')) + 1);  // without the keys
        console_.out << text << "\n";
        return kExitOk;
    }

    int run() {
        if (const HttpReply reply = read_fleet(); !reply.ok())
            return explain_failure(console_, daemon_, reply);
        const StopSignals signals;
        Screen screen(console_.out);
        SteadyTime next = steady_now() + kEvery;
        while (!state_.quit && !signals.came(milliseconds{0})) {
            const winsize size = screen.size();
            state_.whole = shows_request_whole(state_, data_, wall_now(), size.ws_col, size.ws_row);
            screen.show(draw(state_, data_, wall_now(), size.ws_col, size.ws_row, console_.color));
            const auto left = std::chrono::duration_cast<milliseconds>(next - steady_now());
            const std::string key = screen.key(std::max(left, milliseconds{0}));
            if (!key.empty()) press(state_, data_, key);
            if (!state_.sought.session.empty()) seek();
            if (!state_.asked.approval.empty()) read_asked();
            if (!state_.decided.approval.empty()) decide();
            if (!state_.ended.session.empty()) end();
            if (!state_.stale && steady_now() < next) continue;
            state_.stale = false;
            read_all();
            next = steady_now() + kEvery;
        }
        return kExitOk;
    }

private:
    HttpReply read_fleet() {
        HttpReply reply = daemon_.get("/v1/overview");
        if (!reply.ok()) return reply;
        data_["overview"] = body_json(reply).value_or(Json::object());
        std::string path = "/v1/sessions?view=row&open=true&limit=" + std::to_string(kRowsMax);
        if (!state_.filter.empty()) path += "&q=" + url_encode(state_.filter);
        reply = daemon_.get(path);
        const Json body = body_json(reply).value_or(Json());
        if (!reply.ok() || !body["sessions"].is_array()) return reply;
        data_["rows"] = body["sessions"];
        data_["total"] = body["total"];
        return reply;
    }

    void read_session() {
        const HttpReply reply = daemon_.get(session_path(state_.selected));
        data_["session"] = reply.ok() ? body_json(reply).value_or(Json()) : Json();
        if (!data_["session"].is_object()) return;
        const std::uint64_t n = data_["session"].count_of("n");
        const std::string after = std::to_string(n > kEventsShown ? n - kEventsShown : 0);
        const HttpReply page = daemon_.get(session_path(state_.selected, "/events?after=" + after));
        const Json events = body_json(page).value_or(Json());
        data_["events"] = events["events"];
    }

    void read_all() {
        const HttpReply reply = read_fleet();
        data_["trouble"] = reply.ok() ? "" : failure_line(reply);
        if (state_.open && reply.ok()) read_session();
    }

    std::string failure_line(const HttpReply& reply) const {
        if (!reply.answered()) return "no daemon answers (" + reply.error + "); trying on";
        const FailureText failure = describe_failure(daemon_, reply);
        return failure.next.empty() ? failure.what : failure.what + "; " + failure.next;
    }

    /// The oldest request of a session: the overview has only the first needs of all sessions.
    void seek() {
        TopDecision sought = std::exchange(state_.sought, {});
        const HttpReply reply =
            daemon_.get("/v1/approvals?limit=1&session=" + url_encode(sought.session));
        const Json body = body_json(reply).value_or(Json());
        if (!reply.ok()) {
            state_.news = "cannot read its request: " + failure_line(reply);
        } else if (body["approvals"].size() == 0) {
            state_.news = sought.session + " waits for no approval";
        } else {
            sought.approval = body["approvals"][0].text_of("id");
            state_.asked = std::move(sought);
            state_.typed.clear();
        }
    }

    /// Reads the request that is about to be decided, once: a decision is made on all of it.
    void read_asked() {
        if (data_["approval"].is_object() && data_["approval"]["id"] == state_.asked.approval)
            return;
        const HttpReply reply = daemon_.get("/v1/approvals/" + url_encode(state_.asked.approval));
        data_["approval"] = reply.ok() ? body_json(reply).value_or(Json()) : Json();
        if (data_["approval"].is_object() && data_["approval"].contains("id")) return;
        state_.news = "cannot read " + state_.asked.approval + ": " + failure_line(reply);
        state_.asked = {};
    }

    void end() {
        const TopEnd ended = std::exchange(state_.ended, {});
        const Json body = {{"outcome", ended.outcome},
                           {"reason", "ended from headway top: its agent was silent"}};
        const HttpReply reply = daemon_.post(session_path(ended.session, "/end"), body);
        state_.news = reply.ok() ? ended.session + " has ended as " + ended.outcome
                                 : "not ended: " + failure_line(reply);
        state_.stale = true;
    }

    void decide() {
        const TopDecision decided = std::exchange(state_.decided, {});
        const bool answers = !decided.answer.empty();
        const char* const approves = answers ? "respond" : "approve";
        Json body = {{"decision", decided.approve ? approves : "reject"}, {"channel", "top"}};
        if (answers) body["response"] = decided.answer;
        add_by(body, console_);
        const HttpReply reply =
            daemon_.post("/v1/approvals/" + url_encode(decided.approval) + "/decision", body);
        const char* const done = answers ? "answered " : "approved ";
        state_.news = reply.ok() ? (decided.approve ? done : "denied ") + decided.approval
                                 : "not decided: " + failure_line(reply);
        data_.erase("approval");
        state_.stale = true;
    }

    static constexpr std::uint64_t kEventsShown = 30;

    const Console& console_;
    Daemon daemon_;
    bool json_;
    TopState state_;
    Json data_ = {{"rows", Json::array()}};  ///< as top_view wants it
};

class TopVerb : public Verb {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Show the whole fleet on one screen, live");
        arguments.footer(
            R"(The keys are the same as on the dashboard; press `?` to list them. Without a terminal, or with --once,
`headway top` prints one screen and exits.

Examples:
  headway top
  headway top --once
  headway top --once --json | jq .overview.counts)");
        arguments.client(options_.client);
        arguments.flag("--once", options_.once, "print one screen and exit");
    }

    int run(const Console& console, const Server&) override {
        Top top(options_, console);
        const bool interactive = console.out_terminal && console.in_terminal;
        return options_.once || options_.client.json || !interactive ? top.print_once() : top.run();
    }

private:
    TopOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_top() {
    return std::make_unique<TopVerb>();
}

}  // namespace headway::cli
