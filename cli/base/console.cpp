// SPDX-License-Identifier: Apache-2.0
#include "cli/base/console.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <utility>

namespace headway::cli {
namespace {

constexpr std::size_t kWidthDefault = 80;
constexpr std::size_t kWidthMin = 40;
constexpr std::size_t kNotesKept = 64;
/// A reader that is only slow loses nothing.
constexpr std::chrono::milliseconds kRoomWithin{100};
constexpr std::chrono::milliseconds kRoomAtEnd{1'000};

std::map<std::string, std::string> copy_environment() {
    std::map<std::string, std::string> copy;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        copy.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return copy;
}

std::size_t terminal_width() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kWidthDefault;
    return std::max<std::size_t>(size.ws_col, kWidthMin);
}

}  // namespace

Console standard_console() {
    Console console{std::cout, std::cerr, copy_environment()};
    console.in_terminal = ::isatty(STDIN_FILENO) == 1;
    console.out_terminal = ::isatty(STDOUT_FILENO) == 1;
    console.err_terminal = ::isatty(STDERR_FILENO) == 1;
    const auto no_color = console.environment.find("NO_COLOR");
    const bool refused = no_color != console.environment.end() && !no_color->second.empty();
    console.color = console.out_terminal && !refused;
    console.width = console.out_terminal ? terminal_width() : 0;
    return console;
}

int complain(const Console& console, int exit_code, std::string_view what,
             std::string_view next_step) {
    console.err << "headway: " << what << "\n";
    if (!next_step.empty()) console.err << "  " << next_step << "\n";
    console.err.flush();
    return exit_code;
}

Notes::~Notes() {
    const std::lock_guard lock(one_by_one_);
    send(kRoomAtEnd);
}

void Notes::say(std::string what) {
    const std::lock_guard lock(one_by_one_);
    if (waiting_.size() == kNotesKept) waiting_.pop_front();
    waiting_.push_back(std::move(what));
    send(kRoomWithin);
}

void Notes::send(std::chrono::milliseconds patience) {
    // A pipe with room takes PIPE_BUF bytes at once, which is more than a message has.
    pollfd error{STDERR_FILENO, POLLOUT, 0};
    while (!waiting_.empty() && ::poll(&error, 1, static_cast<int>(patience.count())) > 0) {
        complain(console_, 0, waiting_.front());
        waiting_.pop_front();
    }
}

bool confirmed(const Console& console, std::string_view question) {
    console.err << question << " [y/N] " << std::flush;
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace headway::cli
