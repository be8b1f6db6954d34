// SPDX-License-Identifier: Apache-2.0
#include "tests/support/traces/crowded.hpp"

#include "core/limits.hpp"

namespace headway::tests {
namespace {

std::string number(std::uint64_t n) {
    return std::to_string(n);
}

/// A name as long as a name may be.
std::string long_name(std::string name) {
    name.resize(core::limits::kStringBytesMax, '_');
    return name;
}

Call read(std::uint64_t i) {
    Call call;
    call.tool = "read_file";
    call.args = "{\"path\":\"deep/part_" + number(i) + "\"}";
    call.result = quoted("content " + number(i));
    return call;
}

Call edit(std::uint64_t file, std::uint64_t version) {
    Call call;
    call.tool = "edit_file";
    call.args = "{\"path\":\"src/f" + number(file) + "\",\"text\":\"v" + number(version) + "\"}";
    call.result = "\"ok\"";
    call.mutated = {{"src/f" + number(file), "sha-" + number(file) + "-" + number(version)}};
    return call;
}

Call test(std::uint64_t i, std::uint64_t version) {
    Call call;
    call.tool = "bash";
    call.args = "{\"command\":\"pytest tests/t" + number(i) + "\"}";
    call.result = quoted("FAILED t" + number(version) + " - AssertionError\n" +
                         number(90 + version % 7) + " failed, 1 passed");
    return call;
}

Call failure(std::uint64_t i) {
    Call call;
    call.tool = "tool_" + number(i);
    call.args = "{\"command\":" + quoted(std::string(900, 'x')) + "}";
    call.ok = false;
    call.error = "broken in way " + number(i);
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
        if (i % 4 == 0) recorder.message("assistant", std::string(6'000, 'm') + number(i));
        if (i % 8 == 0) {
            recorder.event("phase.started", "{\"number\":" + number(i) +
                                                ",\"name\":" + quoted(long_name("p" + number(i))) +
                                                ",\"description\":" + quoted(long_name("d")) + "}");
            std::string blockers;
            for (int blocker = 0; blocker < 20; ++blocker)
                blockers += (blocker > 0 ? "," : "") + quoted(long_name("because"));
            recorder.event("phase.completed",
                           "{\"number\":" + number(i) + ",\"blockers\":[" + blockers + "]}");
            for (int again = 0; again < 3; ++again)  // a loop of its own for the nudges
                recorder.call(read(1'000'000 + i));
        }
        if (i % 16 == 0) {
            recorder.event("tool.started", "{\"call_id\":" + quoted("open" + number(i)) +
                                               ",\"tool\":" + quoted(long_name("slow")) + "}");
        }
    }
    return recorder.take();
}

}  // namespace headway::tests
