// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json_document.hpp"
#include "cli/lines/agent_line.hpp"
#include "core/events/event.hpp"

// Makes Headway's events from the lines in which agents store their sessions. Pure.

namespace headway::cli {

/// Tokens of one answer of the model.
struct StoredUse {
    std::string answer;  ///< id of the answer; the same id in another file is the same answer
    std::string model;
    LineTokens tokens;
};

/// One line of a stored session.
struct StoredLine {
    std::vector<core::Event> events;
    std::optional<StoredUse> use;
    std::optional<double> seconds;  ///< time of the line, in seconds since 1970
    bool turn_ended = false;        ///< the turn is over, so the agent now waits for a person
    bool turn_cut = false;          ///< with turn_ended: interrupted, or refused by the model
    bool turn_goes_on = false;      ///< the answer announces a call that is stored later
    bool live = false;  ///< set by the caller: fill `reports` instead of `events`, and include
                        ///< calls that have only begun
    std::vector<std::string> reports;  ///< JSON text of reports, with type and data

    /// Clears all members except `live`.
    void clear();
};

/// A stored session as far as its lines have been read.
struct StoredAbout {
    std::string agent;
    std::string id;
    std::string parent;   ///< the session of which this is a sub-agent or a fork; empty: none
    std::string project;  ///< the folder in which it began
    std::string model;    ///< the model that answered last
    std::string version;  ///< version of the agent
    std::string goal;     ///< beginning of the first message from a person
    bool fork = false;    ///< a copy of the parent, not a sub-agent
    bool operator==(const StoredAbout&) const = default;
};

/// Maximum length of an id, a folder, a model or a version; a longer text is cut.
inline constexpr std::size_t kStoredWordBytesMax = 1'024;

/// Reads the lines of one file in order. One session, one thread.
class StoreReader {
public:
    StoreReader() = default;
    StoreReader(const StoreReader&) = delete;
    StoreReader& operator=(const StoreReader&) = delete;
    virtual ~StoreReader() = default;

    /// Adds the events of `line`, an object, to `out`. A line of an unknown kind adds none.
    virtual void take(api::JsonValue line, StoredLine& out) = 0;
    /// Calls that have no result yet.
    virtual std::size_t open_calls() const = 0;

    const StoredAbout& about() const { return about_; }

protected:
    /// Sets `to` unless it is set already.
    static void take_word(std::string& to, std::string_view word);

    StoredAbout about_;
};

/// The kind of content of a file.
enum class StoreShape : std::uint8_t {
    kLines,     ///< a session, one JSON object per line
    kMessages,  ///< a session, one JSON document with an array `messages` of objects
    kDatabase,  ///< many sessions, in tables of SQLite (store_database.hpp)
};

/// How one agent stores sessions.
struct StoreFormat {
    std::string_view agent;
    /// True if a line with these first bytes may contain an event. Other lines are not parsed,
    /// since most bytes of a store are prompts. Null: any line may contain an event.
    bool (*matters)(std::string_view line);
    /// True if no other format has such a line.
    bool (*begins)(api::JsonValue line);
    std::unique_ptr<StoreReader> (*make)();  ///< makes a reader; null for a database
    StoreShape shape = StoreShape::kLines;
    /// Names of members whose values may be long and are never read.
    std::span<const std::string_view> unread{};
};

extern const StoreFormat kClaudeStore;
extern const StoreFormat kClineStore;
extern const StoreFormat kCodexStore;
extern const StoreFormat kCopilotStore;
extern const StoreFormat kGeminiStore;
extern const StoreFormat kKiloStore;
extern const StoreFormat kOpencodeStore;
extern const StoreFormat kPiStore;
extern const StoreFormat kQwenStore;

/// The format of a file, judged by its name, whatever its folder; null if only its lines can show
/// the format.
const StoreFormat* store_format_named(std::string_view file_name);

/// The format of a file, judged by its first lines; null if unknown. `document` is scratch memory.
const StoreFormat* store_format_of(std::string_view beginning, api::JsonDocument& document);

}  // namespace headway::cli
