// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/decode/decode.hpp"
#include "api/encode/encode.hpp"
#include "api/json/json_document.hpp"
#include "core/events/event.hpp"
#include "storage/codec/codec.hpp"
#include "tests/fuzz/bytes.hpp"

// Storage of events that were taken.

namespace headway::tests {

/// They can be written as a row, read again as they were, and shown as JSON.
inline void keep(std::vector<core::Event> events) {
    for (std::size_t i = 0; i < events.size(); ++i)
        events[i].n = i + 1;
    std::string row;
    storage::encode_events(events, row);
    const auto read = storage::decode_events(row, 1);
    require(read.has_value() && read->size() == events.size());
    std::string row_again;
    storage::encode_events(*read, row_again);
    require(row == row_again);
    api::JsonDocument document;
    for (const core::Event& event : events) {
        std::string json;
        api::append_event(json, "fuzz", event);
        require(document.parse(json).has_value());
    }
}

/// A report of a client of ours is taken: it is one event, `data` as JSON.
inline void report_and_keep(api::JsonDocument& document, std::string_view type,
                            std::string_view data) {
    const std::string body =
        "{\"type\":\"" + std::string{type} + "\",\"data\":" + std::string{data} + "}";
    auto decoded = api::decode_report(document, body, api::BodyFormat::kJson);
    require(decoded.has_value() && decoded->events.size() == 1);
    keep(std::move(decoded->events));
}

}  // namespace headway::tests
