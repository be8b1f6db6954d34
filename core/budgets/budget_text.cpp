// SPDX-License-Identifier: Apache-2.0
#include "core/budgets/budget_text.hpp"

#include <cstdio>
#include <string_view>

#include "core/base/assert.hpp"
#include "core/budgets/cost_text.hpp"

namespace headway::core {
namespace {

/// Whole percent, rounded down.
std::string percent(double value) {
    return std::to_string(static_cast<std::uint64_t>(value)) + "%";
}

std::string of_limit(std::uint64_t used, const std::optional<std::uint64_t>& limit) {
    return std::to_string(used) + (limit ? "/" + std::to_string(*limit) : std::string{});
}

void join(std::string& list, const std::string& item) {
    list += (list.empty() ? "" : ", ") + item;
}

std::optional<std::uint64_t> seconds_limit(const BudgetStatus& status) {
    return status.time.limit ? std::optional{*status.time.limit / 1000} : std::nullopt;
}

std::string_view status_line(BudgetLevel level) {
    switch (level) {
        case BudgetLevel::kLow:
            return "LOW BUDGET (Prioritize wrapping up. Provide final answer soon.)";
        case BudgetLevel::kCritical:
            return "CRITICAL (Wrap up now. Provide final answer with what you have.)";
        case BudgetLevel::kExhausted:
            return "EXHAUSTED (Stop now. Report your partial result and end.)";
        case BudgetLevel::kNominal:
            break;
    }
    return "NOMINAL (Continue normally)";
}

std::string_view name_in_text(BudgetDimension dimension) {
    switch (dimension) {
        case BudgetDimension::kTime:
            return "the time is";
        case BudgetDimension::kSteps:
            return "the steps are";
        case BudgetDimension::kTokens:
            return "the tokens are";
        case BudgetDimension::kCost:
            return "the money is";
        case BudgetDimension::kNone:
            break;
    }
    return "the budget is";
}

void append_json_text(std::string& out, std::string_view text) {
    out.push_back('"');
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            const int size =
                std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            HEADWAY_ASSERT(size == 6);
            out += escape;
            continue;
        }
        if (c == '"' || c == '\\') out.push_back('\\');
        out.push_back(c);
    }
    out.push_back('"');
}

void append_tool_result(std::string& out, const LastWords& words) {
    if (words.result_is_json) {
        out += words.result;
    } else {
        append_json_text(out, words.result);
    }
}

}  // namespace

std::string budget_prompt(const BudgetStatus& status, std::string_view usual_calls) {
    std::string used;
    std::string left;
    if (status.time.limit) {
        join(used, "Time Used: " + percent(status.time.percent()));
        join(left, std::to_string(*status.remaining_seconds()) + " seconds");
    }
    if (status.steps.limit) {
        join(used, "Steps Used: " + percent(status.steps.percent()));
        join(left, std::to_string(status.steps.left()) + " steps");
    }
    std::string text = "[EXECUTION BUDGET]\nCurrent Progress: Step " +
                       of_limit(status.steps.used, status.steps.limit) +
                       ", Elapsed: " + of_limit(status.elapsed_seconds(), seconds_limit(status)) +
                       " seconds\n";
    HEADWAY_ASSERT(used.empty() == left.empty());
    if (!used.empty()) text += used + "\nRemaining: " + left + "\n";
    if (status.tokens.limit) {
        text += "Tokens Used: " + percent(status.tokens.percent()) + " (" +
                of_limit(status.tokens.used, status.tokens.limit) +
                "), Remaining: " + std::to_string(status.tokens.left()) + " tokens\n";
    }
    if (status.cost.limit && known_cost(status) == CostKnown::kNone) {
        text += "Cost: not known, " + cap_doubt(status) + "\n";
    } else if (status.cost.limit && known_cost(status) == CostKnown::kNothingYet) {
        text += "Cost: none reported yet, of at most " + dollar_text(*status.cost.limit) + "\n";
    } else if (status.cost.limit) {
        text += "Cost Used: " + percent(status.cost.percent()) + " (" +
                dollar_text(status.cost.used) + "/" + dollar_text(*status.cost.limit) +
                "), Remaining: " + dollar_text(status.cost.left()) + "\n";
        if (const std::string doubt = cap_doubt(status); !doubt.empty())
            text += "Cost: at least, " + doubt + "\n";
    }
    if (status.level != BudgetLevel::kNominal && !usual_calls.empty())
        text.append("Usual Tool Time: ").append(usual_calls).append("\n");
    return text + "Status: " + std::string{status_line(status.level)};
}

