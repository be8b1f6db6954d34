// SPDX-License-Identifier: Apache-2.0
#include "api/records/decode_journal.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "api/json/decode_fields.hpp"
#include "api/records/canonical.hpp"
#include "api/text/fingerprint_text.hpp"

namespace headway::api {
namespace {

using core::Event;
using fields::Result;
using fields::under;
using fields::wrong;

struct Members {
    std::optional<JsonValue> type;
    std::optional<JsonValue> data;
    std::optional<JsonValue> fingerprint;
    bool of_operator = false;
};

/// Null as if it were not there. Members that a later version adds are ignored.
Result<> decode_envelope(JsonValue member, Event& event, Members& members) {
    const std::string_view name = member.key();
    if (member.kind() == JsonKind::kNull) return {};
    if (name == "type") members.type = member;
    if (name == "data") members.data = member;
    if (name == "print") members.fingerprint = member;
    if (name == "of_operator") return fields::decode(member, members.of_operator);
    if (name == "n") return fields::decode(member, event.n);
    if (name == "at") return fields::decode(member, event.at);
    if (name == "event_id") return fields::decode_exact(member, event.event_id);
    if (name == "attempt") return fields::decode(member, event.attempt);
    if (name == "next_heartbeat_ms") return fields::decode(member, event.next_heartbeat_ms);
    if (name == "state") return fields::decode(member, event.state);
    if (name == "from") return fields::decode(member, event.from);
    return {};
}

Result<> decode_payload(const Members& members, Event& event) {
    core::EventType type{};
    if (!members.type || members.type->kind() != JsonKind::kString ||
        !core::parse_name(members.type->text(), type)) {
        return under(wrong("is no event type that this version knows"), "type");
    }
    core::set_payload(event.payload, type);
    if (!members.data) return under(wrong("is required"), "data");
    auto decoded = std::visit(
        [&](auto& payload) -> Result<> { return fields::decode_object(*members.data, payload); },
        event.payload);
    if (!decoded) return under(std::move(decoded).error(), "data");
    if (auto* const message = std::get_if<core::Message>(&event.payload))
        message->of_operator = members.of_operator;
    auto* const call = std::get_if<core::ToolFinished>(&event.payload);
    if (call == nullptr) return {};
    if (!members.fingerprint) {
        call->fingerprint = fingerprint_of(*members.data, *call);
        return {};
    }
    const bool none =
        members.fingerprint->kind() == JsonKind::kString && members.fingerprint->text().empty();
    if (none) return {};
    const bool read = members.fingerprint->kind() == JsonKind::kString &&
                      parse_fingerprint(members.fingerprint->text(), call->fingerprint.emplace());
    return read ? Result<>{} : under(wrong("is not what an export writes there"), "print");
}

bool read_digest(std::string_view text, core::Digest& digest) {
    const auto half = [](std::string_view digits, std::uint64_t& value) {
        const char* const end = digits.data() + digits.size();
        const auto read = std::from_chars(digits.data(), end, value, 16);
        return read.ec == std::errc{} && read.ptr == end;
    };
    return text.size() == 32 && half(text.substr(0, 16), digest.high) &&
           half(text.substr(16), digest.low);
}

}  // namespace

Result<> fields::decode_cut(JsonValue json, core::Text& out) {
    std::string tail;
    bool good = true;
    json.each([&](JsonValue member) {
        const std::string_view name = member.key();
        if (name == "head") out.kept = member.text();
        if (name == "tail") tail = member.text();
        if (name == "bytes") out.bytes = member.unsigned_integer();
        if (name == "digest") good = read_digest(member.text(), out.digest);
        return true;
    });
    out.head_bytes = static_cast<std::uint32_t>(out.kept.size());
    out.kept += tail;
    if (good && out.bytes > out.kept.size()) return {};
    return wrong("is not how a text that was cut is stored");
}

core::Result<Event> decode_stored_event(JsonDocument& document, std::string_view line) {
    HEADWAY_CHECK(document.parse(line));
    return decode_stored_event_of(document);
}

core::Result<Event> decode_stored_event_of(JsonDocument& document) {
    if (document.root().kind() != JsonKind::kObject) return wrong("an event must be an object");
    document.read_exports(true);
    Event event;
    Members members;
    Result<> result;
    document.root().each([&](JsonValue member) {
        result = decode_envelope(member, event, members);
        if (!result) result = under(result.error(), member.key());
        return result.has_value();
    });
    if (result) result = decode_payload(members, event);
    document.read_exports(false);
    if (!result) return std::move(result).error();
    return event;
}

}  // namespace headway::api
