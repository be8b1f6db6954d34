// SPDX-License-Identifier: Apache-2.0
#include "api/judge/judge_prompt.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "api/judge/data_fence.hpp"
#include "api/judge/judge_transcript.hpp"
#include "api/judge/prompt_files.hpp"
#include "core/base/limits.hpp"

namespace headway::api {
namespace {

namespace limits = core::limits;

constexpr std::size_t kHeadBytesMax = 6'000;   ///< of the facts, so that events always have room
constexpr std::size_t kFrameBytesMax = 3'000;  ///< of both texts without the data; a test keeps it

/// Facts about the session, one per line, each beginning with a name of ours.
class Facts {
public:
    void add(std::string_view label, std::string_view inert_text) {
        if (inert_text.empty() || out_.size() + inert_text.size() > kHeadBytesMax) return;
        out_.append(label).append(": ").append(inert_text).append("\n");
    }
    std::string take() { return std::move(out_); }

private:
    std::string out_;
};

std::string numbers(const std::vector<std::uint64_t>& events) {
    std::string out;
    for (const std::uint64_t n : events)
        out.append(out.empty() ? "#" : ", #").append(std::to_string(n));
    return out;
}

std::string list(const std::vector<std::string>& inert_items) {
    std::string out;
    for (const std::string& item : inert_items)
        out.append(out.empty() ? "" : ", ").append(item);
    return out;
}

void add_task(Facts& facts, const core::SessionState& state) {
    facts.add("goal", state.about.goal.empty()
                          ? "unknown"
                          : inert_clean(state.about.goal.kept, limits::kJudgeGoalBytesMax));
    facts.add("agent type", inert_name(state.about.agent.type));
    if (state.iteration) facts.add("iteration of the agent", std::to_string(*state.iteration));
    const core::PhaseRecord& phase = *state.current_phase;
    std::string in_phase = inert_name(phase.name.empty() ? state.phase : phase.name);
    if (!phase.description.empty()) in_phase += ": " + inert_name(phase.description);
    facts.add("current phase", in_phase);
    if (state.phase_totals.completed > 0 || state.phase_totals.total > 0) {
        facts.add("phases completed", std::to_string(state.phase_totals.completed) +
                                          (state.phase_totals.total > 0
                                               ? " of " + std::to_string(state.phase_totals.total)
                                               : ""));
    }
}

void add_verdict(Facts& facts, const core::SessionState& state) {
    const core::Judgement& judgement = *state.judgement;
    std::string verdict{core::name_of(judgement.verdict)};
    if (!judgement.detector.empty()) verdict += ", by the rule " + inert_name(judgement.detector);
    facts.add("verdict of the supervisor's rules", verdict);
    facts.add("because", inert_clean(judgement.reason, limits::kJudgeNoteBytesMax));
    facts.add("resting on events", numbers(judgement.evidence));
}

void add_figures(Facts& facts, const core::SessionState& state) {
    facts.add("finished calls", std::to_string(state.tool_calls) + ", of which failed " +
                                    std::to_string(state.tool_failures));
    facts.add("rounds in a row that brought nothing new",
              std::to_string(state.ledger->quiet_rounds));
    std::vector<std::string> open;
    for (const core::OpenCall& call : state.open_calls)
        open.push_back(inert_name(call.tool));
    facts.add("calls under way", list(open));
    if (state.waits_for_human()) facts.add("waits for", "a person who was asked to decide");
}

/// The newest facts that fit, the newest last.
void add_known(Facts& facts, const core::Checks& checks) {
    constexpr std::size_t kLineBytes = 16;         // of the label
    constexpr std::size_t kKnownBytesMax = 4'500;  // the goal and the figures have the rest
    std::vector<std::string> fit;
    std::size_t bytes = 0;
    for (auto fact = checks.facts.rbegin(); fact != checks.facts.rend(); ++fact) {
        std::string text = inert_clean(*fact, 2 * limits::kFactBytesMax);
        bytes += kLineBytes + text.size();
        if (bytes > kKnownBytesMax) break;
        fit.push_back(std::move(text));
    }
    if (checks.facts_learned > fit.size())
        facts.add("older known facts left out", std::to_string(checks.facts_learned - fit.size()));
    for (auto text = fit.rbegin(); text != fit.rend(); ++text)
        facts.add("known fact", *text);
}

/// "#12 call bash ..." with its line feed.
std::string written(const TranscriptLine& line) {
    return "#" + std::to_string(line.n) + " " + line.text + "\n";
}

JudgePrompt assembled(std::string_view system, std::string_view frame, std::string data,
                      std::vector<std::uint64_t> shown) {
    if (data.ends_with('\n')) data.pop_back();  // the frame has its own
    std::sort(shown.begin(), shown.end());
    shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
    return {std::string{system}, fenced(frame, data), std::move(shown)};
}

/// The newest lines that fit into `bytes`, and above them how many do not.
std::string events_that_fit(const Transcript& transcript, std::size_t bytes,
                            std::vector<std::uint64_t>& shown) {
    std::string out;
    std::size_t first = transcript.lines.size();
    while (first > 0) {
        std::string line = written(transcript.lines[first - 1]);
        if (out.size() + line.size() > bytes) break;
        out.insert(0, line);
        shown.push_back(transcript.lines[--first].n);
    }
    const std::uint64_t left_out = transcript.left_out + first;
    std::string head = "events, the newest last";
    if (left_out > 0) head += "; older ones left out: " + std::to_string(left_out);
    return head + (out.empty() ? ": none\n" : ":\n" + out);
}

}  // namespace

JudgePrompt status_prompt(const core::SessionState& state, std::span<const core::Event> recent) {
    const Transcript transcript = transcript_of(recent, state.policy->trust_origin);
    Facts facts;
    add_task(facts, state);
    add_verdict(facts, state);
    add_figures(facts, state);
    facts.add("files changed lately", list(transcript.changed));
    facts.add("files changed in all", std::to_string(state.files_modified));
    std::string data = facts.take();

    constexpr std::size_t kHeadlineBytesMax = 64;
    static_assert(limits::kJudgePromptBytesMax > kFrameBytesMax + kHeadBytesMax + 4'000);
    const std::size_t room =
        limits::kJudgePromptBytesMax - kFrameBytesMax - kHeadlineBytesMax - data.size();
    std::vector<std::uint64_t> shown = state.judgement->evidence;
    data += events_that_fit(transcript, room, shown);
    return assembled(prompt_files::kStatusSystem, prompt_files::kStatusUser, std::move(data),
                     std::move(shown));
}

JudgePrompt estimate_prompt(const core::SessionState& state, std::span<const core::Event> recent) {
    Facts facts;
    add_task(facts, state);
    const std::uint64_t failed = std::min(state.tool_failures, state.tool_calls);
    facts.add("completed steps", std::to_string(state.tool_calls - failed));
    facts.add("failed steps", std::to_string(failed));
    facts.add("files changed", std::to_string(state.files_modified));
    add_known(facts, *state.checks);
    std::string data = facts.take();

    const Latest latest = latest_of(recent, state.policy->trust_origin);
    std::vector<std::uint64_t> shown;
    const auto add = [&](std::string_view label, const TranscriptLine& line) {
        if (line.n == 0) return;
        data.append(label).append(": ").append(written(line));
        shown.push_back(line.n);
    };
    add("latest plan", latest.plan);
    add("latest reflection", latest.reflection);
    add("latest message", latest.message);
    add("latest action and outcome", latest.call);
    if (latest.call.n == 0) data += "latest action and outcome: none yet\n";
    return assembled(prompt_files::kEstimateSystem, prompt_files::kEstimateUser, std::move(data),
                     std::move(shown));
}

}  // namespace headway::api
