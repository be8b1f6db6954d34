// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/support/seed.hpp"

// Stands in for libFuzzer where the compiler has none: plays every file of the corpus, then random
// changes of them. usage: NAME FOLDER CHANGES; HEADWAY_SEED is the seed.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void play(const std::string& bytes) {
    // In a block of its own size, so that a sanitizer sees the first byte too far.
    const std::vector<char> exact(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(exact.data()), exact.size());
}

std::vector<std::string> read_corpus(const char* folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator{folder})
        paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> corpus;
    for (const auto& path : paths) {
        std::ifstream file{path, std::ios::binary};
        corpus.emplace_back(std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{});
    }
    return corpus;
}

std::string changed(std::mt19937_64& random, const std::vector<std::string>& corpus) {
    std::string bytes = corpus[random() % corpus.size()];
    const std::string& other = corpus[random() % corpus.size()];
    for (std::uint64_t i = 1 + random() % 6; i > 0; --i) {
        const std::size_t at = bytes.empty() ? 0 : random() % bytes.size();
        switch (random() % 5) {
            case 0:
                if (!bytes.empty()) bytes[at] = static_cast<char>(random());
                break;
            case 1:
                bytes.erase(at, 1 + random() % 16);
                break;
            case 2:
                bytes.insert(at, 1 + random() % 4, static_cast<char>(random()));
                break;
            case 3:
                bytes.insert(at, bytes.substr(0, random() % 32));
                break;
            default:
                bytes.insert(at, other.substr(other.empty() ? 0 : random() % other.size(), 32));
                break;
        }
    }
    return bytes;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 64;
    const std::vector<std::string> corpus = read_corpus(argv[1]);
    if (corpus.empty()) {
        std::fprintf(stderr, "no corpus in %s\n", argv[1]);
        return 1;
    }
    for (const std::string& bytes : corpus)
        play(bytes);
    std::printf("%zu files; HEADWAY_SEED=%llu\n", corpus.size(),
                static_cast<unsigned long long>(headway::tests::seed()));
    std::fflush(stdout);  // before an input that ends us
    std::mt19937_64 random{headway::tests::seed()};
    for (long i = std::strtol(argv[2], nullptr, 10); i > 0; --i)
        play(changed(random, corpus));
    return 0;
}
