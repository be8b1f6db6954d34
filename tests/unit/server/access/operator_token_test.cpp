// SPDX-License-Identifier: Apache-2.0
#include "server/access/operator_token.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "server/tokens/token_text.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::server;
using namespace headway::tests;
using headway::core::ErrorCode;
namespace fs = std::filesystem;

namespace {

unsigned permissions_of(const fs::path& file) {
    struct stat about {};
    REQUIRE(::stat(file.c_str(), &about) == 0);
    return about.st_mode & 07777U;
}

std::string loaded(const fs::path& file) {
    auto token = load_operator_token(file);
    require_ok(token);
    return token->text;
}

}  // namespace

TEST_CASE("operator token: made once, for its owner only, and found again", "[server]") {
    const TempDir dir;
    const fs::path file = dir.file("operator.token");
    const ::mode_t before = ::umask(0);
    const std::string first = loaded(file);
    ::umask(before);
    CHECK(permissions_of(file) == 0600);
    CHECK(*token_id(first) == kOperatorId);
    CHECK(loaded(file) == first);
    CHECK_FALSE(fs::exists(dir.file("operator.token.new")));
}

TEST_CASE("operator token: a new one replaces the old, also over the rest of a broken start",
          "[server]") {
    const TempDir dir;
    const fs::path file = dir.file("operator.token");
    const std::string first = loaded(file);
    std::ofstream{dir.file("operator.token.new")} << "half a tok";
    const auto second = replace_operator_token(file);
    require_ok(second);
    CHECK(*second != first);
    CHECK(loaded(file) == *second);
    CHECK(permissions_of(file) == 0600);
    fs::remove(file);
    CHECK(loaded(file) != *second);
}

TEST_CASE("operator token: the mode of a file that others can read is fixed and reported",
          "[server]") {
    const TempDir dir;
    const fs::path file = dir.file("operator.token");
    const std::string text = loaded(file);
    fs::permissions(file, fs::perms::owner_all | fs::perms::group_read | fs::perms::others_read);
    const auto token = load_operator_token(file);
    require_ok(token);
    CHECK(token->tightened);
    CHECK(token->text == text);
    CHECK(permissions_of(file) == 0600);
    CHECK_FALSE(load_operator_token(file)->tightened);
}

TEST_CASE("operator token: another file in its place stops the start and is not touched",
          "[server]") {
    const TempDir dir;
    const fs::path file = dir.file("operator.token");
    SECTION("another text") {
        std::ofstream{file} << "password\n";
    }
    SECTION("nothing") {
        std::ofstream{file}.flush();
    }
    SECTION("another token") {
        std::ofstream{file} << make_token()->text;
    }
    SECTION("a folder") {
        fs::create_directory(file);
    }
    SECTION("a link") {
        fs::create_symlink(dir.file("elsewhere"), file);
    }
    CHECK(code_of(load_operator_token(file)) == ErrorCode::kInvalidConfig);
    CHECK(fs::symlink_status(file).type() != fs::file_type::not_found);
    CHECK_FALSE(fs::exists(dir.file("elsewhere")));
}

TEST_CASE("operator token: where nothing can be written is named", "[server]") {
    const auto token = load_operator_token("/nonexistent/operator.token");
    CHECK(code_of(token) == ErrorCode::kInvalidConfig);
    CHECK_THAT(token.error().detail, Catch::Contains("/nonexistent/operator.token"));
}
