// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "api/json/json_document.hpp"
#include "cli/records/recorded_event.hpp"
#include "cli/stores/stored_events.hpp"
#include "cli/stores/stored_line.hpp"

namespace headway::cli {

/// Reads the rows of one session of opencode or Kilo, in the order in which they were made. Pure.
class OpencodeReader {
public:
    explicit OpencodeReader(StoredAbout about) : about_(std::move(about)) {}

    /// `data`: the JSON of a row of the table `message`, an object; `created` in milliseconds.
    void message(std::string_view id, std::int64_t created, api::JsonValue data, StoredLine& out);
    /// Takes a row of the table `part`.
    void part(std::string_view message, std::int64_t created, api::JsonValue data, StoredLine& out);
    /// To be called after the last row.
    void end(StoredLine& out);

    const StoredAbout& about() const { return about_; }
    std::size_t open_calls() const { return open_; }

private:
    /// Facts about a message, for reading its parts.
    struct Message {
        bool person = false;
        std::string model;
        std::string origin;  ///< time and model of the message: its copy in a fork has the same
                             ///< time and model, but another id
        std::size_t steps = 0;
    };
    static constexpr std::size_t kMessagesMax = 4'096;  ///< maximum number of messages remembered

    Message& message_of(std::string_view id);
    void read_text(const Message& of, StoredLine& out);
    void read_call(StoredLine& out);
    void read_step(Message& of, StoredLine& out);
    void flush_error(StoredLine& out);

    StoredAbout about_;
    std::unordered_map<std::string, Message> messages_;
    std::optional<ToldError> error_;  ///< error of the message whose parts are being read
    LineMembers part_;
    LineMembers inner_;
    LineMembers more_;
    StoredEvents events_;
    std::size_t open_ = 0;
};

}  // namespace headway::cli
