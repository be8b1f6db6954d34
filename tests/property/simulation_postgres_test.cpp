// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdio>

#include "tests/support/postgres_here.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/simulation/world.hpp"

using namespace headway::tests;

TEST_CASE("simulation: the same promises hold, and verdicts are the same, over PostgreSQL",
          "[property]") {
    if (!PostgresHere::found()) return;
    const bool whole = std::getenv("HEADWAY_LONG") != nullptr;
    const std::size_t worlds = whole ? 20 : 2;
    const std::size_t steps = whole ? 20'000 : 800;
    for (std::size_t i = 0; i < worlds; ++i) {
        INFO("HEADWAY_SEED=" << seed() << " world " << i);
        const PostgresHere here;
        int starts = 0;
        World world{seed() + i, 12 + i % 5 * 8, [&](const headway::server::Clock& clock) {
                        return here.daemon("daemon " + std::to_string(++starts),
                                           [&clock] { return clock.now(); });
                    }};
        for (std::size_t done = 0; done < steps;)
            done += world.step();
        world.check_disk();
        world.check_verdicts();
        world.check_exports();
    }
}
