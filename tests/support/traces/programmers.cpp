// SPDX-License-Identifier: Apache-2.0
#include "tests/support/traces/agents.hpp"
#include "tests/support/traces/workspace.hpp"

namespace headway::tests {
namespace {

/// Interruptions of any work now and then, and how they are put right.
void stumble(Gen& gen, Recorder& recorder, Workspace& space) {
    const std::size_t file = gen.index(space.files());
    if (gen.chance(2)) {
        recorder.call(space.failed_edit(file));
        recorder.call(space.read(file));
        recorder.call(space.edit(file));
        return;
    }
    Call missing;
    missing.tool = "bash";
    missing.args = "{\"command\":\"python tools/gen_" + std::to_string(gen.below(1'000)) + ".py\"}";
    missing.ok = false;
    missing.error = "ModuleNotFoundError: No module named 'yaml'";
    recorder.call(missing);
    Call install;
    install.tool = "bash";
    install.args = "{\"command\":\"pip install pyyaml\"}";
    install.result = quoted("Successfully installed pyyaml-6.0." + std::to_string(gen.below(50)));
    recorder.call(install);
    missing.ok = true;
    missing.error.clear();
    missing.result = quoted("generated " + std::to_string(gen.below(100'000)) + " lines");
    recorder.call(missing);
}

void look_around(Gen& gen, Recorder& recorder, Workspace& space) {
    const std::uint64_t what = gen.below(10);
    if (what < 4) {
        recorder.call(space.search(true));
    } else if (what < 6) {
        recorder.call(space.search(false));
    } else if (what < 9) {
        std::vector<Call> reads;
        const std::size_t first = gen.index(space.files());
        for (std::size_t i = 0; i < 1 + gen.index(4) && first + i < space.files(); ++i) {
            if (space.stale(first + i)) reads.push_back(space.read(first + i));
        }
        if (reads.empty()) reads.push_back(space.search(true));
        recorder.turn(reads);
    } else {
        recorder.call(space.list());
        recorder.call(space.search(true));
    }
}

void check_and_commit(Gen& gen, Recorder& recorder, Workspace& space) {
    if (gen.chance(2)) recorder.call(space.status());
    if (gen.chance(2)) recorder.call(space.diff());
    recorder.call(space.commit());
    if (gen.chance(3)) recorder.call(space.status());
}

/// Runs the tests until they are green, with an edit before each run.
void mend(Gen& gen, Recorder& recorder, Workspace& space, std::size_t file) {
    std::uint64_t vain = 0;
    recorder.call(space.test());
    while (space.red() > 0) {
        if (gen.chance(3)) look_around(gen, recorder, space);
        if (gen.chance(2) && space.stale(file)) recorder.call(space.read(file));
        recorder.call(space.edit(file));
        // Most edits help; some only move the failure, and a few change nothing, never many in a
        // row.
        if (vain < 3 && gen.chance(6)) {
            ++vain;
        } else if (vain < 3 && gen.chance(5)) {
            space.move_failure();
        } else {
            vain = 0;
            space.fix_tests(1 + gen.index(3));
        }
        recorder.call(space.test());
    }
}

/// A flaky test: run again without a change until it is understood. The programmer has seen it red,
/// and stops to think after three equal runs.
void hunt_flake(Gen& gen, Recorder& recorder, Workspace& space) {
    std::uint64_t equal = 0;
    bool red = true;
    for (std::uint64_t runs = 4 + gen.below(6); runs > 0; --runs) {
        if (red) space.break_tests(1);
        recorder.call(space.test());
        if (red) space.fix_tests(1);
        const bool flips = equal == 2 || gen.chance(2);
        equal = flips ? 0 : equal + 1;
        if (flips) red = !red;
    }
    recorder.call(space.edit(gen.index(space.files())));
    recorder.call(space.test());
}

void refactor(Gen& gen, Recorder& recorder, Workspace& space) {
    recorder.call(space.search(true));
    const std::size_t count = 3 + gen.index(12);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t file = gen.index(space.files());
        if (!gen.chance(4)) recorder.call(space.read(file));
        recorder.call(space.edit(file));
        if (gen.chance(6)) recorder.call(space.read(file));
        if (gen.chance(5)) recorder.call(space.build());
        if (gen.chance(8)) recorder.call(space.format());
        if (gen.chance(20)) stumble(gen, recorder, space);
    }
    if (gen.chance(3)) space.break_tests(1 + gen.index(5));
    mend(gen, recorder, space, gen.index(space.files()));
    check_and_commit(gen, recorder, space);
}

void hunt_bugs(Gen& gen, Recorder& recorder, Workspace& space) {
    const std::size_t file = gen.index(space.files());
    space.break_tests(2 + gen.index(10));
    for (std::uint64_t i = gen.below(5); i > 0; --i)
        look_around(gen, recorder, space);
    mend(gen, recorder, space, file);
    if (gen.chance(6)) hunt_flake(gen, recorder, space);
    if (gen.chance(12)) stumble(gen, recorder, space);
    check_and_commit(gen, recorder, space);
}

void change_phase(Gen& gen, Recorder& recorder, std::uint64_t number) {
    static constexpr std::string_view kNames[] = {"implement", "test", "review", "document"};
    recorder.event("phase.started", "{\"number\":" + std::to_string(number) +
                                        ",\"name\":" + quoted(gen.pick(kNames)) + "}");
    if (gen.chance(2)) {
        recorder.event("plan.updated",
                       "{\"text\":" + quoted("Next: task " + std::to_string(number)) + "}");
    }
}

}  // namespace

void work_as_programmer(Personality who, Gen& gen, Recorder& recorder, std::size_t calls) {
    Workspace::Options options;
    options.shell = who == Personality::kShellOnly;
    options.digests = !options.shell && !gen.chance(3);
    options.files = who == Personality::kBugHunter ? 1 + gen.index(4) : 10 + gen.index(70);
    options.red_is_error = gen.chance(2);
    options.quiet_edits = gen.chance(2);
    Workspace space{gen, recorder, options};
    const bool phases = gen.chance(2);
    for (std::uint64_t task = 1; recorder.calls() < calls; ++task) {
        if (phases) change_phase(gen, recorder, task);
        if (gen.chance(5))
            recorder.message("user", "Please do task " + std::to_string(task) + " next.");
        const bool bugs =
            who == Personality::kBugHunter || (who == Personality::kShellOnly && gen.chance(2));
        if (bugs) {
            hunt_bugs(gen, recorder, space);
        } else {
            refactor(gen, recorder, space);
        }
    }
}

}  // namespace headway::tests
