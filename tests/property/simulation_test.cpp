// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdio>

#include "tests/support/seed.hpp"
#include "tests/support/simulation/world.hpp"

using namespace headway::tests;

TEST_CASE(
    "simulation: the promises hold for agents that crash, lie, loop and race on a failing disk",
    "[property]") {
    const bool whole = std::getenv("HEADWAY_LONG") != nullptr;
    const std::size_t worlds = whole ? 200 : 4;
    const std::size_t steps = whole ? 100'000 : 1'500;
    std::size_t events = 0;
    for (std::size_t i = 0; i < worlds; ++i) {
        INFO("HEADWAY_SEED=" << seed() << " world " << i);
        World world{seed() + i, 12 + i % 5 * 8};
        for (std::size_t done = 0; done < steps;)
            done += world.step();
        world.check_disk();
        world.check_verdicts();
        world.check_exports();
        events += world.events();
        if (whole) {
            std::printf("%zu of %zu worlds of %zu steps, %zu events\n", i + 1, worlds, steps,
                        events);
            std::fflush(stdout);
        }
    }
}
