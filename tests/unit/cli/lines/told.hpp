// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/base/json.hpp"
#include "cli/lines/agent_lines.hpp"
#include "cli/process/output_lines.hpp"

namespace headway::tests {

/// Result of a reader of lines for an output.
struct Told {
    std::vector<std::string> events;  ///< "started t1 Bash", "ok t1", "failed t1: denied", ...
    std::vector<cli::LineEvent> whole;
    std::string rest;          ///< ordinary output
    std::uint64_t tokens = 0;  ///< all of them
    cli::LineTokens parts;
    double cost = 0;
    bool ok = false;
    std::string result;
    std::string model;
    std::string conversation;
    cli::RunFacts facts;
    bool done = false;
};

/// A number of milliseconds, as "in 5000 ms" in the place of the time that a clock would make of
/// it.
inline void mark_delay(cli::LineEvent& error) {
    if (error.retry_in_ms)
        error.data["retry_at"] = "in " + std::to_string(*error.retry_in_ms) + " ms";
}

inline std::string short_form(const cli::LineEvent& event) {
    const cli::Json& data = event.data;
    const std::string id = data.text_of("call_id");
    if (event.type == "tool.started") return "started " + id + " " + data.text_of("tool");
    if (event.type == "message") return data.text_of("role") + ": " + data.text_of("text");
    if (event.type == "state.changed") return "at work: " + data.text_of("detail");
    if (event.type != "tool.finished") return event.type;
    if (data.flag_of("ok")) return "ok " + id + " " + data.text_of("tool");
    const std::string kind = data["error"].text_of("class");
    return "failed " + id + " " + data.text_of("tool") + (kind.empty() ? "" : ": " + kind);
}

/// In pieces of this size, as a pipe may give them.
inline Told told_of(std::string_view output, std::size_t piece = 7) {
    Told advice;
    cli::OutputLines rest;
    cli::AgentLines lines(
        [&advice](const cli::LineEvent& event, bool) {
            const cli::Json& usage = event.data["usage"];
            if (event.type == "heartbeat") {
                advice.parts.input += usage.count_of("input_tokens");
                advice.parts.cached += usage.count_of("cached_tokens");
                advice.parts.cache_write += usage.count_of("cache_write_tokens");
                advice.parts.output += usage.count_of("output_tokens");
                advice.parts.reasoning += usage.count_of("reasoning_tokens");
                advice.tokens = advice.parts.sum();
                advice.cost += usage["cost_usd"].number();
                return;
            }
            advice.events.push_back(short_form(event));
            advice.whole.push_back(event);
        },
        [](cli::LineEvent& error, const std::string&, const std::string&) { mark_delay(error); });
    for (; !output.empty(); output.remove_prefix(std::min(piece, output.size())))
        lines.feed(output.substr(0, piece), rest);
    lines.finish(rest);
    advice.rest = rest.take(true).value_or("");
    advice.ok = lines.result() && lines.result()->ok;
    if (lines.result()) advice.result = lines.result()->text;
    advice.model = lines.model();
    advice.conversation = lines.conversation();
    advice.facts = lines.facts();
    advice.done = lines.is_done();
    return advice;
}

inline std::string agent_fixture(const std::string& name) {
    const std::filesystem::path folder =
        std::filesystem::path{HEADWAY_SOURCE_DIR} / "tests/unit/cli/lines/fixtures";
    std::ifstream file{folder / (name + ".jsonl"), std::ios::binary};
    std::ostringstream out;
    out << file.rdbuf();
    return std::move(out).str();
}

}  // namespace headway::tests
