// SPDX-License-Identifier: Apache-2.0
#include "hook/way/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "hook/text/bytes.hpp"

namespace headway::hook {
namespace {

constexpr std::size_t kAgentBytesMax = 32;
constexpr std::size_t kVersionBytesMax = 64;
constexpr std::size_t kUntilBytesMax = 500;

/// An option that takes a value.
struct Valued {
    std::string_view name;
    std::string Options::*member;
};
constexpr std::array<Valued, 5> kValued{{{"--socket", &Options::socket},
                                         {"--url", &Options::url},
                                         {"--token-file", &Options::token_file},
                                         {"--agent-version", &Options::agent_version},
                                         {"--until", &Options::until}}};

/// It becomes part of a path.
bool is_agent(std::string_view text) {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    return !text.empty() && text.size() <= kAgentBytesMax && text.front() != '-' &&
           std::all_of(text.begin(), text.end(), fits);
}

void set_value(Options& options, std::string_view name, std::string_view value) {
    if (name == "--silence") {
        const auto silence = read_milliseconds(value);
        if (!silence) options.mistake = "--silence takes a time such as 15s or 500ms";
        options.silence_ms = silence.value_or(options.silence_ms);
        return;
    }
    for (const Valued& option : kValued) {
        if (option.name == name) options.*option.member = value;
    }
    if (value.empty()) options.mistake = std::string{name} + " needs a value";
}

bool takes_value(std::string_view name) {
    return name == "--silence" || std::any_of(kValued.begin(), kValued.end(),
                                              [&](const Valued& v) { return v.name == name; });
}

void set_word(Options& options, std::string_view word) {
    if (word == "--require") {
        options.require = true;
    } else if (word == "--usage") {
        options.usage = true;
    } else if (word == "--help" || word == "-h") {
        options.help = true;
    } else if (word == "--version") {
        options.version = true;
    } else if (!word.empty() && word.front() == '-') {
        options.mistake = "there is no option " + std::string{word};
    } else if (!options.agent.empty()) {
        options.mistake = "only one agent is named, not also \"" + std::string{word} + "\"";
    } else {
        options.agent = word;
    }
}

void read_arguments(Options& options, const std::vector<std::string_view>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view word = arguments[i];
        const std::size_t equals = std::min(word.find('='), word.size());
        const std::string_view name = word.substr(0, equals);
        if (!takes_value(name)) {
            set_word(options, word);
        } else if (equals < word.size()) {
            set_value(options, name, word.substr(equals + 1));
        } else if (i + 1 < arguments.size()) {
            set_value(options, name, arguments[++i]);
        } else {
            options.mistake = std::string{name} + " needs a value";
        }
    }
}

void check(Options& options) {
    if (!options.mistake.empty()) return;
    if (options.agent.empty()) {
        options.mistake = "name the agent, such as `headway-hook claude`";
    } else if (!is_agent(options.agent)) {
        options.mistake = "the name of an agent is at most 32 of a-z 0-9 - _";
    } else if (!options.agent_version.empty() &&
               !fits_header(options.agent_version, kVersionBytesMax)) {
        options.mistake = "--agent-version takes at most 64 characters without blanks";
    } else if (options.until.size() > kUntilBytesMax) {
        options.mistake = "--until takes a command of at most 500 bytes";
    }
}

/// The same place in other words: `localhost` for `127.0.0.1`, or a `/` at the end.
bool is_same_place(std::string_view a, std::string_view b) {
    Place one;
    Place other;
    const UrlKind kind = read_url(a, one);
    if (kind != read_url(b, other) || one.socket != other.socket) return false;
    const auto host = [](const Place& place) {
        return place.host == "::1" ? std::string{"127.0.0.1"} : place.host;
    };
    return host(one) == host(other) && one.port == other.port && one.prefix == other.prefix;
}

/// Under `headway run` hooks go to the daemon of the run, also if the agent's settings name another
/// one; its token file is then not for this one, so without another token they stay. Calls that
/// require an answer stay as well: an agent's variables are of its starter.
void follow_run(Options& options, Environment environment) {
    const std::string url = variable(environment, "HEADWAY_URL");
    const bool of_run = !url.empty() && !variable(environment, "HEADWAY_RUN").empty();
    Place ignored;
    if (!of_run || options.url.empty() || options.require) return;
    const bool has_token = !variable(environment, "HEADWAY_TOKEN").empty() ||
                           !variable(environment, "HEADWAY_TOKEN_FILE").empty();
    if (!options.token_file.empty() && !has_token) return;
    if (is_same_place(options.url, url) || read_url(url, ignored) == UrlKind::kWrong) return;
    options.url = url;
    options.token_file.clear();
}

}  // namespace

std::optional<int> read_milliseconds(std::string_view text) noexcept {
    constexpr int kHour = 3'600'000;
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view unit = text.substr(digits);
    int number = 0;
    const auto read = std::from_chars(text.data(), text.data() + digits, number);
    if (read.ec != std::errc{} || (unit != "s" && unit != "ms")) return std::nullopt;
    const long long milliseconds = unit == "s" ? number * 1000LL : number;
    if (milliseconds < 1 || milliseconds > kHour) return std::nullopt;
    return static_cast<int>(milliseconds);
}

Options read_options(const std::vector<std::string_view>& arguments, Environment environment) {
    Options options;
    read_arguments(options, arguments);
    check(options);
    if (options.socket.empty() && options.url.empty()) {
        options.socket = variable(environment, "HEADWAY_HOOK_SOCKET");
        options.url = variable(environment, "HEADWAY_URL");
    } else if (options.socket.empty()) {
        follow_run(options, environment);
    }
    if (options.token_file.empty()) {
        options.token_file = variable(environment, "HEADWAY_TOKEN_FILE");
    }
    return options;
}

std::string_view help_text() noexcept {
    return R"(headway-hook AGENT [options]

The hook of an agent: passes the agent's standard input to the Headway daemon, waits while the daemon
holds the call, and prints its reply. Without a daemon it prints nothing and exits with 0 at once.

  AGENT                 whose hook it is: claude, codex, gemini, qwen, copilot, cline, generic
  --socket PATH         report socket of the daemon (default: HEADWAY_HOOK_SOCKET)
  --url URL             http URL of the daemon, used without --socket (default: HEADWAY_URL); the daemon of `headway run`
                        replaces it, unless --require or, without a token of the run, --token-file is given
  --token-file FILE     file that holds the token for the URL (default: the file named by HEADWAY_TOKEN_FILE, else HEADWAY_TOKEN)
  --agent-version TEXT  version of the agent, for the daemon
  --usage               report only the agent's usage, from its own record of the session; changes and delays nothing
  --until COMMAND       run this command at the end of each turn of claude, codex, gemini, qwen or copilot; if it fails, the
                        agent must keep working, at most 5 times in a session; the command may take 10 minutes
  --require             exit with 2 if the daemon is unreachable, so that the call does not run
  --silence TIME        treat the daemon as unreachable after this long without a byte (default: 15s)
  --help, --version

Without a socket and a URL it takes the first of the default report sockets that answers, else
http://127.0.0.1:7717. Names and https are left to `headway hook AGENT`.
)";
}

}  // namespace headway::hook
