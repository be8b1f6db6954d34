// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <exception>
#include <filesystem>

#include "bench/training/client.hpp"
#include "bench/training/daemon.hpp"
#include "bench/training/script.hpp"

// The training of the packaged binary: README.md in this folder.

namespace {

using namespace headway::training;

constexpr std::size_t kClients = 64;

/// Most of a daemon's life is reports.
void first_life() {
    Daemon daemon{"state"};
    Script script{daemon, kClients};
    script.report(400);
    script.report_batches(12);
    script.report_by_hooks(20);
    script.read_progress(30);
    script.stream(24);
    script.read_pages(24);
    script.approve(6);
    script.open_and_end(12);
    script.report(80);
    script.copy_state("killed");
    script.report(40);
    script.run();
}

/// A start after kill -9 reads the newest events again; agents go on where they were.
void second_life() {
    Daemon daemon{"killed"};
    Script script{daemon, kClients};
    script.report(40);
    script.read_progress(4);
    script.run();
}

}  // namespace

int main() try {
    std::signal(SIGPIPE, SIG_IGN);
    std::filesystem::remove_all("state");
    first_life();
    second_life();
    return 0;
} catch (const std::exception& e) {
    give_up(e.what());
}
