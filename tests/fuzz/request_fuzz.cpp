// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "api/text/query.hpp"
#include "api/text/sse.hpp"
#include "server/http/message/endpoint.hpp"
#include "server/http/message/gate.hpp"
#include "server/http/message/request_head.hpp"
#include "server/tokens/token_text.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/support/read_requests.hpp"

// A connection's bytes: head, gate, route, query, positions, durations, tokens; and all requests of
// them, in pieces.

using namespace headway;

namespace {

constexpr std::string_view kNames = "after wait until q label cursor";

void look_at_target(const server::RequestHead& head) {
    const auto target = server::match(head.method, head.target);
    if (!target) return;
    server::RequestHead noted = head;
    (void)server::check_body(noted, target->endpoint->body);
    const auto query = api::Query::parse(target->query, kNames);
    if (!query) return;
    if (const std::string* text = query->find("after"))
        (void)api::parse_number(*text, "after", 0, 99);
    if (const std::string* text = query->find("wait")) (void)api::parse_duration_ms(*text, "wait");
    if (const std::string* text = query->find("cursor")) (void)api::parse_position(*text, "cursor");
}

/// The result does not depend on how the bytes were cut, except for a refused body, which is
/// skipped only if it came with its head.
void cut(std::string_view bytes) {
    tests::ReaderFeed whole;
    whole.feed(bytes);
    tests::require(whole.reader.held() == 0 || whole.reader.in_body());
    for (const std::size_t first : {bytes.size() / 3, bytes.size() - bytes.size() / 5}) {
        tests::ReaderFeed pieces;
        pieces.feed(bytes.substr(0, first), 1);
        pieces.feed(bytes.substr(first));
        // A head that is malformed and has no end may be refused later.
        const std::size_t both = std::min(pieces.heard.size(), whole.heard.size());
        for (std::size_t i = 0; i < both; ++i) {
            if (pieces.heard[i] == whole.heard[i]) continue;
            // A version that no server knows (505) may turn out to be no version at all (400).
            const bool unreadable = pieces.heard[i].path.empty() && whole.heard[i].path.empty();
            tests::require(pieces.heard[i].status == whole.heard[i].status ||
                           (unreadable && whole.heard[i].status != 0 && whole.heard[i].last));
            tests::require(pieces.heard[i].status != 0 && pieces.heard[i].last);
            return;
        }
        tests::require(pieces.heard.size() <= whole.heard.size());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes = tests::Bytes{data, size}.rest();
    cut(bytes);
    static const server::GateSettings gate = server::gate_settings(7717, {"proxy.example"});
    server::RequestHead head;
    core::Error error;
    const server::HeadStatus status = server::parse_head(bytes, head, error);
    tests::require((status == server::HeadStatus::kMalformed) == !error.detail.empty());
    if (status != server::HeadStatus::kComplete) return 0;
    tests::require(head.bytes > 0 && head.bytes <= bytes.size());

    // The bytes behind the head belong to the body: they cannot change it.
    server::RequestHead alone;
    tests::require(server::parse_head(bytes.substr(0, head.bytes), alone, error) ==
                   server::HeadStatus::kComplete);
    tests::require(alone.bytes == head.bytes && alone.target == head.target &&
                   alone.content_length == head.content_length);
    (void)server::token_id(head.authorization);
    (void)server::usable_request_id(head.request_id);
    if (!head.last_event_id.empty()) (void)api::parse_position(head.last_event_id, "Last-Event-ID");
    server::strip_authority(head, gate);
    if (server::check_head(head, gate)) {
        const bool framed = head.transfer_encodings == 0 ||
                            (head.chunked && head.content_lengths == 0 && !head.http_1_0);
        tests::require(framed && head.transfer_encodings <= 1);
        tests::require(head.hosts == 1 && head.content_lengths <= 1);
        look_at_target(head);
    }
    return 0;
}
