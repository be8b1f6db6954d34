// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/store_pieces.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

using namespace headway::cli;
using Found = StoreLines::Found;

namespace {

bool no_blobs(std::string_view line) {
    return !line.starts_with("blob");
}

std::vector<std::string> lines_of_pieces(const std::string& text) {
    std::istringstream in(text);
    StoreLines lines(in, no_blobs);
    std::vector<std::string> all;
    std::string_view line;
    for (Found found{}; (found = lines.next(line)) != Found::kEnd;)
        all.push_back(found == Found::kLine      ? std::string(line)
                      : found == Found::kTooLong ? "(long)"
                                                 : "(skipped)");
    return all;
}

std::vector<std::string> messages_of(const std::string& text) {
    std::istringstream in(text);
    StoreMessages messages(in);
    std::vector<std::string> all;
    std::string_view piece;
    for (Found found{}; (found = messages.next(piece)) != Found::kEnd;)
        all.push_back(found == Found::kLine ? std::string(piece) : "(long)");
    return all;
}

}  // namespace

TEST_CASE("pieces of a store: a line that is not ended is left", "[cli]") {
    CHECK(lines_of_pieces("{1}\n\n{2}\n{3") == std::vector<std::string>{"{1}", "(skipped)", "{2}"});
}

TEST_CASE("pieces of a store: a long line is whole, and one that is not needed takes no memory",
          "[cli]") {
    const std::string big(3 * kStoreChunkBytes + 17, 'x');
    const auto lines = lines_of_pieces("a\n" + big + "\nblob" + big + "\nz\n");
    REQUIRE(lines.size() == 4);
    CHECK(lines[1] == big);
    CHECK(lines[2] == "(skipped)");
    CHECK(lines[3] == "z");
}

TEST_CASE("pieces of a store: a line beyond the bound is left out, and the next is read", "[cli]") {
    const auto lines =
        lines_of_pieces(std::string(kStoredLineBytesMax + 2 * kStoreChunkBytes, 'x') + "\nz\n");
    CHECK(lines == std::vector<std::string>{"(long)", "z"});
}

TEST_CASE("pieces of a store: messages of a document come one by one behind its head", "[cli]") {
    const auto pieces = messages_of(
        R"( {"version":1,"origin":{"messages":[{"no":1}]},"messages" : [ {"a":"}]"}, {"b":[{"c":"\"{"}]}],)"
        R"("behind":[{"d":1}]})");
    REQUIRE(pieces.size() == 3);
    CHECK(pieces[0] == R"( {"version":1,"origin":{"messages":[{"no":1}]},"messages" : []})");
    CHECK(pieces[1] == R"({"a":"}]"})");
    CHECK(pieces[2] == R"({"b":[{"c":"\"{"}]})");
}

TEST_CASE("pieces of a store: a damaged document ends where it is damaged", "[cli]") {
    CHECK(messages_of("").empty());
    CHECK(messages_of("[1,2]").empty());
    CHECK(messages_of(R"({"messages":[{"a":1},{"b")").size() == 2);
    CHECK(messages_of(R"({"messages":[{"a":1}}]},{"b":1}]})").size() == 2);
    CHECK(messages_of(R"(]]]]{"messages":[{"a":1}]})").empty());
}
