// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/limits.hpp"

namespace headway::cli {

struct SseEvent {
    std::string type;  ///< the `event` field; "message" when the sender named none
    std::string data;
    std::string id;  ///< the stream's last id, including this event's
};

/// Parses Server-Sent Events by the WHATWG rules. Accepts any line ends, comments, and fields that
/// continue in the next chunk. One parser for one connection. Pure.
class SseParser {
public:
    /// The bytes of a line, and those of an event's data, beyond `bytes_max` are dropped: a daemon
    /// keeps no more for all of its clients, but another program may send a line without end.
    explicit SseParser(std::size_t bytes_max = core::limits::kUnreadBytesMax)
        : bytes_max_(bytes_max) {}

    /// The events completed by these bytes.
    std::vector<SseEvent> feed(std::string_view bytes);

    /// The id after which to resume, from completed events only; empty: none so far.
    const std::string& last_id() const { return dispatched_id_; }

    /// The pause that the sender requested for reconnects; empty: none so far.
    std::optional<std::chrono::milliseconds> retry() const { return retry_; }

private:
    void end_line(std::vector<SseEvent>& out);
    void field(std::string_view name, std::string_view value);

    const std::size_t bytes_max_;
    std::string line_;
    bool first_line_ = true;
    bool after_cr_ = false;
    std::string type_;
    std::string data_;
    std::string id_;
    std::string dispatched_id_;
    std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace headway::cli
