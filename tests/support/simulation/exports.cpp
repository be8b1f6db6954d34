// SPDX-License-Identifier: Apache-2.0
#include "tests/support/simulation/exports.hpp"

#include <sstream>
#include <stdexcept>
#include <variant>

#include "api/encode/encode.hpp"
#include "cli/records/offline_judge.hpp"
#include "cli/records/recording.hpp"

namespace headway::tests {

using core::Event;
using core::VerdictChanged;

Verdicts verdicts_of(const std::vector<Event>& journal) {
    Verdicts verdicts;
    for (const Event& event : journal) {
        if (const auto* change = std::get_if<VerdictChanged>(&event.payload))
            verdicts.emplace_back(event.n, change->to);
    }
    return verdicts;
}

Verdicts judged_export(const std::string& session, const std::vector<Event>& journal) {
    std::stringstream lines;
    for (const Event& event : journal) {
        std::string line;
        api::append_event(line, session, event, {true, "key"});
        lines << line << "\n";
    }
    const auto recording = cli::read_recording(lines, cli::ReadFor::kJudge);
    if (!recording) throw std::logic_error(recording.error().detail);
    api::JsonDocument document;
    const auto timeline = cli::judge_recording(*recording, {}, document);
    if (!timeline) throw std::logic_error(timeline.error().detail);
    Verdicts verdicts;
    for (const cli::Step& step : timeline->verdicts)
        verdicts.emplace_back(step.event.n, std::get<VerdictChanged>(step.event.payload).to);
    return verdicts;
}

}  // namespace headway::tests
