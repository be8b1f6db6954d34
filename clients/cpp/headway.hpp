// SPDX-License-Identifier: Apache-2.0
#pragma once

// The client of Headway for agents in C++: one header, C++17, POSIX sockets, no dependency.
// README.md has the whole of it in twenty lines.
//
//     headway::Session s{"fix the failing test"};
//     auto call = s.tool("bash", R"({"command":"make test"})");
//     if (call.allowed()) call.done(run_it()); else tell_the_model(call.reason());
//
// It never throws, and never makes the agent fail: a daemon that is away, slow or wrong is as if
// there were none, and costs one attempt to connect every two seconds. What a daemon decided is
// obeyed: a call that is denied says so, and a call that waits for a person waits as long as the
// daemon gives signs of life (docs: POST /v1/hooks/generic).
//
// Calls may be reported from several threads. Each exchange uses a connection of its own while it
// lasts.

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace headway {

/// How a session is set up. What is empty comes from the environment, then from the default.
struct Options {
    std::string url;      ///< HEADWAY_URL, http://127.0.0.1:7717; no https://, but unix:/PATH
    std::string token;    ///< HEADWAY_TOKEN; sent, and never shown
    std::string session;  ///< HEADWAY_SESSION, cpp-<random>
    std::string agent = "cpp";
    std::string model;
};

namespace detail {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// As in the other clients: docs/clients.md.
constexpr milliseconds kConnect{250};
constexpr milliseconds kSilence{15'000};    // a held call is given a sign every 5 s
constexpr milliseconds kRefusedFor{2'000};  // that an absent daemon is not asked again
constexpr milliseconds kHungFor{30'000};    // the same of one that does not answer
constexpr milliseconds kAgainFor{60'000};   // that a held call waits for a daemon that went away
constexpr milliseconds kAgainEvery{500};
constexpr std::size_t kReplyMax = 4U << 20;
constexpr std::size_t kReadMax = 1U << 14;  // at once
constexpr std::size_t kTextMax = 2'000;     // of a text of the daemon
constexpr std::size_t kBodyMax = 1U << 20;  // of each text that is sent
constexpr std::size_t kIdleMax = 8;         // connections that are kept
constexpr int kDepthMax = 64;
constexpr const char* kNameChars =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
constexpr const char* kNoAddress =
    "HEADWAY_URL is no URL of a daemon; write http://HOST:PORT, https://HOST:PORT or unix:/PATH. "
    "Nothing is supervised.";

inline std::string environment(const char* name, std::string otherwise = {}) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : otherwise;
}

inline std::string random_id() {
    std::random_device random;
    char text[33];
    std::snprintf(text, sizeof text, "%08x%08x", static_cast<unsigned>(random()),
                  static_cast<unsigned>(random()));
    return text;
}

/// How many bytes the UTF-8 sequence at `at` has; 0 if it is none.
inline std::size_t sequence(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || at + size > text.size()) return 0;
    for (std::size_t i = at + 1; i < at + size; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) return 0;
    }
    const unsigned char second = byte(at + 1);
    const bool bad = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90) ||
                     (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return bad ? 0 : size;
}

/// A JSON string of `text`; a long one without its middle, since its end says most.
inline std::string quoted(std::string_view text) {
    std::string cut;
    if (text.size() > kBodyMax) {
        cut.append(text.substr(0, kBodyMax / 2)).append("\n...\n");
        text = cut.append(text.substr(text.size() - kBodyMax / 2));
    }
    std::string out = "\"";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = sequence(text, at);
        const char c = text[at];
        if (size == 0) {
            out += "\xEF\xBF\xBD";
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
            if (c != '\0') out += code;
        } else {
            out.append(text.substr(at, size));
        }
        at += std::max<std::size_t>(size, 1);
    }
    return out + "\"";
}

/// JSON as it is sent. Of more than kBodyMax a text without its middle, which is still too long for
/// an approval: a call of which a person could not see all is refused then, while a report that the
/// daemon does not take would let it run.
inline std::string sent(const std::string& json) {
    return json.size() > kBodyMax ? quoted(json) : json;
}

/// Reads JSON from its beginning to its end, once. What it has read is only looked at.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    /// True if the whole text is one JSON value.
    bool whole() {
        const bool read = value(0);
        space();
        return read && at_ == text_.size();
    }
    /// The members of the object that the text is, as they stand; empty for anything else.
    std::map<std::string, std::string_view> members() {
        std::map<std::string, std::string_view> found;
        space();
        if (!take('{')) return found;
        space();
        if (take('}')) return found;
        do {
            space();
            const std::size_t name_at = at_;
            if (!string()) return {};
            std::string name = unquoted(text_.substr(name_at, at_ - name_at));
            space();
            if (!take(':')) return {};
            space();
            const std::size_t from = at_;
            if (!value(0)) return {};
            found[std::move(name)] = text_.substr(from, at_ - from);
            space();
        } while (take(','));
        if (!take('}')) return {};
        return found;
    }
    /// The text of a JSON string.
    static std::string unquoted(std::string_view raw) {
        std::string out;
        if (raw.size() < 2 || raw.front() != '"') return out;
        raw = raw.substr(1, raw.size() - 2);
        for (std::size_t i = 0; i < raw.size(); ++i) {
            if (raw[i] != '\\' || i + 1 == raw.size()) {
                out += raw[i];
                continue;
            }
            const char c = raw[++i];
            if (c == 'u') {
                std::uint32_t point = hex(raw, i + 1);
                i += 4;
                const bool high = point >= 0xD800 && point < 0xDC00;
                if (high && i + 6 < raw.size() + 1 && raw.substr(i + 1, 2) == "\\u") {
                    const std::uint32_t low = hex(raw, i + 3);
                    if (low >= 0xDC00 && low < 0xE000) {
                        point = 0x10000 + ((point - 0xD800) << 10U) + (low - 0xDC00);
                        i += 6;
                    }
                }
                append_point(out, point);
            } else {
                constexpr std::string_view kFrom = "bfnrt";
                constexpr std::string_view kTo = "\b\f\n\r\t";
                const std::size_t known = kFrom.find(c);
                out += known == kFrom.npos ? c : kTo[known];
            }
        }
        return out;
    }

private:
    static std::uint32_t hex(std::string_view text, std::size_t at) {
        if (at + 4 > text.size()) return 0xFFFD;
        return static_cast<std::uint32_t>(
            std::strtoul(std::string{text.substr(at, 4)}.c_str(), nullptr, 16));
    }
    static void append_point(std::string& out, std::uint32_t point) {
        const auto add = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
        if (point >= 0xD800 && point < 0xE000) point = 0xFFFD;
        if (point < 0x80) return add(point);
        if (point < 0x800) {
            add(0xC0 | (point >> 6U));
        } else {
            if (point < 0x10000) {
                add(0xE0 | (point >> 12U));
            } else {
                add(0xF0 | (point >> 18U));
                add(0x80 | ((point >> 12U) & 0x3F));
            }
            add(0x80 | ((point >> 6U) & 0x3F));
        }
        add(0x80 | (point & 0x3F));
    }

    void space() {
        while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) != nullptr &&
               text_[at_] != 0)
            ++at_;
    }
    bool take(char c) {
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool string() {
        if (!take('"')) return false;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"') return take('"');
            if (static_cast<unsigned char>(c) < 0x20) return false;
            const std::size_t size = c == '\\' ? escape() : sequence(text_, at_);
            if (size == 0) return false;
            at_ += size;
        }
        return false;
    }
    std::size_t escape() const {
        if (at_ + 1 >= text_.size()) return 0;
        const char c = text_[at_ + 1];
        if (c != 'u') return std::strchr("\"\\/bfnrt", c) != nullptr && c != 0 ? 2 : 0;
        if (at_ + 6 > text_.size()) return 0;
        for (std::size_t i = at_ + 2; i < at_ + 6; ++i) {
            if (std::isxdigit(static_cast<unsigned char>(text_[i])) == 0) return 0;
        }
        return 6;
    }
    bool number() {
        const std::size_t from = at_;
        const auto digits = [this] {
            const std::size_t begin = at_;
            while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9')
                ++at_;
            return at_ - begin;
        };
        take('-');
        const bool zero = at_ < text_.size() && text_[at_] == '0';
        const std::size_t whole = digits();
        if (whole == 0 || (zero && whole > 1)) return false;
        if (take('.') && digits() == 0) return false;
        if (take('e') || take('E')) {
            if (!take('+')) take('-');
            if (digits() == 0) return false;
        }
        return at_ > from;
    }
    bool word(std::string_view expected) {
        if (text_.substr(at_, expected.size()) != expected) return false;
        at_ += expected.size();
        return true;
    }
    bool value(int depth) {
        if (depth > kDepthMax) return false;
        space();
        if (at_ == text_.size()) return false;
        switch (text_[at_]) {
            case '{':
                return list('}', depth, true);
            case '[':
                return list(']', depth, false);
            case '"':
                return string();
            case 't':
                return word("true");
            case 'f':
                return word("false");
            case 'n':
                return word("null");
            default:
                return number();
        }
    }
    bool list(char end, int depth, bool named) {
        ++at_;
        space();
        if (take(end)) return true;
        do {
            space();
            if (named) {
                if (!string()) return false;
                space();
                if (!take(':')) return false;
            }
            if (!value(depth + 1)) return false;
            space();
        } while (take(','));
        return take(end);
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

/// At most kTextMax bytes, with "..." where it was cut.
inline std::string bounded(std::string text) {
    if (text.size() <= kTextMax) return text;
    std::size_t end = kTextMax - 3;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
        --end;
    return text.substr(0, end) + "...";
}

/// What a daemon answers that can be obeyed.
struct Answer {
    bool heard = false;  ///< false: no daemon answered
    bool held = false;  ///< nor is it heard, but the daemon was holding the call: a person is asked
    bool lost = false;  ///< nor is it heard, but the daemon may have heard
    std::string deny;
    std::string edit;  ///< JSON
    std::string context;
    std::string stop;
};

inline Answer answer_of(std::string_view body) {
    Answer answer;
    answer.heard = true;
    const auto members = Scanner{body}.members();
    const auto text = [&members](const char* name) {
        const auto found = members.find(name);
        return found == members.end() ? std::string{} : bounded(Scanner::unquoted(found->second));
    };
    answer.deny = text("deny");
    answer.stop = text("stop");
    answer.context = text("context");
    const std::string system = text("system");
    if (!system.empty()) answer.context += (answer.context.empty() ? "" : "\n") + system;
    const auto edit = members.find("edit");
    if (edit != members.end() && edit->second.front() == '{') answer.edit = edit->second;
    return answer;
}

/// A descriptor with one owner.
class Socket {
public:
    Socket() = default;
    explicit Socket(int descriptor) : descriptor_(descriptor) {}
    Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Socket& operator=(Socket&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    int get() const { return descriptor_; }
    explicit operator bool() const { return descriptor_ >= 0; }

    /// True when it can be read or written, or has failed.
    bool ready(short what, milliseconds patience) const {
        const auto until = Clock::now() + patience;
        for (;;) {
            const auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
            pollfd waits{descriptor_, what, 0};
            const int count = ::poll(&waits, 1, static_cast<int>(std::max<long long>(left, 0)));
            if (count >= 0) return count > 0;
            if (errno != EINTR) return false;
        }
    }

private:
    int descriptor_ = -1;
};

/// How a try to reach the daemon ended.
enum class Reach { kThere, kRefused, kHung };

/// The daemon: where it is, whether it is there, and connections to it that wait for use.
class Daemon {
public:
    Daemon(const std::string& url, std::string token, std::string session)
        : token_(std::move(token)), session_(std::move(session)) {
        read(url);
        read_identity();
    }

    /// One exchange; an answer that was not heard for whatever goes wrong.
    ///
    /// What breaks off is sent once more, with its id. What the daemon was holding is asked
    /// again for kAgainFor, as a restart is no answer to what a person is asked and the approval
    /// outlives the daemon; then it is denied.
    Answer post(const std::string& body, bool may_hold) noexcept {
        try {
            Answer answer = exchange(body);
            const bool held = may_hold && answer.held;
            if (answer.lost && !held) answer = exchange(body);
            if (!may_hold || !answer.held) return answer;
            const auto until = Clock::now() + again_for();
            while (!answer.heard && Clock::now() < until) {
                std::this_thread::sleep_for(kAgainEvery);
                answer = exchange(body, true);
            }
            if (!answer.heard) {
                answer.deny =
                    "Headway went away while this call waited for a decision. Do something else, "
                    "and try it again later.";
            }
            return answer;
        } catch (...) {
            return {};
        }
    }
    static milliseconds again_for() {
        const std::string given = environment("HEADWAY_AGAIN_MS");  // tests do not wait a minute
        return given.empty() ? kAgainFor : milliseconds{std::atoi(given.c_str())};
    }

private:
    /// As every client does: tests/support/daemon_urls.txt.
    void read(std::string url) {
        const std::size_t colon = url.find(':');
        const std::string scheme = lower(url.substr(0, colon));
        if (scheme == "unix" && colon != url.npos) return read_socket(url.substr(colon + 1));
        const bool named = (scheme == "http" || scheme == "https") && url.substr(colon, 3) == "://";
        if (named) url.erase(0, colon + 3);
        while (!url.empty() && url.back() == '/')
            url.pop_back();
        const std::size_t slash = std::min(url.find('/'), url.size());
        const bool right = read_host(url.substr(0, slash)) && read_prefix(url.substr(slash));
        const bool secret = named && scheme == "https";
        if (right && !secret) return;
        host_.clear();
        complain(right ? "HEADWAY_URL: this client speaks no https; name a daemon or a proxy of "
                         "this machine with http://HOST:PORT or unix:/PATH. Nothing is supervised."
                       : kNoAddress);
    }
    void read_socket(std::string path) {
        if (path.rfind("//", 0) == 0) path.erase(0, 2);
        const bool right = path.rfind('/', 0) == 0 && path.rfind("//", 0) != 0 &&
                           std::all_of(path.begin(), path.end(), [](unsigned char c) {
                               return c >= ' ' && c != '"' && c != '\\' && c != 0x7F;
                           });
        if (!right) return complain(kNoAddress);
        path_ = std::move(path);
        host_header_ = "localhost";
    }
    bool read_host(const std::string& text) {
        host_header_ = text;
        const bool six = text.rfind('[', 0) == 0;
        const std::size_t end = six ? text.find(']') : std::min(text.find(':'), text.size());
        if (end == text.npos) return false;
        host_ = six ? text.substr(1, end - 1) : text.substr(0, end);
        const std::string rest = text.substr(six ? end + 1 : end);
        if (six && host_.find(':') == host_.npos) return false;
        if (host_.empty() || !only(host_, six ? "0123456789abcdefABCDEF:." : kNameChars))
            return false;
        port_ = "80";
        if (rest.empty()) return true;
        port_ = rest.substr(1);
        const bool number =
            rest[0] == ':' && !port_.empty() && port_.size() < 6 && only(port_, "0123456789");
        return number && std::atoi(port_.c_str()) > 0 && std::atoi(port_.c_str()) < 65'536;
    }
    bool read_prefix(std::string path) {
        prefix_ = std::move(path);
        return prefix_.find("//") == prefix_.npos &&
               only(prefix_, std::string{kNameChars} + "~!$&'()*+,;=:@%/");
    }
    static bool only(const std::string& text, const std::string& allowed) {
        return text.find_first_not_of(allowed) == text.npos;
    }
    /// Once in a process: an agent that is not supervised should not be so unseen. It names no URL,
    /// which may have a password.
    static void complain(const char* text) {
        static std::atomic<bool> said{false};
        if (!said.exchange(true)) std::fprintf(stderr, "headway: %s\n", text);
    }
    /// Fit for a header.
    static bool plain(std::string_view text) {
        return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
    }

    /// Who this process is, so that the daemon sees it end.
    void read_identity() {
        const std::string stat = file("/proc/self/stat");
        const std::size_t name = stat.rfind(')');
        if (name == stat.npos) return;
        std::size_t at = name + 1;
        for (int field = 0; field < 19 && at != stat.npos; ++field)
            at = stat.find(' ', at + 1);
        const std::size_t begin = at == stat.npos ? stat.size() : at + 1;
        const std::string start = stat.substr(begin, stat.find(' ', begin) - begin);
        std::string boot = file("/proc/sys/kernel/random/boot_id");
        boot.resize(std::min(boot.find('\n'), boot.size()));
        struct stat space {};
        if (start.empty() || boot.empty() || ::stat("/proc/self/ns/pid", &space) != 0) return;
        identity_ = "X-Headway-Agent-Pid: " + std::to_string(::getpid()) +
                    "\r\nX-Headway-Agent-Start: " + start + "\r\nX-Headway-Agent-Boot: " + boot +
                    "\r\nX-Headway-Agent-Pid-Ns: " + std::to_string(space.st_ino) + "\r\n";
    }
    static std::string file(const char* name) {
        std::string text(4096, '\0');
        const Socket opened{::open(name, O_RDONLY | O_CLOEXEC)};
        const ssize_t size = opened ? ::read(opened.get(), text.data(), text.size()) : 0;
        text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        return text;
    }

    bool configured() const { return !path_.empty() || !host_.empty(); }

    /// One call at a time tries whether an absent daemon is back; the others do not wait.
    bool may_try() {
        const auto now = Clock::now().time_since_epoch().count();
        auto until = away_until_.load();
        if (until == 0) return true;
        if (now < until) return false;
        const auto next = now + Clock::duration{kRefusedFor}.count();
        return away_until_.compare_exchange_strong(until, next);
    }
    void reached(Reach how) {
        if (how == Reach::kThere) return away_until_.store(0);
        const milliseconds pause = how == Reach::kHung ? kHungFor : kRefusedFor;
        away_until_.store((Clock::now() + pause).time_since_epoch().count());
    }

    /// `urgent`: also a daemon that went away just now.
    Answer exchange(const std::string& body, bool urgent = false) {
        if (!configured() || (!urgent && !may_try())) return {};
        Socket socket = idle();
        if (!socket) {
            Reach how = Reach::kRefused;
            socket = connected(how);
            reached(how);
            if (!socket) return {};
        }
        std::string head =
            "POST " + prefix_ + "/v1/hooks/generic HTTP/1.1\r\nHost: " + host_header_ +
            "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
            "\r\n";
        if (plain(session_)) head += "X-Headway-Session: " + session_ + "\r\n";
        if (!token_.empty() && plain(token_)) head += "Authorization: Bearer " + token_ + "\r\n";
        head += identity_ + "\r\n";
        const Clock::rep before = away_until_.load();
        Answer said;
        if (send(socket, head) && send(socket, body)) said = answer(std::move(socket));
        // Neither heard nor given up as silent: it broke off.
        said.lost = said.lost && away_until_.load() == before;
        return said;
    }

    /// A connection that is still open. A forked child leaves those of its parent alone.
    Socket idle() {
        const std::lock_guard<std::mutex> guard{mutex_};
        if (owner_ != ::getpid()) {
            idle_.clear();
            owner_ = ::getpid();
        }
        while (!idle_.empty()) {
            Socket socket = std::move(idle_.back());
            idle_.pop_back();
            if (!socket.ready(POLLIN, milliseconds{0})) return socket;  // readable is: was closed
        }
        return {};
    }
    void keep(Socket socket) {
        const std::lock_guard<std::mutex> guard{mutex_};
        if (owner_ == ::getpid() && idle_.size() < kIdleMax) idle_.push_back(std::move(socket));
    }

    Socket connected(Reach& how) const {
        if (!path_.empty()) {
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            if (path_.size() >= sizeof address.sun_path) return {};
            std::memcpy(address.sun_path, path_.data(), path_.size());
            return connected(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address,
                             how);
        }
        addrinfo hints{};
        hints.ai_socktype = SOCK_STREAM;
        addrinfo* found = nullptr;
        if (::getaddrinfo(host_.c_str(), port_.c_str(), &hints, &found) != 0) return {};
        Socket socket;
        for (const addrinfo* one = found; one != nullptr && !socket; one = one->ai_next)
            socket = connected(one->ai_family, one->ai_addr, one->ai_addrlen, how);
        ::freeaddrinfo(found);
        return socket;
    }
    static Socket connected(int family, const sockaddr* address, socklen_t size, Reach& how) {
        Socket socket{::socket(family, SOCK_STREAM, 0)};
        if (!socket) return {};
        ::fcntl(socket.get(), F_SETFD, FD_CLOEXEC);
        ::fcntl(socket.get(), F_SETFL, O_NONBLOCK);
        const int on = 1;
        if (family != AF_UNIX) ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
#ifdef SO_NOSIGPIPE
        ::setsockopt(socket.get(), SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
        if (::connect(socket.get(), address, size) != 0) {
            if (errno != EINPROGRESS) return {};
            if (!socket.ready(POLLOUT, kConnect)) {
                how = Reach::kHung;
                return {};
            }
            int error = 0;
            socklen_t length = sizeof error;
            ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
            if (error != 0) return {};
        }
        how = Reach::kThere;
        return socket;
    }

    bool send(const Socket& socket, std::string_view text) {
#ifdef MSG_NOSIGNAL
        constexpr int kFlags = MSG_NOSIGNAL;
#else
        constexpr int kFlags = 0;
#endif
        while (!text.empty()) {
            const ssize_t sent = ::send(socket.get(), text.data(), text.size(), kFlags);
            if (sent > 0) {
                text.remove_prefix(static_cast<std::size_t>(sent));
            } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
                if (socket.ready(POLLOUT, kSilence)) continue;
                reached(Reach::kHung);
                return false;
            } else if (errno != EINTR) {
                reached(Reach::kRefused);
                return false;
            }
        }
        return true;
    }

    /// Appends what comes; false at the end, after an error, and after kSilence without a byte.
    bool receive(const Socket& socket, std::string& text) {
        for (;;) {
            char part[kReadMax];
            const ssize_t size = ::recv(socket.get(), part, sizeof part, 0);
            if (size > 0) {
                text.append(part, static_cast<std::size_t>(size));
                return text.size() <= kReplyMax;
            }
            if (size == 0) return false;
            if (errno == EINTR) continue;
            if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
            if (!socket.ready(POLLIN, kSilence)) {
                reached(Reach::kHung);
                return false;
            }
        }
    }

    Answer answer(Socket socket) {
        Answer broken;
        broken.lost = true;
        std::string text;
        std::size_t head = text.npos;
        while (head == text.npos) {
            if (!receive(socket, text)) return broken;
            head = text.find("\r\n\r\n");
        }
        const std::string lines = lower(text.substr(0, head + 2));
        text.erase(0, head + 4);
        const bool fine = lines.rfind("http/1.1 200", 0) == 0;
        const bool chunked = lines.find("\r\ntransfer-encoding: chunked") != lines.npos;
        const std::size_t length_at = lines.find("\r\ncontent-length: ");
        std::string body;
        if (chunked) {
            broken.held = fine;  // until it says more than blanks
            if (!read_chunks(socket, text, body, broken.held)) return broken;
        } else {
            if (length_at == lines.npos) return {};
            const std::size_t length = std::strtoul(lines.c_str() + length_at + 18, nullptr, 10);
            if (length > kReplyMax) return {};
            while (text.size() < length) {
                if (!receive(socket, text)) return broken;
            }
            body = text.substr(0, length);
        }
        const bool closes = lines.find("\r\nconnection: close") != lines.npos;
        if (!closes) keep(std::move(socket));
        return fine ? answer_of(body) : Answer{};
    }

    bool read_chunks(const Socket& socket, std::string& text, std::string& body, bool& blank) {
        for (std::size_t at = 0;;) {
            std::size_t end = text.find("\r\n", at);
            while (end == text.npos) {
                if (!receive(socket, text)) return false;
                end = text.find("\r\n", at);
            }
            char* behind = nullptr;
            const std::size_t size = std::strtoul(text.c_str() + at, &behind, 16);
            const bool number = behind != text.c_str() + at;
            if (!number || size > kReplyMax || body.size() + size > kReplyMax) return blank = false;
            at = end + 2;
            while (text.size() < at + size + 2) {
                if (!receive(socket, text)) return false;
            }
            if (size == 0) return true;
            blank = blank && text.find_first_not_of(' ', at) >= at + size;
            body.append(text, at, size);
            at += size + 2;
            if (at < kReadMax) continue;
            text.erase(0, at);  // a hold of hours is many small chunks
            at = 0;
        }
    }

    static std::string lower(std::string text) {
        for (char& c : text)
            c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        return text;
    }

    std::string token_;
    std::string session_;
    std::string path_;  ///< of a Unix socket
    std::string host_;
    std::string port_;
    std::string host_header_;
    std::string prefix_;
    std::string identity_;
    std::atomic<Clock::rep> away_until_{0};
    std::mutex mutex_;
    std::vector<Socket> idle_;
    pid_t owner_ = ::getpid();
};

}  // namespace detail

class Session;

/// One call of a tool, from Session::tool(). Without done() or fail() it counts as cancelled when
/// it is destroyed, and as failed if an exception destroys it. Must not outlive its session.
class Call {
public:
    Call(Call&& other) noexcept
        : session_(std::exchange(other.session_, nullptr)),
          tool_(std::move(other.tool_)),
          id_(std::move(other.id_)),
          args_(std::move(other.args_)),
          deny_(std::move(other.deny_)),
          began_(other.began_),
          exceptions_(other.exceptions_) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    Call& operator=(Call&&) = delete;
    ~Call();

    /// False: the call must not run, since a person or a rule has decided so. reason() is for the
    /// model, as the result of the call.
    bool allowed() const { return deny_.empty(); }
    const std::string& reason() const { return deny_; }
    /// The arguments to run with, as JSON: a person may have changed them.
    const std::string& args() const { return args_; }

    /// It has run; `result` is what the model reads.
    void done(std::string_view result = {});
    /// It has failed.
    void fail(std::string_view error);

private:
    friend class Session;
    Call(Session& session, std::string tool, std::string id, std::string args, std::string deny)
        : session_(&session),
          tool_(std::move(tool)),
          id_(std::move(id)),
          args_(std::move(args)),
          deny_(std::move(deny)) {}
    void close(const std::string& how);

    Session* session_;
    std::string tool_;
    std::string id_;
    std::string args_;
    std::string deny_;
    detail::Clock::time_point began_ = detail::Clock::now();
    int exceptions_ = std::uncaught_exceptions();
};

/// An agent at work. Opened by its first report; ended as completed when it is destroyed, as failed
/// if an exception destroys it, unless end() said otherwise.
class Session {
public:
    explicit Session(std::string_view goal = {}, Options options = {})
        : id_(first({options.session, detail::environment("HEADWAY_SESSION"),
                     options.agent + "-" + detail::random_id()})),
          agent_(options.agent),
          model_(options.model),
          daemon_(first({options.url, detail::environment("HEADWAY_URL", "http://127.0.0.1:7717")}),
                  first({options.token, detail::environment("HEADWAY_TOKEN")}), id_) {
        post("start", {});
        if (!goal.empty()) post("prompt", ",\"text\":" + detail::quoted(goal));
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() {
        const bool thrown = std::uncaught_exceptions() > exceptions_;
        if (!ended_) end(thrown ? "failed" : "completed", thrown ? "an exception was thrown" : "");
    }

    const std::string& id() const { return id_; }

    /// A call is about to run. `args` is JSON, anything else is taken as text. Returns at once, or
    /// when a person has decided, or the session goes on after a pause.
    Call tool(std::string name, std::string args = "{}") {
        std::string call = "c" + std::to_string(++calls_) + "-" + detail::random_id();
        if (!detail::Scanner{args}.whole()) args = detail::quoted(args);
        const std::string about = ",\"tool\":" + detail::quoted(name) + ",\"call\":\"" + call +
                                  "\",\"args\":" + detail::sent(args);
        detail::Answer said = post("pre", about);
        if (!said.heard && !said.deny.empty()) owe(about, said.deny);
        if (said.deny.empty()) said.deny = said.stop;
        if (said.deny.empty() && !said.edit.empty()) args = said.edit;
        return Call{*this, std::move(name), std::move(call), std::move(args), std::move(said.deny)};
    }

    /// The model has said something.
    void said(std::string_view text) { post("said", ",\"text\":" + detail::quoted(text)); }
    /// The model is asked again: a sign of life between calls.
    void turn() { post("turn", {}); }
    /// What the model used since the last report of it.
    void usage(std::uint64_t input_tokens, std::uint64_t output_tokens, double cost_usd = 0) {
        std::string text = ",\"usage\":{\"input_tokens\":" + std::to_string(input_tokens) +
                           ",\"output_tokens\":" + std::to_string(output_tokens);
        if (std::isfinite(cost_usd) && cost_usd > 0) {
            const auto micros = static_cast<std::uint64_t>(std::min(cost_usd * 1e6, 1e15));
            char cost[64];
            std::snprintf(cost, sizeof cost, ",\"cost\":%llu.%06llu",
                          static_cast<unsigned long long>(micros / 1'000'000),
                          static_cast<unsigned long long>(micros % 1'000'000));
            text += cost;
        }
        post("usage", text + "}");
    }

    /// What the model should read with its next request, each once; mostly empty.
    std::string advice() {
        const std::lock_guard<std::mutex> guard{mutex_};
        return std::exchange(advice_, {});
    }
    /// True when the agent should end; stop_reason() says why.
    bool stopped() const {
        const std::lock_guard<std::mutex> guard{mutex_};
        return !stop_.empty();
    }
    std::string stop_reason() const {
        const std::lock_guard<std::mutex> guard{mutex_};
        return stop_;
    }

    /// `outcome`: completed, failed or cancelled. Reports after it open the next generation.
    void end(std::string_view outcome, std::string_view reason = {}) {
        ended_ = true;
        post("end",
             ",\"outcome\":" + detail::quoted(outcome) + ",\"reason\":" + detail::quoted(reason));
    }

private:
    friend class Call;

    static std::string first(std::vector<std::string> values) {
        for (std::string& value : values) {
            if (!value.empty()) return std::move(value);
        }
        return {};
    }

    /// The daemon does not know yet that this call did not run: else it would be at work for good,
    /// and people be asked about it.
    void owe(const std::string& about, const std::string& why) {
        constexpr std::size_t kOwedMax = 64;
        const std::lock_guard<std::mutex> guard{mutex_};
        if (owed_.size() == kOwedMax) owed_.erase(owed_.begin());
        owed_.push_back(about +
                        ",\"ok\":false,\"class\":\"denied\",\"error\":" + detail::quoted(why));
    }
    void pay() noexcept {
        try {
            for (;;) {
                std::string oldest;
                {
                    const std::lock_guard<std::mutex> guard{mutex_};
                    if (owed_.empty()) return;
                    oldest = std::move(owed_.front());
                    owed_.erase(owed_.begin());
                }
                if (say("post", oldest).heard) continue;
                const std::lock_guard<std::mutex> guard{mutex_};
                owed_.insert(owed_.begin(), std::move(oldest));
                return;
            }
        } catch (...) {
        }
    }
    detail::Answer post(const char* event, const std::string& more) noexcept {
        pay();
        return say(event, more);
    }
    detail::Answer say(const char* event, const std::string& more) noexcept {
        try {
            std::string body = std::string{"{\"event\":\""} + event + "\",\"event_id\":\"" +
                               detail::random_id() + detail::random_id() +
                               "\",\"agent\":" + detail::quoted(agent_) +
                               ",\"session\":" + detail::quoted(id_);
            if (!model_.empty()) body += ",\"model\":" + detail::quoted(model_);
            const bool may_hold = std::strcmp(event, "pre") == 0;
            detail::Answer answer = daemon_.post(body + more + "}", may_hold);
            note(answer);
            return answer;
        } catch (...) {
            return {};
        }
    }
    void note(const detail::Answer& answer) {
        if (answer.context.empty() && answer.stop.empty()) return;
        const std::lock_guard<std::mutex> guard{mutex_};
        if (!answer.stop.empty()) stop_ = answer.stop;
        if (answer.context.empty()) return;
        advice_ += (advice_.empty() ? "" : "\n") + answer.context;
        if (advice_.size() > 4 * detail::kTextMax)  // the agent takes none: the newest counts
            advice_ = detail::bounded(answer.context);
    }

    const std::string id_;
    const std::string agent_;
    const std::string model_;
    detail::Daemon daemon_;
    std::atomic<std::uint64_t> calls_{0};
    std::atomic<bool> ended_{false};
    mutable std::mutex mutex_;
    std::string advice_;
    std::string stop_;
    std::vector<std::string> owed_;  ///< refusals of calls that the daemon has not heard of
    const int exceptions_ = std::uncaught_exceptions();
};

inline Call::~Call() {
    if (session_ == nullptr || !allowed()) return;
    const bool thrown = std::uncaught_exceptions() > exceptions_;
    close(thrown ? ",\"ok\":false,\"error\":\"an exception was thrown\""
                 : ",\"ok\":false,\"class\":\"cancelled\"");
}

inline void Call::done(std::string_view result) {
    if (allowed()) close(",\"ok\":true,\"result\":" + detail::quoted(result));
}

inline void Call::fail(std::string_view error) {
    if (allowed()) close(",\"ok\":false,\"error\":" + detail::quoted(error));
}

inline void Call::close(const std::string& how) {
    if (session_ == nullptr) return;
    const auto took =
        std::chrono::duration_cast<detail::milliseconds>(detail::Clock::now() - began_);
    std::exchange(session_, nullptr)
        ->post("post", ",\"tool\":" + detail::quoted(tool_) + ",\"call\":" + detail::quoted(id_) +
                           ",\"args\":" + detail::sent(args_) + how +
                           ",\"duration_ms\":" + std::to_string(took.count()));
}

}  // namespace headway
