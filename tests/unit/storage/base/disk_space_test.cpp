// SPDX-License-Identifier: Apache-2.0
#include "storage/base/disk_space.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/temp_dir.hpp"

using namespace headway::storage;
using headway::tests::TempDir;

namespace {

constexpr std::uint64_t kBytes = 1U << 20;

struct stat stat_of(const std::filesystem::path& file) {
    struct stat found {};
    REQUIRE(::stat(file.c_str(), &found) == 0);
    return found;
}

}  // namespace

TEST_CASE("ballast: it takes blocks of the disk, is its owner's, and is given back", "[storage]") {
    const TempDir dir;
    BallastFile ballast{dir.file("ballast"), kBytes};
    CHECK_FALSE(ballast.reserved());
    REQUIRE(ballast.free_bytes().has_value());
    CHECK(ballast.reserve(0));
    CHECK(ballast.reserved());
    CHECK(stat_of(dir.file("ballast")).st_size == static_cast<off_t>(kBytes));
    CHECK(stat_of(dir.file("ballast")).st_blocks * 512 >= static_cast<blkcnt_t>(kBytes));
    CHECK((stat_of(dir.file("ballast")).st_mode & 0777U) == 0600U);
    CHECK(ballast.reserve(0));
    CHECK(ballast.release());
    CHECK_FALSE(std::filesystem::exists(dir.file("ballast")));
    CHECK_FALSE(ballast.release());
}

TEST_CASE("ballast: it is not allocated if too little would be left", "[storage]") {
    const TempDir dir;
    BallastFile ballast{dir.file("ballast"), kBytes};
    CHECK_FALSE(ballast.reserve(1ULL << 50));
    CHECK_FALSE(ballast.reserved());
    CHECK_FALSE(std::filesystem::exists(dir.file("ballast")));
}

TEST_CASE("ballast: one of the right size is adopted, another is replaced, none is deleted",
          "[storage]") {
    const TempDir dir;
    CHECK(BallastFile(dir.file("ballast"), kBytes).reserve(0));
    CHECK(BallastFile(dir.file("ballast"), kBytes).reserved());
    BallastFile larger{dir.file("ballast"), 2 * kBytes};
    CHECK_FALSE(larger.reserved());
    CHECK(larger.reserve(0));
    const BallastFile none{dir.file("ballast"), 0};
    CHECK(none.reserved());
    CHECK_FALSE(std::filesystem::exists(dir.file("ballast")));
}

TEST_CASE("ballast: unknown free space promises nothing", "[storage]") {
    BallastFile ballast{"/nowhere/at/all", kBytes};
    CHECK_FALSE(ballast.free_bytes().has_value());
    CHECK_FALSE(ballast.reserve(0));
}
