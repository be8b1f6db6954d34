// SPDX-License-Identifier: Apache-2.0
#include "server/engine/durability/session_log.hpp"

#include <algorithm>

#include "core/approvals/approvals.hpp"
#include "core/text/text.hpp"

namespace headway::server {
namespace {

constexpr std::size_t kWordsBytesMax = 300;  ///< of a reason

/// Bounds the text and replaces control characters by spaces.
std::string clean(std::string_view text) {
    std::string out{core::cut_text(text, kWordsBytesMax)};
    for (char& c : out) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) c = ' ';
    }
    return out;
}

std::string with(std::string text, std::string_view lead, std::string_view words) {
    if (words.empty()) return text;
    return text.append(lead).append(clean(words));
}

bool wants_attention(core::Verdict verdict) {
    return verdict == core::Verdict::kSuspect || verdict == core::Verdict::kStuck ||
           verdict == core::Verdict::kBlocked || verdict == core::Verdict::kSilent;
}

std::string percent_text(double percent) {
    return std::to_string(static_cast<int>(percent)) + " %";
}

std::string estimate_line(const std::string& who, const core::ProgressEstimated& estimate) {
    std::string text = who + "estimate " + percent_text(estimate.percent) +
                       (estimate.by_judge() ? " by a judge" : " by the agent") + " at step " +
                       std::to_string(estimate.calls);
    if (estimate.is_stuck.value_or(false)) text += ", stalled";
    text = with(std::move(text), ", next: ", estimate.next_milestone);
    return estimate.blockers.empty() ? text
                                     : with(std::move(text), ", blocked by ", estimate.blockers[0]);
}

/// "call of bash failed, 2 times in a row of at most 3, iteration 4, 12 s after the opening: ...".
std::string failure_line(const std::string& who, const core::ToolFinished& call,
                         const core::Event& event, const core::SessionState& state) {
    std::string text = with(who + "call", " of ", call.tool) + " failed";
    const core::ToolFailures& failures = state.detectors->tool_failures;
    if (failures.last_n == event.n) {  // a later event of the same report may have reset it
        text += ", " + std::to_string(failures.count) + " in a row";
        const std::uint64_t most = state.policy->max_tool_failures;
        if (most > 0) text += " of at most " + std::to_string(most);
    }
    if (state.iteration) text += ", iteration " + std::to_string(*state.iteration);
    const core::Millis since = std::max(event.at - state.opened_at, core::Millis{0});
    text += ", " + std::to_string(since.count() / 1000) + " s after the opening";
    return call.error ? with(std::move(text), ": ", call.error->message.kept) : text;
}

}  // namespace

void SessionLog::note(std::string_view session, const core::Event& event,
                      const core::SessionState& state) {
    if (!say_) return;
    const std::string who = "session " + std::string{session} + ": ";
    if (const auto* change = std::get_if<core::VerdictChanged>(&event.payload)) {
        if (!wants_attention(change->to)) return;
        std::string text = who + std::string{core::name_of(change->from)} + " -> " +
                           std::string{core::name_of(change->to)};
        text = with(std::move(text), " by ", change->detector);
        add(Level::kWarn, with(std::move(text), ": ", change->reason));
    } else if (const auto* asked = std::get_if<core::ApprovalRequested>(&event.payload)) {
        std::string text = who + "approval " + core::approval_id(session, event.n) +
                           " asked for, kind " + std::string{core::name_of(asked->kind)};
        add(Level::kInfo, with(std::move(text), ", tool ", asked->tool));
    } else if (const auto* decided = std::get_if<core::ApprovalDecided>(&event.payload)) {
        std::string text = who + "approval " + clean(decided->id) + " decided, " +
                           std::string{core::name_of(decided->decision)};
        add(Level::kInfo, with(std::move(text), ", by ", decided->by));
    } else if (const auto* estimate = std::get_if<core::ProgressEstimated>(&event.payload)) {
        add(Level::kInfo, estimate_line(who, *estimate));
    } else if (const auto* call = std::get_if<core::ToolFinished>(&event.payload)) {
        if (call->ok || !debugs_ || !debugs_()) return;
        add(Level::kDebug, failure_line(who, *call, event, state));
    } else if (const auto* end = std::get_if<core::SessionEnded>(&event.payload)) {
        std::string text = who + "ended, " + std::string{core::name_of(end->outcome)};
        text = with(std::move(text), ", ", end->code);
        add(Level::kInfo, with(std::move(text), ": ", end->reason.kept));
    }
}

void SessionLog::add(Level level, std::string text) {
    if (noted_.size() == kLinesBurst) {
        ++left_out_;
        return;
    }
    noted_.push_back({level, std::move(text)});
}

void SessionLog::commit(Steady::time_point now) {
    if (noted_.empty() && left_out_ == 0) return;
    const double seconds = std::chrono::duration<double>(now - filled_).count();
    tokens_ = std::min<double>(kLinesBurst, tokens_ + seconds * kLinesPerSecond);
    filled_ = now;
    if (left_out_ > 0 && tokens_ >= 2) {
        tokens_ -= 1;
        say_(Level::kWarn, "lines about sessions left out, because there were too many: " +
                               std::to_string(left_out_));
        left_out_ = 0;
    }
    for (const Line& line : noted_) {
        if (tokens_ < 1) {
            ++left_out_;
            continue;
        }
        tokens_ -= 1;
        say_(line.level, line.text);
    }
    noted_.clear();
}

}  // namespace headway::server
