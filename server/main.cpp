#include <cstdio>
#include <exception>

#include "cli/app.hpp"
#include "server/app.hpp"

int main(int argc, char** argv) try {
    return headway::cli::run(argc, argv, headway::server::serve);
} catch (const std::exception& e) {
    std::fprintf(stderr, "headway: %s\n", e.what());
    return 1;
}
