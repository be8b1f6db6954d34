// SPDX-License-Identifier: Apache-2.0
#include "tests/support/traces/crowded.hpp"

#include "core/base/limits.hpp"

namespace headway::tests {
namespace {

/// A name as long as a name may be.
std::string long_name(std::string name) {
    name.resize(core::limits::kStringBytesMax, '_');
    return name;
}

Call read(std::uint64_t i) {
    Call call;
    call.tool = "read_file";
    call.args = "{\"path\":\"deep/part_" + std::to_string(i) + "\"}";
    call.result = quoted("content " + std::to_string(i));
    return call;
}

Call edit(std::uint64_t file, std::uint64_t version) {
    Call call;
    call.tool = "edit_file";
    call.args = "{\"path\":\"src/f" + std::to_string(file) + "\",\"text\":\"v" +
                std::to_string(version) + "\"}";
    call.result = "\"ok\"";
    call.mutated = {{"src/f" + std::to_string(file),
                     "sha-" + std::to_string(file) + "-" + std::to_string(version)}};
    return call;
}

Call test(std::uint64_t i, std::uint64_t version) {
    Call call;
    call.tool = "bash";
    call.args = "{\"command\":\"pytest tests/t" + std::to_string(i) + "\"}";
    call.result = quoted("FAILED t" + std::to_string(version) + " - AssertionError\n" +
                         std::to_string(90 + version % 7) + " failed, 1 passed");
    return call;
}

Call failure(std::uint64_t i) {
    Call call;
    call.tool = "tool_" + std::to_string(i);
    call.args = "{\"command\":" + quoted(std::string(900, 'x')) + "}";
    call.ok = false;
    call.error = "broken in way " + std::to_string(i);
    return call;
}

}  // namespace

Trace crowded_trace(std::uint64_t seed, std::size_t calls) {
    Gen gen{seed};
    Habits habits;
    habits.starts = true;
    habits.rounds = true;
    Recorder recorder{gen, seed, habits};
    for (std::uint64_t i = 0; recorder.calls() < calls; ++i) {
        std::vector<Call> calls_of_turn{read(i), read(gen.below(1 + i)), test(i % 40, i / 40),
                                        failure(i % 40)};
        for (std::uint64_t k = 4 * i; k < 4 * i + 4; ++k)
            calls_of_turn.push_back(edit(i < 10 ? 1'000 + k : k % 128, k));
        recorder.turn(calls_of_turn);
        if (i % 4 == 0) recorder.message("assistant", std::string(6'000, 'm') + std::to_string(i));
        if (i % 8 == 0) {
            recorder.event("phase.started", "{\"number\":" + std::to_string(i) + ",\"name\":" +
                                                quoted(long_name("p" + std::to_string(i))) +
                                                ",\"description\":" + quoted(long_name("d")) + "}");
            std::string blockers;
            for (int blocker = 0; blocker < 20; ++blocker)
                blockers += (blocker > 0 ? "," : "") + quoted(long_name("because"));
            recorder.event("phase.completed", "{\"number\":" + std::to_string(i) +
                                                  ",\"blockers\":[" + blockers + "]}");
            for (int again = 0; again < 3; ++again)  // a loop of its own for the nudges
                recorder.call(read(1'000'000 + i));
        }
        if (i % 16 == 0) {
            recorder.event("tool.started", "{\"call_id\":" + quoted("open" + std::to_string(i)) +
                                               ",\"tool\":" + quoted(long_name("slow")) + "}");
        }
    }
    return recorder.take();
}

}  // namespace headway::tests
