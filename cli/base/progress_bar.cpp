// SPDX-License-Identifier: Apache-2.0
#include "cli/base/progress_bar.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "cli/base/text.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetween{100};  // more often no eye can follow
constexpr std::size_t kBarWidth = 30;
constexpr std::size_t kDefaultWidth = 80;

}  // namespace

std::string progress_line(const std::string& what, std::size_t done, std::size_t total,
                          milliseconds elapsed, std::size_t width) {
    const double share = total == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total);
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
    std::string line = what + " [" + std::string(filled, '#') +
                       std::string(kBarWidth - filled, '.') + "] " + std::to_string(done) + " of " +
                       std::to_string(total);
    if (done > 0 && done < total) {
        const double left = static_cast<double>(elapsed.count()) * (1 / share - 1);
        line += ", " + human_duration(milliseconds{static_cast<std::int64_t>(left)}) + " left";
    }
    return crop(line, width);
}

ProgressBar::ProgressBar(const Console& console, std::string what, std::size_t total, Now now)
    : console_(console),
      what_(std::move(what)),
      total_(total),
      now_(std::move(now)),
      begin_(now_()),
      drawn_at_(begin_) {}

ProgressBar::~ProgressBar() {
    clear();
}

void ProgressBar::step() {
    const std::lock_guard lock(mutex_);
    ++done_;
    const SteadyTime now = now_();
    if (!console_.err_terminal || now - drawn_at_ < kBetween) return;
    drawn_at_ = now;
    drawn_ = true;
    const std::size_t width = console_.width > 1 ? console_.width - 1 : kDefaultWidth - 1;
    const auto elapsed = std::chrono::duration_cast<milliseconds>(now - begin_);
    console_.err << "\r" << progress_line(what_, done_, total_, elapsed, width) << "\x1b[K"
                 << std::flush;
}

void ProgressBar::clear() {
    const std::lock_guard lock(mutex_);
    if (drawn_) console_.err << "\r\x1b[K" << std::flush;
    drawn_ = false;
}

}  // namespace headway::cli
