// SPDX-License-Identifier: Apache-2.0
#include "cli/lines/sub_agents/sub_agents.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/cli/lines/told.hpp"

using headway::cli::Json;
using headway::cli::LineEvent;
using headway::cli::SubAgents;
using headway::tests::Told;
using headway::tests::told_of;

namespace {

std::string lane_line(const std::string& members) {
    return R"({"session_id":"s","uuid":"u",)" + members + "}\n";
}

std::string lane_of(const std::string& parent) {
    return parent.empty() ? "" : R"(,"parent_tool_use_id":")" + parent + '"';
}

std::string lane_use(const std::string& id, const std::string& tool, const std::string& input,
                     const std::string& parent = {}) {
    return lane_line(R"("type":"assistant","message":{"content":[{"type":"tool_use","id":")" + id +
                     R"(","name":")" + tool + R"(","input":{)" + input + "}}]}" + lane_of(parent));
}

std::string lane_result(const std::string& id, const std::string& parent = {}, bool error = false) {
    return lane_line(
        R"("type":"user","message":{"content":[{"type":"tool_result","tool_use_id":")" + id +
        R"(","is_error":)" + (error ? "true" : "false") + R"(,"content":"words"}]})" +
        lane_of(parent));
}

std::string lane_launch(const std::string& id) {
    return lane_use(id, "Task", R"("description":"part )" + id + R"(","subagent_type":"reviewer")");
}

std::string lane_call(const std::string& id, const std::string& parent) {
    return lane_use(id, "Bash", R"("command":"make")", parent) + lane_result(id, parent);
}

/// "started t1 Bash of T" and so on; a lane as "ok t1 Bash @T".
std::vector<std::string> lanes_shown(const Told& told) {
    std::vector<std::string> all;
    for (const LineEvent& event : told.whole) {
        std::string line = headway::tests::short_form(event);
        if (event.by) line += " of " + event.by->id;
        const std::string lane = event.data.text_of("lane");
        if (!lane.empty()) line += " @" + lane;
        if (event.type == "session.ended") line += ": " + event.data.text_of("outcome");
        all.push_back(line);
    }
    return all;
}

using LaneLines = std::vector<std::string>;

}  // namespace

TEST_CASE("sub-agents of lines: their calls are theirs until their launching call ends", "[cli]") {
    const Told told =
        told_of(lane_launch("A") + lane_launch("B") + lane_call("t1", "A") + lane_call("t2", "B") +
                lane_result("A") + lane_call("t3", "A") + lane_result("B", "", true));
    CHECK(lanes_shown(told) == LaneLines{"started A Task", "started B Task", "started t1 Bash of A",
                                         "ok t1 Bash of A", "started t2 Bash of B",
                                         "ok t2 Bash of B", "session.ended of A: completed",
                                         "ok A Task", "started t3 Bash", "ok t3 Bash @A",
                                         "session.ended of B: failed", "failed B Task"});
    const LineEvent& event = told.whole.at(2);
    CHECK(event.by->goal == "part A");
    CHECK(event.by->type == "reviewer");
    CHECK(event.by->agent == "claude");
}

TEST_CASE("sub-agents of lines: a launch that no call has made is none", "[cli]") {
    const Told told =
        told_of(lane_call("t1", "") + lane_call("t2", "t1") + lane_call("t3", "nothing"));
    CHECK(lanes_shown(told) == LaneLines{"started t1 Bash", "ok t1 Bash", "started t2 Bash",
                                         "ok t2 Bash", "started t3 Bash", "ok t3 Bash"});
}

