// SPDX-License-Identifier: Apache-2.0
#include "cli/views/check_view.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>

#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/views/event_line.hpp"
#include "core/events/judge_payloads.hpp"

namespace headway::cli {
namespace {

std::string duration_of(const Json& object, const char* name) {
    constexpr double kMsMax = 9e15;  // above, a double is no whole number any more
    const double ms = std::clamp(object[name].number(), 0.0, kMsMax);
    return human_duration(std::chrono::milliseconds{static_cast<std::int64_t>(ms)});
}

std::string who(const Json& check) {
    const std::string model = plain_text(check, "model");
    return plain_text(check, "judge") + (model.empty() ? "" : " (" + model + ")");
}

std::string time_taken(const Json& use) {
    std::string text = duration_of(use, "elapsed_ms");
    if (use["first_token_ms"].number() > 0)
        text += ", first token after " + duration_of(use, "first_token_ms");
    if (use["tries"].number() > 1) text += ", " + plain_text(use, "tries") + " tries";
    return text;
}

std::string tokens_used(const Json& use) {
    std::string text =
        plain_text(use, "prompt_tokens") + " + " + plain_text(use, "completion_tokens") + " tokens";
    if (use["cost_usd"].number() > 0) text += ", " + plain_text(use, "cost_usd") + " USD";
    return text;
}

}  // namespace

std::string letter_of_answer(std::string_view word) {
    constexpr auto& kNames = core::EnumNames<core::CheckAnswer>::kNames;
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] == word) return {core::letter_of(static_cast<core::CheckAnswer>(i))};
    }
    return {};
}

std::string event_numbers(const Json& list) {
    std::string text;
    if (!list.is_array()) return text;
    for (const Json& n : list)
        text += (text.empty() ? "#" : " #") + plain_text(n);
    return text;
}

bool check_ended(const Json& check) {
    return plain_text(check, "state") == "completed";
}

int check_exit_code(const Json& check) {
    const std::string letter = plain_text(check, "status");
    if (letter == "A") return kExitOk;
    if (letter == "B") return kExitStuck;
    return letter == "C" || letter == "D" ? kExitNeedsHuman : kExitFailed;
}

std::string check_text(const Json& check) {
    std::ostringstream out;
    out << plain_text(check, "status") << "  " << plain_text(check, "answer") << "\n";
    field_line(out, "sure", plain_text(check, "confidence"));
    field_line(out, "reason", plain_text(check, "reason"));
    field_line(out, "evidence", event_numbers(check["evidence"]));
    field_line(out, "judge", who(check));
    field_line(out, "answered", plain_text(check, "ts"));
    if (const Json& use = check["use"]; use.is_object()) {
        field_line(out, "took", time_taken(use));
        field_line(out, "used", tokens_used(use));
    }
    field_line(out, "check", plain_text(check, "checkId"));
    return out.str();
}

std::string no_answer_text(const Json& check) {
    const std::string error = plain_text(check, "error");
    return "no answer of " + who(check) + ", " + plain_text(check, "outcome") +
           (error.empty() ? "" : ": " + error);
}

std::string no_answer_advice(const Json& check) {
    const std::string outcome = plain_text(check, "outcome");
    if (outcome == "discarded" || outcome == "oversized")
        return "ask again; if it stays so, another model may understand the question better";
    if (outcome == "unavailable") return "ask again later; `headway doctor` tries each judge now";
    if (outcome == "cancelled") return "a session that has ended needs no check";
    return "`headway doctor` tries each judge and names the fix";
}

}  // namespace headway::cli
