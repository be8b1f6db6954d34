// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/settings/text_diff.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

#include "cli/base/text.hpp"
#include "system/subprocess.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kDiffersMax = 2'000;
constexpr std::size_t kColumnsMax = 300;
/// Limit for the output of `diff`; more than a person reads, so that a huge file does not fill the
/// memory.
constexpr std::size_t kDiffBytesMax = 8U << 20U;
constexpr std::string_view kTooManyLines = "more than 2,000 lines differ\n";

/// A file without a name, which a program that is started may open by its number.
system::FileDescriptor in_memory(std::string_view text) {
    system::FileDescriptor file{::memfd_create("headway-diff", 0)};
    while (file.open() && !text.empty()) {
        const ssize_t count = ::write(file.get(), text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return {};
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return file;
}

std::string read_some(const system::FileDescriptor& from) {
    std::string text;
    std::array<char, 16'384> block{};
    while (text.size() <= kDiffBytesMax) {
        const ssize_t count = ::read(from.get(), block.data(), block.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        text.append(block.data(), static_cast<std::size_t>(count));
    }
    return text;
}

/// Output of `diff -u` for two texts; nothing: it cannot be run, or fails.
std::optional<std::string> diff_of(std::string_view before, std::string_view after) {
    const system::FileDescriptor old_file = in_memory(before);
    const system::FileDescriptor new_file = in_memory(after);
    system::Pipe out;
    if (std::min(old_file.get(), new_file.get()) <= STDERR_FILENO || make_pipe(out) != 0) return {};
    const auto name = [](int number) { return "/dev/fd/" + std::to_string(number); };
    const auto [low, high] = std::minmax({old_file.get(), new_file.get()});
    const system::Started diff = system::start(
        {.argv = {"diff", "--text", "-u", "--", name(old_file.get()), name(new_file.get())},
         .environment = system::Environment{{"LC_ALL", "C"}},
         .streams = {system::kNowhere, out.write.get(), system::kNowhere},
         .inherited = {low, high},
         .mask = system::no_signals()});
    if (diff.error != 0) return {};
    out.write.reset();
    std::string text = read_some(out.read);
    if (text.size() > kDiffBytesMax) ::kill(diff.pid, SIGKILL);
    const std::optional<int> status = system::wait_for_end(diff.pid);
    const bool differs = status && WIFEXITED(*status) && WEXITSTATUS(*status) == 1;
    if (!differs && text.size() <= kDiffBytesMax) return {};
    return text;
}

/// Cuts the next line off, with its end.
std::string_view next_line(std::string_view& text) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, size);
    text.remove_prefix(size);
    return line;
}

/// A line of a text for a terminal, behind its sign.
std::string shown_line(char sign, std::string_view text) {
    while (text.ends_with('\n') || text.ends_with('\r'))
        text.remove_suffix(1);
    const std::size_t start = std::min(text.find_first_not_of(" \t"), text.size());
    std::string margin;  // clean_line() would make one space of it
    for (const char c : text.substr(0, start))
        margin += c == '\t' ? "    " : " ";
    return sign + margin + crop(clean_line(text.substr(start)), kColumnsMax) + "\n";
}

/// The output of `diff` after the two names.
std::string shown_diff(std::string_view printed) {
    std::string out;
    std::size_t differ = 0;
    for (int i = 0; i < 2 && !printed.empty(); ++i)
        next_line(printed);
    while (!printed.empty()) {
        const std::string_view line = next_line(printed);
        out += shown_line(line.front(), line.substr(1));
        differ += line.front() == '+' || line.front() == '-';
        if (differ > kDiffersMax) return std::string{kTooManyLines};
    }
    return out;
}

std::string shown_new(std::string_view after) {
    std::string out = "`diff` of the package diffutils cannot be run; the new text is:\n";
    std::size_t lines = 0;
    while (!after.empty()) {
        out += shown_line('+', next_line(after));
        if (++lines > kDiffersMax) return std::string{kTooManyLines};
    }
    return out;
}

}  // namespace

std::string unified_diff(std::string_view name, std::string_view before, std::string_view after) {
    if (before == after) return {};
    const std::string title = "--- " + clean_line(name) + "\n+++ " + clean_line(name) + "\n";
    const std::optional<std::string> printed = diff_of(before, after);
    return title + (printed ? shown_diff(*printed) : shown_new(after));
}

}  // namespace headway::cli