TEST_CASE("sub-agents of lines: no more than their bound, and then lanes", "[cli]") {
    SubAgents all;
    std::size_t own = 0;
    std::size_t ends = 0;
    for (std::size_t i = 0; i < 2 * SubAgents::kAllMax; ++i) {
        const std::string id = "L" + std::to_string(i);
        all.note_started({{"call_id", id}, {"tool", "Task"}});
        const SubAgents::Speaker speaker = all.speaker(id, {}, "claude");
        CHECK(speaker.launched);
        own += std::size_t{speaker.by != nullptr};
        ends += all.end_of_call({{"call_id", id}, {"ok", true}}).size();
    }
    CHECK(own == SubAgents::kAllMax);
    CHECK(ends == SubAgents::kAllMax);
    SubAgents at_once;
    for (std::size_t i = 0; i < 2 * SubAgents::kLaunchesMax; ++i) {
        const std::string id = "L" + std::to_string(i);
        at_once.note_started({{"call_id", id}, {"tool", "Task"}});
        static_cast<void>(at_once.speaker(id, {}, "claude"));
    }
    CHECK(at_once.end_all().size() == SubAgents::kAllMax);
}

TEST_CASE("sub-agents of lines: one in the background ends with its task, or with its agent",
          "[cli]") {
    const std::string started =
        lane_line(R"("type":"system","subtype":"task_started","task_id":"a1","tool_use_id":"A",)"
                  R"("task_type":"local_agent","is_backgrounded":true)");
    const std::string begins = lane_launch("A") + started + lane_result("A") + lane_call("t1", "A");
    const auto over = [](const char* status) {
        return lane_line(R"("type":"system","subtype":"task_notification","task_id":"a1",)"
                         R"("tool_use_id":"A","status":")" +
                         std::string(status) + '"');
    };
    const auto last = [&](const std::string& lines) { return lanes_shown(told_of(lines)).back(); };
    CHECK(last(begins + over("completed")) == "session.ended of a1: completed");
    CHECK(last(begins + over("failed")) == "session.ended of a1: failed");
    CHECK(last(begins + over("killed")) == "session.ended of a1: cancelled");
    CHECK(last(begins) == "session.ended of a1: cancelled");
    CHECK(last(begins + over("completed") + lane_call("t2", "A")) == "ok t2 Bash @A");
}

TEST_CASE("sub-agents of lines: a task of a command is none", "[cli]") {
    const Told told = told_of(
        lane_line(R"("type":"system","subtype":"task_started","task_id":"b1","tool_use_id":"B",)"
                  R"("task_type":"local_bash","is_backgrounded":true)") +
        lane_call("t1", "B"));
    CHECK(lanes_shown(told) == LaneLines{"started t1 Bash", "ok t1 Bash"});
}

TEST_CASE("sub-agents of lines: the agent's own id for it is that of its hooks", "[cli]") {
    const std::string line = headway::tests::agent_fixture("claude");
    const LaneLines all = lanes_shown(told_of(line));
    CHECK(std::count(all.begin(), all.end(), "ok toolu_fake0013 Bash of aba5d2607832d1e00") == 1);
}

TEST_CASE("sub-agents of lines: Copilot's are told apart by the same rule", "[cli]") {
    const LaneLines all = lanes_shown(told_of(headway::tests::agent_fixture("copilot")));
    const std::string id = "7c71ee28-aa73-4a5e-a752-d7706c0fca7a";
    CHECK(std::count(all.begin(), all.end(), "ok call_fake0010 bash of " + id) == 1);
    CHECK(std::count(all.begin(), all.end(), "session.ended of " + id + ": cancelled") == 1);
}

TEST_CASE("sub-agents of lines: tokens, cost and errors are the agent's", "[cli]") {
    const Told told =
        told_of(lane_launch("A") +
                lane_line(R"("type":"assistant","message":{"id":"m","content":[],"usage":)"
                          R"({"input_tokens":7}},"parent_tool_use_id":"A")") +
                lane_line(R"("type":"assistant","error":"rate_limit","message":{"content":)"
                          R"([{"type":"text","text":"limit"}]},"parent_tool_use_id":"A")"));
    CHECK(told.tokens == 7);
    CHECK(lanes_shown(told).at(1) == "error.reported");
    CHECK(told.facts.error);
}
