// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "api/text/sse.hpp"
#include "cli/client/sse_parser.hpp"
#include "tests/fuzz/bytes.hpp"

// Server-Sent Events: the same bytes in other pieces are the same events, and what we send is what
// our client reads.

using namespace headway;

namespace {

std::vector<cli::SseEvent> in_pieces(std::string_view bytes, std::size_t piece) {
    cli::SseParser parser;
    std::vector<cli::SseEvent> all;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
        for (cli::SseEvent& event : parser.feed(bytes.substr(0, piece)))
            all.push_back(std::move(event));
    }
    return all;
}

void there_and_back(std::string_view text) {
    std::string line{text};
    for (char& c : line)
        c = c == '\n' || c == '\r' || c == '\0' ? ' ' : c;
    std::string wire;
    api::append_sse(wire, "verdict.changed", 7, line);
    const auto events = in_pieces(wire, wire.size());
    tests::require(events.size() == 1 && events[0].data == line && events[0].id == "7");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::Bytes bytes{data, size};
    const std::size_t piece = 1 + bytes.choose(16);
    const auto whole = in_pieces(bytes.rest(), bytes.rest().size() + 1);
    const auto pieces = in_pieces(bytes.rest(), piece);
    tests::require(whole.size() == pieces.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
        tests::require(whole[i].data == pieces[i].data && whole[i].type == pieces[i].type &&
                       whole[i].id == pieces[i].id);
    }
    there_and_back(bytes.rest());
    return 0;
}
