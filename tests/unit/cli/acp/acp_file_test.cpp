// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/messages/acp_file.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temp_dir.hpp"

using headway::cli::acp_read_file;
using headway::cli::AcpFile;
using headway::cli::kAcpFileBytesMax;
using headway::tests::TempDir;
namespace fs = std::filesystem;

namespace {

void put(const fs::path& path, const std::string& text) {
    std::ofstream{path} << text;
}

bool is_unknown(const std::string& path) {
    const AcpFile file = acp_read_file(path);
    return !file.missing && !file.text;
}

}  // namespace

TEST_CASE("acp: a file that is read as it is now", "[cli]") {
    const TempDir folder;
    const std::string path = folder.file("a").string();
    CHECK(acp_read_file(path).missing);
    CHECK(acp_read_file(folder.file("none/a").string()).missing);
    put(path, std::string{"a\0b\r\n", 5});
    fs::create_symlink(path, folder.file("link"));
    for (const std::string& name : {path, folder.file("link").string()}) {
        const AcpFile file = acp_read_file(name);
        CHECK_FALSE(file.missing);
        CHECK(file.text == std::string{"a\0b\r\n", 5});
    }
}

TEST_CASE("acp: of what is no file with a place of its own nothing is known", "[cli]") {
    const TempDir folder;
    const std::string path = folder.file("a").string();
    put(path, "a");
    CHECK(is_unknown(path + '\0' + "b"));
    CHECK(is_unknown(fs::relative(path).string()));
    CHECK(is_unknown(path + "/b"));
    CHECK(is_unknown(folder.file("").string()));
    CHECK(is_unknown("/dev/zero"));
    fs::create_symlink("nowhere", folder.file("link"));
    CHECK(is_unknown(folder.file("link").string()));
    REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
    CHECK(is_unknown(folder.file("pipe").string()));
}

TEST_CASE("acp: of a file that is too long nothing is known", "[cli]") {
    const TempDir folder;
    put(folder.file("a"), std::string(kAcpFileBytesMax, 'x'));
    CHECK(acp_read_file(folder.file("a").string()).text->size() == kAcpFileBytesMax);
    put(folder.file("a"), std::string(kAcpFileBytesMax + 1, 'x'));
    CHECK(is_unknown(folder.file("a").string()));
}
