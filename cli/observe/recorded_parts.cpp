// SPDX-License-Identifier: Apache-2.0
#include "cli/observe/recorded_parts.hpp"

#include <utility>

#include "cli/base/json.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kPartEvents = 500;  // half of what a daemon takes
constexpr std::size_t kPartBytes = 500'000;

/// Only some agents store that a turn is over; of others, an answer without a call behind it is
/// the last that comes.
bool is_answer(std::string_view report) {
    const std::optional<Json> parsed = Json::parse(report);
    return parsed && parsed->text_of("type") == "message" &&
           (*parsed)["data"].text_of("role") == "assistant";
}

}  // namespace

RecordedParts::RecordedParts(const ScannedSession& session, const Send& send)
    : session_(session), send_(send) {}

bool RecordedParts::take(const StoredLine& line, const StoredAbout& about) {
    if (goal_.empty()) goal_ = about.goal;
    std::vector<std::string> reports;
    observed_.take(line, false, reports);
    if (!line.reports.empty()) {
        answers_ = !line.turn_goes_on && is_answer(line.reports.back());
        rests_ = false;
    }
    if (line.turn_ended) {
        rests_ = true;
        aborted_ = line.turn_cut;
    }
    for (std::string& report : reports) {
        if (events_ == kRecordedEventsMax) {
            cut_ = true;
            return false;
        }
        if (held_ == kPartEvents || part_.size() + report.size() > kPartBytes) {
            if (!flush()) return false;
        }
        part_ += (part_.empty() ? "" : ",") + report;
        ++held_;
        ++events_;
    }
    return true;
}

bool RecordedParts::begin() {
    return flush();
}

bool RecordedParts::finish() {
    if (events_ == 0) return false;
    part_ += (part_.empty() ? "" : ",") + ending();
    return flush();
}

bool RecordedParts::flush() {
    std::string part = std::exchange(part_, {});
    held_ = 0;
    if (!std::exchange(opened_, true)) part = opening() + (part.empty() ? "" : ",") + part;
    return send_("[" + part + "]");
}

std::string RecordedParts::opening() const {
    StoredAbout about = session_.about;
    about.goal = goal_;
    return dump({{"type", "session.started"},
                 {"at", time_text(session_.began)},
                 {"data", opening_of(about, names_of(about).parent)}});
}

std::string RecordedParts::ending() const {
    // Not all agents store a call that has only begun as a line of its own.
    const bool cut_off = session_.open_calls > 0;
    const bool completed = !cut_ && (rests_ ? !aborted_ : answers_ && !cut_off);
    const char* reason = "its stored session ends in the middle of a turn";
    if (cut_off) reason = "its stored session ends in the middle of a call";
    if (rests_) reason = "its last turn was cut short";
    if (completed) reason = "its stored session ends here";
    if (cut_) reason = "its stored session has more events than are taken of one";
    const Json data = {{"outcome", completed ? "completed" : "failed"}, {"reason", reason}};
    return dump({{"type", "session.ended"},
                 {"at", time_text(session_.ended)},
                 {"event_id", std::string(kTranscriptEvent) + "end"},
                 {"data", data}});
}

}  // namespace headway::cli
