// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/document_writer.hpp"
#include "api/json/json_document.hpp"
#include "cli/lines/line_words.hpp"
#include "cli/records/recorded_event.hpp"
#include "cli/stores/stored_line.hpp"
#include "core/events/event.hpp"

namespace headway::cli {

/// A call whose result has not been read yet.
struct StoredCall {
    std::string tool;
    std::string args;  ///< JSON text; empty: none
    std::optional<double> seconds;
    /// Exit code, if the agent stores it apart from the result.
    std::optional<std::int64_t> exit_code;
};

/// A session's calls that have no result yet, by id. Bounded: beyond kMax calls, or kBytesMax of
/// arguments, the call with the lowest id is dropped; only a store that never ends its calls has so
/// many.
class StoredCalls {
public:
    static constexpr std::size_t kMax = 4096;
    static constexpr std::size_t kBytesMax = std::size_t{32} << 20;

    void start(std::string_view id, StoredCall call);
    /// The call; null if there is none.
    StoredCall* find(std::string_view id);
    /// Removes and returns the call; a call that was not started has no name or arguments.
    StoredCall finish(std::string_view id);
    std::size_t size() const { return calls_.size(); }
    void clear();

private:
    StoredCall take_out(std::map<std::string, StoredCall, std::less<>>::iterator at);

    std::map<std::string, StoredCall, std::less<>> calls_;
    std::size_t bytes_ = 0;  ///< size of all ids, tools and arguments
};

/// The result of a stored call.
struct StoredResult {
    bool ok = true;
    std::string_view error_class{};  ///< class of a failed call's error; empty: not known
    std::string_view text{};
    std::optional<double> seconds{};
};

/// Makes events with the decoder used for reports, so that a stored session is read like a reported
/// one. An event that a daemon would refuse is left out.
class StoredEvents {
public:
    void message(StoredLine& out, std::string_view role, std::string_view text);
    /// Adds the start only if StoredLine::live; otherwise finished() alone reports the call.
    void started(StoredLine& out, std::string_view call_id, const StoredCall& call);
    void finished(StoredLine& out, std::string_view call_id, const StoredCall& call,
                  const StoredResult& result);
    void error(StoredLine& out, const ToldError& error);
    void compacted(StoredLine& out, std::string_view trigger);

private:
    void keep(StoredLine& out, core::Result<> written);

    api::JsonDocument event_;
    api::JsonDocument args_;
};

/// Seconds since 1970 of an ISO time; nothing for any other text.
std::optional<double> stored_seconds(std::string_view text);

/// Maximum number of bytes kept of a person's first words.
inline constexpr std::size_t kStoredGoalBytesMax = 200;

/// The number in the member `name` of a line; 0 if the member is not a count.
std::uint64_t stored_count(const LineMembers& of, std::string_view name);

/// True if the last "Exit Code: N" in a command's output has an N other than 0.
bool says_exit_status(std::string_view text);

/// The text of a JSON string, or of the parts `{"text": ...}` in an array, one per line.
std::string text_of_parts(api::JsonValue content);

}  // namespace headway::cli
