// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/encode.hpp"
#include "api/encode_estimate.hpp"
#include "api/json_writer.hpp"

// The documents of the first design: progress, and the status that test harnesses poll.

namespace headway::api {
namespace {

/// What the progress of most sessions fits into, so that it grows once.
constexpr std::size_t kProgressBytes = 512;

}  // namespace

void append_progress(std::string& out, const core::SessionView& view, const ReadingTime& time) {
    out.reserve(out.size() + kProgressBytes);
    JsonWriter json{out};
    json.open_object();
    json.member("sessionId", view.id);
    json.member("alive", core::is_alive(view, time.now, time.watch));
    json.member("stuck", view.judgement->verdict == core::Verdict::kStuck);
    json.key("progress");
    json.open_object();
    json.member("heartbeats", view.heartbeats);
    json.member("stateChanges", view.state_changes);
    json.key("lastChange");
    if (view.last_change) {
        json.value(core::change_name(*view.last_change));
        json.member("lastChangeAgo", std::max(time.now - view.last_change_at, core::Millis{0}));
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
        json.value(view.judgement->reason);
    } else {
        json.null();
    }
    json.member("verdict", verdict);
    json.close_object();
}

}  // namespace headway::api
