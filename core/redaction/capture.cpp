// SPDX-License-Identifier: Apache-2.0
#include "core/redaction/capture.hpp"

#include <algorithm>
#include <type_traits>

#include "core/base/assert.hpp"
#include "core/calls/exact_args.hpp"
#include "core/text/text.hpp"

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

struct Strip {
    void operator()(SessionStarted& about) const { about.goal = {}; }
    void operator()(SessionAmended& about) const { about.goal = {}; }
    void operator()(Heartbeat& beat) const { beat.note.clear(); }
    void operator()(ToolStarted& call) const {
        replace(call.args, call.args_digest);
        call.description = {};
    }
    void operator()(ToolFinished& call) const {
        // The exact arguments, by which an approval is recognised.
        if (call.args_digest.empty() && call.fingerprint)
            call.args_digest = args_of(*call.fingerprint);
        replace(call.args, call.args_digest);
        replace(call.result, call.result_digest);
        if (call.error) call.error->message = {};
    }
    void operator()(Message& message) const { replace(message.text, message.digest); }
    void operator()(Reflection& reflection) const {
        reflection.assessment.clear();
        reflection.next_action.clear();
        reflection.text = {};
    }
    void operator()(PhaseStarted& phase) const { phase.description.clear(); }
    void operator()(PhaseCompleted& phase) const { phase.blockers.clear(); }
    void operator()(PlanUpdated& plan) const {
        plan.text = {};
        for (PlanStep& step : plan.steps)
            step.title = to_hex(digest_of(step.title));
    }
    void operator()(ProgressEstimated& estimate) const {
        estimate.reasoning = {};
        estimate.next_milestone.clear();
        estimate.blockers.clear();
    }
    void operator()(FactLearned& fact) const { replace_in_place(fact.text); }
    void operator()(Compacted& compacted) const { compacted.summary = {}; }
    void operator()(StateChanged& change) const { change.detail.clear(); }
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
    return !adapter.empty() && std::find(agents.begin(), agents.end(), adapter) != agents.end();
}

void keep_digests(Payload& payload) {
    std::visit(Strip{}, static_cast<AnyPayload&>(payload));
}

}  // namespace headway::core
