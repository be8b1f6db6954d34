// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/encode/encode.hpp"
#include "api/encode/parts/encode_estimate.hpp"
#include "api/json/json_writer.hpp"

// The documents of the first design: progress, and the status that test harnesses poll.

namespace headway::api {
namespace {

/// Size of the progress of most sessions, so that it grows once.
constexpr std::size_t kProgressBytes = 512;

/// `alive` and `age` write the two values that the time of reading decides.
template <class Alive, class Age>
void write_progress(JsonWriter& json, const core::SessionView& view, const Alive& alive,
                    const Age& age) {
    json.open_object();
    json.member("sessionId", view.id);
    json.key("alive");
    alive();
    json.member("stuck", view.judgement->verdict == core::Verdict::kStuck);
    json.key("progress");
    json.open_object();
    json.member("heartbeats", view.heartbeats);
    json.member("stateChanges", view.state_changes);
    json.key("lastChange");
    if (view.last_change) {
        json.value(core::change_name(*view.last_change));
        json.key("lastChangeAgo");
        age();
    } else {
        json.null();
        json.key("lastChangeAgo");
        json.null();
    }
    json.close_object();
    member_or_null(json, "currentPhase", view.phase);
    json.member("iteration", view.iteration);
    json.key("estimate");
    write_first_design_estimate(json, view.estimate.get());
    json.member("verdict", view.judgement->verdict);
    json.member("reason", view.judgement->reason);
    json.member("alarm", view.alarm);
    json.member("n", view.n);
    json.member("nextHeartbeatMs", view.asked_interval);
    json.close_object();
}

bool alive_at(const core::SessionView& view, const ReadingTime& time) {
    return core::is_alive(view, time.now, time.watch);
}

core::Millis age_at(const core::SessionView& view, const ReadingTime& time) {
    return std::max(time.now - view.last_change_at, core::Millis{0});
}

/// A failure always has a text, also where the agent named none.
std::string failure_text(const core::SessionView& view) {
    if (!view.judgement->reason.empty() || !view.outcome) return view.judgement->reason;
    return "the session has ended as " + std::string{core::name_of(*view.outcome)};
}

}  // namespace

void append_progress(std::string& out, const core::SessionView& view, const ReadingTime& time) {
    out.reserve(out.size() + kProgressBytes);
    JsonWriter json{out};
    write_progress(
        json, view, [&] { json.value(alive_at(view, time)); },
        [&] { json.value(age_at(view, time)); });
}

ProgressText progress_text(const core::SessionView& view) {
    ProgressText text;
    text.text.reserve(kProgressBytes);
    JsonWriter json{text.text};
    const auto leave_out = [&](std::size_t& at) {
        at = text.text.size();
        json.raw({});
    };
    write_progress(
        json, view, [&] { leave_out(text.alive_at); }, [&] { leave_out(text.age_at); });
    if (!view.last_change) text.age_at = text.text.size();
    return text;
}

void append_progress(std::string& out, const ProgressText& text, const core::SessionView& view,
                     const ReadingTime& time) {
    const std::string_view whole{text.text};
    out.append(whole.substr(0, text.alive_at));
    out.append(alive_at(view, time) ? "true" : "false");
    out.append(whole.substr(text.alive_at, text.age_at - text.alive_at));
    if (view.last_change) {
        JsonWriter{out}.value(age_at(view, time));
        out.append(whole.substr(text.age_at));
    }
}

void append_as_of(std::string& object, std::uint64_t n) {
    HEADWAY_ASSERT(object.size() > 2 && object.back() == '}');
    object.back() = ',';
    object += "\"as_of_n\":" + std::to_string(n) + "}";
}

void append_chat_status(std::string& out, const core::SessionView& view) {
    using core::Verdict;
    const Verdict verdict = view.judgement->verdict;
    const bool failed = verdict == Verdict::kFailed || verdict == Verdict::kHalted;
    const bool incomplete = view.end_code == core::kMaxIterationsReached;
    std::string_view status = "running";
    if (verdict == Verdict::kCompleted || view.says_complete) status = "completed";
    if (failed) status = "failed";
    if (incomplete) status = "incomplete";
    if (verdict == Verdict::kCancelled) status = "cancelled";
    JsonWriter json{out};
    json.open_object();
    json.member("sessionId", view.id);
    json.member("status", status);
    json.member("iteration", view.iteration);
    json.member("iterations", view.iteration);
    member_or_null(json, "reason", view.end_code);
    json.key("error");
    if (failed) {
        json.value(failure_text(view));
    } else {
        json.null();
    }
    json.member("verdict", verdict);
    json.close_object();
}

}  // namespace headway::api
