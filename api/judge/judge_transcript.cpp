// SPDX-License-Identifier: Apache-2.0
#include "api/judge/judge_transcript.hpp"

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <variant>

#include "api/judge/data_fence.hpp"
#include "api/judge/judge_args.hpp"
#include "core/base/limits.hpp"

namespace headway::api {
namespace {

namespace limits = core::limits;

std::string note(const core::Text& text) {
    return inert_clean(text.kept, limits::kJudgeNoteBytesMax);
}

std::string joined(const std::vector<std::string>& items, std::size_t max) {
    std::string out;
    for (std::size_t i = 0; i < items.size() && i < max; ++i)
        out.append(i == 0 ? "" : ", ").append(inert_name(items[i]));
    if (items.size() > max) out += " and " + std::to_string(items.size() - max) + " more";
    return out;
}

std::string number(double value) {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

/// Remembers how each tool was called last and how each question was answered.
class CallLines {
public:
    std::string line(const core::ToolFinished& call) {
        std::string out = "call " + inert_name(call.tool);
        if (!call.target.empty()) out += " on " + inert_name(call.target);
        std::string args = arguments(call);
        if (!args.empty()) out.append("; args: ").append(args);
        out += call.ok ? " -> ok" : " -> error";
        if (call.error && !call.error->error_class.empty()) {
            out += " " + inert_name(call.error->error_class);
        }
        const std::string text = outcome(call);
        if (!text.empty()) out.append(": ").append(text);
        out += repeated(call);
        if (!call.mutated.empty()) out += " [changed " + paths(call) + "]";
        return out;
    }

private:
    std::string arguments(const core::ToolFinished& call) {
        const auto last = args_.find(call.tool);
        const bool known = last != args_.end();
        std::string out = args_change(known ? &last->second->args : nullptr, call.args);
        if (call.args.empty() && !call.args_digest.empty()) {
            const bool same = known && last->second->args_digest == call.args_digest;
            out = same ? "as in its last use" : "not recorded";
        }
        args_[call.tool] = &call;
        return out;
    }

    static std::string outcome(const core::ToolFinished& call) {
        std::string words;
        if (call.error) words = inert_ends(call.error->message.kept, limits::kJudgeOutputEndBytes);
        if (call.result.empty()) return words;
        if (!words.empty()) words += " | ";
        return words + inert_ends(plain_text(call.result), limits::kJudgeOutputEndBytes);
    }

    /// Most of a long output is not shown, so that two look alike which are not, and the other way.
    std::string repeated(const core::ToolFinished& call) {
        if (!call.fingerprint || call.fingerprint->question == core::Digest{}) return {};
        const auto [known, fresh] =
            answers_.try_emplace(call.fingerprint->question.low, call.fingerprint->outcome);
        if (fresh) return {};
        const bool same = known->second == call.fingerprint->outcome;
        known->second = call.fingerprint->outcome;
        return same ? " [same answer]" : " [another answer]";
    }

    static std::string paths(const core::ToolFinished& call) {
        std::vector<std::string> all;
        for (const core::Mutation& mutation : call.mutated)
            all.push_back(mutation.path);
        return joined(all, 4);
    }

    std::map<std::string, const core::ToolFinished*, std::less<>> args_;
    std::map<std::uint64_t, core::Digest> answers_;
};

// One line for each kind of event that tells something; nothing for the others.

std::string line_of(const core::Message& message) {
    return "message of " + (message.role.empty() ? "the agent" : inert_name(message.role)) + ": " +
           note(message.text);
}

std::string line_of(const core::Reflection& reflection) {
    std::string out = "reflection";
    if (!reflection.assessment.empty()) out += ", " + inert_name(reflection.assessment);
    if (reflection.confidence) out += ", confidence " + number(*reflection.confidence);
    if (!reflection.next_action.empty()) out += ", next " + inert_name(reflection.next_action);
    return out + ": " + note(reflection.text);
}

std::string line_of(const core::TestResult& result) {
    std::string out = "tests " + inert_name(result.command);
    if (result.passed) out += ", passed " + std::to_string(*result.passed);
    if (result.failed) out += ", failed " + std::to_string(*result.failed);
    if (result.errors) out += ", errors " + std::to_string(*result.errors);
    if (!result.failures.empty()) out += ": " + joined(result.failures, 5);
    return out;
}

std::string line_of(const core::ErrorReported& error) {
    std::string out = "error " + inert_name(error.error_class);
    if (!error.tool.empty()) out += " of " + inert_name(error.tool);
    if (error.status) out += ", status " + std::to_string(*error.status);
    return out + ": " + note(error.message);
}

std::string line_of(const core::PhaseStarted& phase) {
    return "phase begins: " + inert_name(phase.name);
}

std::string line_of(const core::PhaseCompleted& phase) {
    std::string out = "phase ends: " + inert_name(phase.name);
    if (phase.ok) out += *phase.ok ? ", ok" : ", failed";
    if (!phase.blockers.empty()) out += "; blockers: " + joined(phase.blockers, 5);
    return out;
}

std::string line_of(const core::PlanUpdated& plan) {
    std::string out = "plan: " + note(plan.text);
    std::vector<std::string> steps;
    for (const core::PlanStep& step : plan.steps) {
        steps.push_back(step.status.empty() ? step.title : step.title + " (" + step.status + ")");
    }
    return steps.empty() ? out : out + " " + joined(steps, 10);
}

std::string line_of(const core::Compacted&) {
    return "the agent's context was compacted";
}

std::string line_of(const core::VerdictChanged& verdict) {
    return "verdict of the supervisor: " + std::string(core::name_of(verdict.from)) + " to " +
           std::string(core::name_of(verdict.to));
}

std::string line_of(const core::DirectiveIssued& directive) {
    return "directive to the agent: " + std::string(core::name_of(directive.kind));
}

std::string line_of(const core::ApprovalRequested& approval) {
    return "a person was asked to decide: " + inert_name(approval.tool) + " " +
           note(approval.summary);
}

template <class Payload>
std::string line_of(const Payload&) {
    return {};
}

const core::ToolFinished* call_in(const core::Event& event, bool trust_origin) {
    const auto* call = std::get_if<core::ToolFinished>(&event.payload);
    const bool hook = call != nullptr && call->origin == "hook" && trust_origin;
    return hook ? nullptr : call;
}

void note_changes(const core::ToolFinished& call, std::deque<std::string>& paths) {
    for (const core::Mutation& mutation : call.mutated) {
        std::erase(paths, mutation.path);
        paths.push_back(mutation.path);
        if (paths.size() > limits::kJudgeFilesMax) paths.pop_front();
    }
}

TranscriptLine words_of(const core::Event& event) {
    return {event.n, std::visit([](const auto& data) { return line_of(data); }, event.payload)};
}

bool by_agent(const core::Message& message) {
    return message.role != "user" && message.role != "system" && message.role != "tool";
}

}  // namespace

Transcript transcript_of(std::span<const core::Event> recent, bool trust_origin) {
    Transcript out;
    CallLines calls;
    std::deque<std::string> paths;
    std::deque<std::size_t> rounds;  ///< where in `lines` the last ones begin
    std::optional<std::uint64_t> round;
    for (const core::Event& event : recent) {
        const core::ToolFinished* call = call_in(event, trust_origin);
        if (call == nullptr) {
            TranscriptLine words = words_of(event);
            if (!words.text.empty()) out.lines.push_back(std::move(words));
            continue;
        }
        if (rounds.empty() || !call->round || call->round != round) {
            rounds.push_back(out.lines.size());
            if (rounds.size() > limits::kJudgeRoundsMax) rounds.pop_front();
        }
        round = call->round;
        out.lines.push_back({event.n, calls.line(*call)});
        note_changes(*call, paths);
    }
    if (rounds.size() == limits::kJudgeRoundsMax) {
        const auto first = static_cast<std::ptrdiff_t>(rounds.front());
        out.left_out = rounds.front();
        out.lines.erase(out.lines.begin(), out.lines.begin() + first);
    }
    for (const std::string& path : paths)
        out.changed.push_back(inert_name(path));
    return out;
}

Latest latest_of(std::span<const core::Event> recent, bool trust_origin) {
    Latest latest;
    CallLines calls;
    for (const core::Event& event : recent) {
        if (const core::ToolFinished* call = call_in(event, trust_origin)) {
            latest.call = {event.n, calls.line(*call)};
        } else if (std::holds_alternative<core::Reflection>(event.payload)) {
            latest.reflection = words_of(event);
        } else if (std::holds_alternative<core::PlanUpdated>(event.payload)) {
            latest.plan = words_of(event);
        } else if (const auto* message = std::get_if<core::Message>(&event.payload);
                   message != nullptr && by_agent(*message)) {
            latest.message = words_of(event);
        }
    }
    return latest;
}

}  // namespace headway::api
