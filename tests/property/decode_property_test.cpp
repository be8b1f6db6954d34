// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "api/decode/decode.hpp"
#include "api/encode/encode.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

// Any client input gives a report or an error, never a crash; accepted input can be written and
// accepted again.

using namespace headway::core;
using namespace headway::api;
using namespace headway::tests;

namespace {

/// A request without the fields that Headway sets, and with those its kind requires.
void make_sendable(Gen& gen, ApprovalRequested& asked) {
    asked.args_digest.clear();
    asked.source.clear();
    asked.call_id.clear();
    if (asked.args.text == "null") asked.args.text.clear();  // stands for absent
    asked.expires_in_ms = 1 + gen.below(1'000'000);
    asked.kind = gen.chance(2) ? ApprovalKind::kTool : ApprovalKind::kQuestion;
    asked.extend.reset();
    asked.tool = "t" + std::to_string(gen.below(9));
    asked.summary = bounded_text("s" + gen.utf8(gen.below(40)));
}

/// An event as a client would send it: the envelope of a random one without what Headway sets.
std::string sent(Gen& gen) {
    EventType type = gen.any_type();
    while (!reportable(type))
        type = gen.any_type();
    Event one;
    one.payload = gen.payload(type);
    if (auto* asked = std::get_if<ApprovalRequested>(&one.payload)) make_sendable(gen, *asked);
    std::string envelope;
    append_event(envelope, "s", one);
    const std::string data = envelope.substr(envelope.find("\"data\":"));
    return "{\"type\":\"" + std::string{name_of(type)} + "\"," + data;
}

std::string mutated(Gen& gen, std::string text) {
    static constexpr char kTokens[] = {'{', '}', '[', ']', '"', ':',  ',', '0',
                                       '9', '-', 'e', '.', 'u', '\\', 'n', '\x80'};
    for (std::uint64_t i = 1 + gen.below(4); i > 0 && !text.empty(); --i) {
        const std::size_t at = gen.index(text.size());
        switch (gen.below(4)) {
            case 0:
                text[at] = gen.pick(kTokens);
                break;
            case 1:
                text.erase(at, 1 + gen.index(8));
                break;
            case 2:
                text.insert(at, 1, gen.pick(kTokens));
                break;
            default:
                text.insert(at, text.substr(gen.index(text.size()), gen.index(30)));
        }
    }
    return text;
}

/// Decodes; accepted input must be numbered, bounded, and JSON again.
void try_report(JsonDocument& document, const std::string& body, BodyFormat format) {
    const auto report = decode_report(document, body, format);
    if (!report) {
        REQUIRE_FALSE(report.error().detail.empty());
        return;
    }
    REQUIRE_FALSE(report->events.empty());
    REQUIRE(report->events.size() <= limits::kReportEventsMax);
    for (const Event& one : report->events) {
        REQUIRE(reportable(type_of(one.payload)));
        std::string out;
        append_event(out, "s", one);
        JsonDocument again;
        const auto parsed = again.parse(out);
        INFO(out);
        REQUIRE(parsed.has_value());
    }
}

}  // namespace

TEST_CASE("property: an event that Headway writes decodes unchanged", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    JsonDocument document;
    std::size_t taken = 0;
    for (int round = 0; round < 3'000; ++round) {
        const std::string body = sent(gen);
        auto report = decode_report(document, body, BodyFormat::kJson);
        if (!report) continue;  // a random number out of its field's range, or a text that was cut
        ++taken;
        std::string out;
        Event& one = report->events.at(0);
        if (auto* asked = std::get_if<ApprovalRequested>(&one.payload)) {
            if (!asked->args.empty() || asked->kind == ApprovalKind::kTool)
                REQUIRE(asked->args_digest.starts_with("sha256:"));
            asked->args_digest.clear();  // Headway's own
        }
        append_event(out, "s", one);
        REQUIRE(out.substr(out.find("\"data\":")) == body.substr(body.find("\"data\":")));
    }
    CHECK(taken > 1'000);
}

TEST_CASE("property: mutated reports are accepted or refused, and accepted ones are JSON again",
          "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    JsonDocument document;
    for (int round = 0; round < 15'000; ++round) {
        std::string body = sent(gen);
        if (gen.chance(3)) body = "[" + body + "," + sent(gen) + "]";
        if (gen.chance(8)) body += "\n" + sent(gen);
        if (!gen.chance(5)) body = mutated(gen, std::move(body));
        try_report(document, body, gen.chance(3) ? BodyFormat::kNdjson : BodyFormat::kJson);
    }
}

TEST_CASE("property: random JSON and random bytes are accepted or refused", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    JsonDocument document;
    for (int round = 0; round < 20'000; ++round) {
        const std::string body = gen.chance(2) ? gen.json(6) : gen.bytes(gen.below(200));
        try_report(document, body, gen.chance(2) ? BodyFormat::kNdjson : BodyFormat::kJson);
        (void)decode_heartbeat(document, body).has_value();
        (void)decode_open(document, body).has_value();
        (void)decode_end(document, body).has_value();
        (void)decode_cancel(document, body).has_value();
    }
}
