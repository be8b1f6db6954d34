// SPDX-License-Identifier: Apache-2.0
#include "cli/check_view.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/event_line.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"
#include "core/judge_payloads.hpp"

namespace headway::cli {
namespace {

using nlohmann::json;

std::string text_of(const json& object, const char* name) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    if (found == object.end() || found->is_null()) return {};
    return plain_text(*found);
}

double number_of(const json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_number() ? found->get<double>() : 0.0;
}

std::string duration_of(const json& object, const char* name) {
    constexpr double kMsMax = 9e15;  // above, a double is no whole number any more
    const double ms = std::clamp(number_of(object, name), 0.0, kMsMax);
    return human_duration(std::chrono::milliseconds{static_cast<std::int64_t>(ms)});
}

void line(std::ostringstream& out, std::string_view name, const std::string& value) {
    if (!value.empty()) out << "  " << pad(name, 10) << value << "\n";
}

std::string who(const json& check) {
    const std::string model = text_of(check, "model");
    return text_of(check, "judge") + (model.empty() ? "" : " (" + model + ")");
}

std::string time_taken(const json& use) {
    std::string text = duration_of(use, "elapsed_ms");
    if (number_of(use, "first_token_ms") > 0)
        text += ", first token after " + duration_of(use, "first_token_ms");
    if (number_of(use, "tries") > 1) text += ", " + text_of(use, "tries") + " tries";
    return text;
}

std::string tokens_used(const json& use) {
    std::string text =
        text_of(use, "prompt_tokens") + " + " + text_of(use, "completion_tokens") + " tokens";
    if (number_of(use, "cost_usd") > 0) text += ", " + text_of(use, "cost_usd") + " USD";
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

std::string event_numbers(const json& list) {
    std::string text;
    if (!list.is_array()) return text;
    for (const json& n : list)
        text += (text.empty() ? "#" : " #") + plain_text(n);
    return text;
}

bool check_ended(const json& check) {
    return text_of(check, "state") == "completed";
}

int check_exit_code(const json& check) {
    const std::string letter = text_of(check, "status");
    if (letter == "A") return kExitOk;
    if (letter == "B") return kExitStuck;
    return letter == "C" || letter == "D" ? kExitNeedsHuman : kExitFailed;
}

std::string check_text(const json& check) {
    std::ostringstream out;
    out << text_of(check, "status") << "  " << text_of(check, "answer") << "\n";
    line(out, "sure", text_of(check, "confidence"));
    line(out, "reason", text_of(check, "reason"));
    line(out, "evidence", event_numbers(check.value("evidence", json())));
    line(out, "judge", who(check));
    line(out, "answered", text_of(check, "ts"));
    if (const auto use = check.find("use"); use != check.end() && use->is_object()) {
        line(out, "took", time_taken(*use));
        line(out, "used", tokens_used(*use));
    }
    line(out, "check", text_of(check, "checkId"));
    return out.str();
}

std::string no_answer_text(const json& check) {
    const std::string error = text_of(check, "error");
    return "no answer of " + who(check) + ", " + text_of(check, "outcome") +
           (error.empty() ? "" : ": " + error);
}

std::string no_answer_advice(const json& check) {
    const std::string outcome = text_of(check, "outcome");
    if (outcome == "discarded" || outcome == "oversized")
        return "ask again; if it stays so, another model may understand the question better";
    if (outcome == "unavailable") return "ask again later; `headway doctor` tries each judge now";
    if (outcome == "cancelled") return "a session that has ended needs no check";
    return "`headway doctor` tries each judge and says what to do";
}

}  // namespace headway::cli
