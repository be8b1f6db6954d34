// SPDX-License-Identifier: Apache-2.0
#include "core/redaction/capture.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "core/base/assert.hpp"
#include "core/calls/exact_args.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

std::string digest_text(const Text& text) {
    return to_hex(text.whole() ? digest_of(text.kept) : text.digest);
}

/// Takes `text` out; its digest goes where the agent has put none.
void replace(Text& text, std::string& digest) {
    if (text.empty()) return;
    if (digest.empty()) digest = digest_text(text);
    text = {};
    HEADWAY_ASSERT(text.empty() && !digest.empty());
}

void replace(Json& json, std::string& digest) {
    Text& text = json;
    replace(text, digest);
}

/// For fields that may not be absent.
void replace_in_place(Text& text) {
    if (!text.empty()) text = bounded_text("digest " + digest_text(text));
}

void replace_in_place(std::string& text) {
    if (!text.empty()) text = "digest " + to_hex(digest_of(text));
}

/// For fields that hold a word: one that is not known may be any text.
template <std::size_t N>
void keep_known(std::string& word, const std::array<std::string_view, N>& known) {
    if (std::find(known.begin(), known.end(), word) == known.end()) replace_in_place(word);
}

constexpr std::array<std::string_view, 8> kRoles{"user",    "operator", "assistant", "agent",
                                                 "thought", "system",   "developer", "tool"};
constexpr std::array<std::string_view, 10> kStepStatuses{
    "pending",   "open",    "in_progress", "running",   "done",
    "completed", "blocked", "failed",      "cancelled", "skipped"};
constexpr std::array<std::string_view, 7> kWorkSorts{"agent", "shell",   "task",    "monitor",
                                                     "cron",  "wake-up", "workflow"};
constexpr std::array<std::string_view, 1> kOrigins{"hook"};
constexpr std::array<std::string_view, 2> kTriggers{"auto", "manual"};
constexpr std::array<std::string_view, 2> kSources{"agent", "judge"};

/// "shell: npm run dev", which agents name by its whole command: the sort stays.
void strip_work(std::string& name) {
    const std::size_t colon = name.find(": ");
    const std::string sort = name.substr(0, colon);
    if (std::find(kWorkSorts.begin(), kWorkSorts.end(), sort) == kWorkSorts.end())
        return replace_in_place(name);
    if (colon == name.npos) return;
    std::string command = name.substr(colon + 2);
    replace_in_place(command);
    name = sort + ": " + command;
}

struct Strip {
    void operator()(SessionStarted& about) const { about.goal = {}; }
    void operator()(SessionAmended& about) const { about.goal = {}; }
    void operator()(Heartbeat& beat) const { beat.note.clear(); }
    void operator()(ToolStarted& call) const {
        replace(call.args, call.args_digest);
        keep_known(call.origin, kOrigins);
        call.description = {};
    }
    void operator()(ToolFinished& call) const {
        // The exact arguments, by which an approval is recognised.
        if (call.args_digest.empty() && call.fingerprint)
            call.args_digest = args_of(*call.fingerprint);
        replace(call.args, call.args_digest);
        replace(call.result, call.result_digest);
        keep_known(call.origin, kOrigins);
        if (!call.lane.empty()) call.lane = std::to_string(digest_of(call.lane).low);
        if (call.error) call.error->message = {};
    }
    void operator()(Message& message) const {
        replace(message.text, message.digest);
        keep_known(message.role, kRoles);
    }
    void operator()(Reflection& reflection) const {
        reflection.assessment.clear();
        reflection.next_action.clear();
        reflection.text = {};
    }
    void operator()(TestResult& test) const { replace_in_place(test.command); }
    void operator()(PhaseStarted& phase) const { phase.description.clear(); }
    void operator()(PhaseCompleted& phase) const { phase.blockers.clear(); }
    void operator()(PlanUpdated& plan) const {
        plan.text = {};
        for (PlanStep& step : plan.steps) {
            step.title = to_hex(digest_of(step.title));
            keep_known(step.status, kStepStatuses);
        }
    }
    void operator()(ProgressEstimated& estimate) const {
        estimate.reasoning = {};
        estimate.next_milestone.clear();
        estimate.blockers.clear();
        keep_known(estimate.source, kSources);
    }
    void operator()(FactLearned& fact) const {
        replace_in_place(fact.text);
        replace_in_place(fact.source);
    }
    void operator()(Compacted& compacted) const {
        compacted.summary = {};
        keep_known(compacted.trigger, kTriggers);
    }
    void operator()(StateChanged& change) const {
        change.detail.clear();
        for (std::string& work : change.background)
            strip_work(work);
    }
    void operator()(ErrorReported& error) const { replace_in_place(error.message); }
    void operator()(SessionEnded& end) const {
        end.result = {};
        end.reason = {};
    }
    /// The rest has no texts of an agent, or a person has to read them.
    template <class Other>
    void operator()(Other&) const {}
};

}  // namespace

bool CaptureRules::only_digests(const AgentInfo& agent, const std::vector<Label>& labels) const {
    if (digests) return true;
    const auto named = [this](const std::string& name) { return only_digests_of(name); };
    const auto adapter = [&named](const Label& label) {
        return label.key == "adapter" && named(label.value);
    };
    return named(agent.name) || named(agent.type) ||
           std::any_of(labels.begin(), labels.end(), adapter);
}

bool CaptureRules::only_digests_of(const std::string& adapter) const {
    if (digests) return true;
    const auto same = [name = lower(adapter)](const auto& one) { return lower(one) == name; };
    return !adapter.empty() && std::any_of(agents.begin(), agents.end(), same);
}

void keep_digests(Payload& payload) {
    std::visit(Strip{}, static_cast<AnyPayload&>(payload));
}

}  // namespace headway::core