std::string parent_budget_advice(std::string_view parent, BudgetLevel level) {
    const std::string budget =
        "The budget of " + std::string{parent} + ", for which the use of this session counts, ";
    switch (level) {
        case BudgetLevel::kLow:
            return budget + "is low. Prioritize wrapping up: report to it soon.";
        case BudgetLevel::kCritical:
            return budget + "is nearly used up. Wrap up now: report to it what you have.";
        case BudgetLevel::kExhausted:
            return budget + "is used up. Stop now: report your partial result and end.";
        case BudgetLevel::kNominal:
            break;
    }
    return budget + "was extended. Go on.";
}

std::string budget_figures(const BudgetStatus& status) {
    std::string figures;
    const auto whole = [&figures](const BudgetFigure& figure, const char* unit) {
        if (figure.limit) {
            join(figures,
                 std::to_string(figure.used) + " of " + std::to_string(*figure.limit) + unit);
        }
    };
    if (status.time.limit) {
        join(figures, std::to_string(status.elapsed_seconds()) + " of " +
                          std::to_string(*seconds_limit(status)) + " seconds");
    }
    whole(status.steps, " steps");
    whole(status.tokens, " tokens");
    if (status.cost.limit && known_cost(status) == CostKnown::kNone) {
        join(figures, "cost not known");
    } else if (status.cost.limit) {
        join(figures, (status.parts.unpriced > 0 ? "at least " : "") +
                          dollar_text(status.cost.used) + " of " + dollar_text(*status.cost.limit));
    }
    return percent(status.pressure) + " of " + std::string{name_in_text(status.dimension)} +
           " used (" + figures + ")";
}

std::string budget_advice(const BudgetStatus& status) {
    std::string figures = budget_figures(status) + ". ";
    switch (status.level) {
        case BudgetLevel::kLow:
            return figures +
                   "Wrap up: finish what you have begun, start nothing new, and give your final "
                   "answer soon.";
        case BudgetLevel::kCritical:
            return figures +
                   "Wrap up now: do only what the final answer cannot do without, and give it.";
        case BudgetLevel::kExhausted:
            return figures +
                   "Stop now: report your partial result and end the session. Another step, or the "
                   "rest of the budget, ends it for you.";
        case BudgetLevel::kNominal:
            break;
    }
    return figures;
}

Json partial_result(const BudgetMeter& meter) {
    Json result;
    HEADWAY_ASSERT(meter.last_words.size() <= 1);
    const LastWords words = meter.last_words.empty() ? LastWords{} : meter.last_words.front();
    if (words.message.empty() && words.result.empty()) return result;
    std::string text = R"({"partial":true)";
    if (!words.message.empty()) {
        text += R"(,"message":)";
        append_json_text(text, words.message);
    }
    if (!words.result.empty()) {
        text += R"(,"tool":)";
        append_json_text(text, words.tool);
        text += R"(,"tool_result":)";
        append_tool_result(text, words);
    }
    text += R"(,"newest":)";
    text += words.message_is_newer ? R"("message")" : R"("tool_result")";
    text += "}";
    static_cast<Text&>(result) = bounded_text(std::move(text));
    return result;
}

}  // namespace headway::core
