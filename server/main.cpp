#include <cstdio>
#include <exception>

#include "cli/app.hpp"
#include "server/app.hpp"
#include "server/judge_probe.hpp"
#include "storage/migrations.hpp"

int main(int argc, char** argv) try {
    return headway::cli::run(
        argc, argv,
        {headway::server::serve, headway::server::probe_judge, headway::storage::kSchemaVersion});
} catch (const std::exception& e) {
    std::fprintf(stderr, "headway: %s\n", e.what());
    return 1;
}
