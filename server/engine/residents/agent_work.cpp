// SPDX-License-Identifier: Apache-2.0
#include "server/engine/residents/agent_work.hpp"

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace headway::server {
namespace {

/// Looks that are closer say little.
constexpr std::chrono::seconds kWorkLookEvery{20};
/// An agent at its prompt, whose spinner and timers run, uses less: 2 % of a processor.
constexpr std::int64_t kShareMin = 50;

/// utime, stime, cutime and cstime: fields 14 to 17 of a stat file. The second one is a name in
/// parentheses, which may hold any character.
std::uint64_t ticks_in(std::string_view stat) {
    constexpr int kBefore = 14 - 3;
    constexpr int kFields = 4;
    const std::size_t name_end = stat.rfind(") ");
    if (name_end == stat.npos) return 0;
    stat.remove_prefix(name_end + 2);
    std::uint64_t all = 0;
    for (int field = 0; field < kBefore + kFields; ++field) {
        const std::string_view word = stat.substr(0, stat.find(' '));
        std::uint64_t ticks = 0;
        std::from_chars(word.data(), word.data() + word.size(), ticks);
        if (field >= kBefore) all += ticks;
        if (word.size() == stat.size()) break;
        stat.remove_prefix(word.size() + 1);
    }
    return all;
}

std::string line_of(const std::string& path) {
    std::ifstream file{path};
    std::string line;
    std::getline(file, line);
    return line;
}

/// The processes that the threads of this one have started.
void add_children(int number, std::vector<int>& all) {
    constexpr int kThreadsMax = 64;
    std::error_code ec;
    std::filesystem::directory_iterator thread{"/proc/" + std::to_string(number) + "/task", ec};
    for (int i = 0; i < kThreadsMax && !ec && thread != std::filesystem::directory_iterator{};
         ++i) {
        std::ifstream file{thread->path() / "children"};
        for (int child = 0; all.size() < AgentWork::kProcessesMax && file >> child;)
            all.push_back(child);
        thread.increment(ec);
    }
}

}  // namespace

std::uint64_t ticks_of_processes(int number) {
    if (number <= 0) return 0;
    std::vector<int> all{number};
    std::uint64_t ticks = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        ticks += ticks_in(line_of("/proc/" + std::to_string(all[i]) + "/stat"));
        add_children(all[i], all);
    }
    return ticks;
}

void AgentWork::follow(int number) {
    if (number == number_) return;
    *this = {};
    number_ = number;
}

bool AgentWork::look(core::Timestamp now) {
    if (number_ == 0) return false;
    const core::Millis passed = now - looked_at_;
    if (looked_at_ != core::kNever && passed >= core::Millis{0} && passed < kWorkLookEvery)
        return works_;
    const std::uint64_t before = ticks_;
    ticks_ = ticks_of_processes(number_);
    const bool first = looked_at_ == core::kNever || passed < core::Millis{0};
    looked_at_ = now;
    const std::int64_t second = ::sysconf(_SC_CLK_TCK);
    // One that has ended unseen takes its share along: that is no work, but none is lost by it for
    // long.
    const auto used = static_cast<std::int64_t>(ticks_ > before ? ticks_ - before : 0);
    works_ = !first && used * 1000 * kShareMin >= passed.count() * second;
    return works_;
}

}  // namespace headway::server
