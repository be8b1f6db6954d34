// SPDX-License-Identifier: Apache-2.0
#include "storage/codec/codec.hpp"

#include "core/base/assert.hpp"
#include "storage/codec/codec_fields.hpp"

namespace headway::storage {
namespace {

constexpr std::uint64_t kRowVersion = 1;

static_assert(kRowVersion < 0x80, "one byte, so that a row begins with it");
static_assert(core::EnumNames<core::EventType>::kNames.size() < 0x80);

core::Error undecodable(std::string what) {
    return {core::ErrorCode::kStorageCorrupt, std::move(what) + " cannot be decoded", {}};
}

void encode_event(const core::Event& event, bytes::Writer& writer) {
    writer.varint(static_cast<std::uint64_t>(core::type_of(event.payload)));
    writer.value(event.at);
    writer.value(event.attempt);
    writer.value(event.next_heartbeat_ms);
    writer.value(event.event_id);
    writer.varint(event.state ? static_cast<std::uint64_t>(*event.state) + 1 : 0);
    writer.varint(event.from ? static_cast<std::uint64_t>(*event.from) + 1 : 0);
    std::visit([&writer](const auto& payload) { writer.structure(payload); }, event.payload);
}

bool decode_agent_state(std::uint64_t number, std::optional<core::AgentState>& state) {
    if (number > core::EnumNames<core::AgentState>::kNames.size()) return false;
    if (number != 0) state = static_cast<core::AgentState>(number - 1);
    HEADWAY_ASSERT(state.has_value() == (number != 0));
    return true;
}

bool decode_event(bytes::Reader& reader, core::Event& event) {
    const bool known =
        core::set_payload(event.payload, static_cast<core::EventType>(reader.varint()));
    reader.value(event.at);
    reader.value(event.attempt);
    reader.value(event.next_heartbeat_ms);
    reader.value(event.event_id);
    if (!decode_agent_state(reader.varint(), event.state)) return false;
    if (!decode_agent_state(reader.varint(), event.from)) return false;
    if (!known || !reader.ok()) return false;
    std::visit([&reader](auto& p) { reader.structure(p); }, event.payload);
    HEADWAY_ASSERT(!event.payload.valueless_by_exception());
    return reader.ok();
}

template <class T>
std::string encode_structure(const T& value) {
    std::string out;
    bytes::Writer writer{out};
    writer.structure(value);
    HEADWAY_ASSERT(!out.empty() && out.back() == '\0');
    return out;
}

template <class T>
core::Result<T> decode_structure(std::string_view bytes, const char* what) {
    bytes::Reader reader{bytes};
    T value;
    reader.structure(value);
    if (!reader.ok() || !reader.at_end()) return undecodable(what);
    return value;
}

}  // namespace

void encode_events(std::span<const core::Event> events, std::string& out) {
    HEADWAY_ASSERT(!events.empty());
    const std::size_t before = out.size();
    bytes::Writer writer{out};
    writer.varint(kRowVersion);
    writer.varint(events.size());
    std::uint64_t n = events.front().n;
    for (const core::Event& event : events) {
        HEADWAY_ASSERT(event.n == n++);
        encode_event(event, writer);
    }
    // decode_events() relies on at least one byte per event.
    HEADWAY_ASSERT(out.size() > before + events.size());
}

bool is_newer_row(std::string_view bytes) {
    bytes::Reader reader{bytes};
    return reader.varint() > kRowVersion && reader.ok();
}

core::Result<std::uint64_t> count_events(std::string_view bytes) {
    bytes::Reader reader{bytes};
    const std::uint64_t version = reader.varint();
    const std::uint64_t count = reader.varint();
    if (!reader.ok() || version != kRowVersion || count == 0 || count > bytes.size()) {
        return undecodable("a journal row");
    }
    return count;
}

core::Result<std::vector<core::Event>> decode_events(std::string_view bytes,
                                                     std::uint64_t first_n) {
    bytes::Reader reader{bytes};
    const std::uint64_t version = reader.varint();
    const std::uint64_t count = reader.varint();
    if (!reader.ok() || version != kRowVersion || count == 0 || count > bytes.size()) {
        return undecodable("a journal row");
    }
    std::vector<core::Event> events(count);
    for (core::Event& event : events) {
        event.n = first_n++;
        if (!decode_event(reader, event)) return undecodable("event " + std::to_string(event.n));
    }
    if (!reader.at_end()) return undecodable("a journal row");
    HEADWAY_ASSERT(events.size() == count && events.back().n + 1 == first_n);
    return events;
}

std::string encode_state(const core::SessionState& state) {
    std::string out;
    bytes::Writer writer{out};
    writer.varint(core::kSnapshotVersion);
    writer.structure(state);
    HEADWAY_ASSERT(out.size() >= 2 && out.back() == '\0');
    return out;
}

core::Result<core::SessionState> decode_state(std::string_view bytes) {
    bytes::Reader reader{bytes};
    if (reader.varint() != core::kSnapshotVersion)
        return undecodable("a snapshot of another version");
    core::SessionState state;
    reader.structure(state);
    const bool complete = state.reached.size() == core::kVerdictCount;
    if (!reader.ok() || !reader.at_end() || !complete) return undecodable("a snapshot");
    HEADWAY_ASSERT(state.reached.size() == core::kVerdictCount);
    return state;
}

std::string encode_approval(const core::Approval& approval) {
    return encode_structure(approval);
}

core::Result<core::Approval> decode_approval(std::string_view bytes) {
    return decode_structure<core::Approval>(bytes, "an approval");
}

std::string encode_use_sketches(const core::UseSketches& sketches) {
    return encode_structure(sketches);
}

std::string encode_sketch(const core::Sketch& sketch) {
    return encode_structure(sketch);
}

core::Result<core::UseSketches> decode_use_sketches(std::string_view bytes) {
    return decode_structure<core::UseSketches>(bytes, "an expectation");
}

core::Result<core::Sketch> decode_sketch(std::string_view bytes) {
    return decode_structure<core::Sketch>(bytes, "an expectation");
}

}  // namespace headway::storage
