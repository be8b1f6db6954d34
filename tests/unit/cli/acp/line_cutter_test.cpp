// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/messages/line_cutter.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using headway::cli::LineCutter;

namespace {

std::vector<std::string> cut(const std::string& bytes, std::size_t piece) {
    LineCutter cutter;
    std::vector<std::string> lines;
    const LineCutter::Take take = [&lines](std::string_view text, bool whole) {
        lines.push_back((whole ? "line " : "part ") + std::string(text));
    };
    for (std::size_t at = 0; at < bytes.size(); at += piece)
        cutter.feed(std::string_view(bytes).substr(at, piece), take);
    cutter.finish(take);
    return lines;
}

}  // namespace

TEST_CASE("line cutter: lines come whole, whatever the pieces", "[cli]") {
    for (const std::size_t piece : {1U, 2U, 3U, 100U}) {
        CHECK(cut("one\n\ntwo\r\nend", piece) ==
              std::vector<std::string>{"line one", "line ", "line two\r", "part end"});
    }
}

TEST_CASE("line cutter: a line that is too long comes in parts that make it whole again", "[cli]") {
    const std::string longer(LineCutter::kLineBytesMax + 10, 'x');
    std::string all;
    for (const std::string& part : cut(longer + "\nnext\n", 1U << 20))
        all += part.substr(5) + (part.starts_with("line ") ? "\n" : "");
    CHECK(all == longer + "\nnext\n");
}
