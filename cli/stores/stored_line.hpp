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

// The lines in which agents store their sessions, read as events of ours. Pure.

namespace headway::cli {

/// Tokens of one answer of the model.
struct StoredUse {
    std::string answer;  ///< its id; the same id in another file is the same answer
    std::string model;
    LineTokens tokens;
};

/// One line of a stored session.
struct StoredLine {
    std::vector<core::Event> events;
    std::optional<StoredUse> use;
    std::optional<double> seconds;     ///< since 1970
    bool turn_ended = false;           ///< the agent waits for a person from here on
    bool live = false;                 ///< as `reports`, with calls that begin, and not as `events`
    std::vector<std::string> reports;  ///< JSON text of reports, with type and data

    /// But `live`.
    void clear();
};

/// A stored session as far as its lines have been read.
struct StoredAbout {
    std::string agent;
    std::string id;
    std::string parent;   ///< id of the session of which it is a sub-agent or a fork; empty: none
    std::string project;  ///< the folder in which it began
    std::string model;    ///< that answered last
    std::string version;  ///< of the agent
    std::string goal;     ///< the first words of a person
    bool fork = false;    ///< a copy of the parent, and no sub-agent
    bool operator==(const StoredAbout&) const = default;
};

/// Bound of an id, a folder, a model or a version; a longer one is cut.
inline constexpr std::size_t kStoredWordBytesMax = 1'024;

/// Reads the lines of one file in order. One session, one thread.
class StoreReader {
public:
    StoreReader() = default;
    StoreReader(const StoreReader&) = delete;
    StoreReader& operator=(const StoreReader&) = delete;
    virtual ~StoreReader() = default;

    /// Adds to `out` the events of `line`, an object. Unknown lines have none.
    virtual void take(api::JsonValue line, StoredLine& out) = 0;
    /// Calls that have no result yet.
    virtual std::size_t open_calls() const = 0;

    const StoredAbout& about() const { return about_; }

protected:
    /// Sets what is not known yet.
    static void take_word(std::string& to, std::string_view word);

    StoredAbout about_;
};

/// Content of a file.
enum class StoreShape : std::uint8_t {
    kLines,     ///< a session, one JSON object a line
    kMessages,  ///< a session, one JSON document with an array of objects, `messages`
    kDatabase,  ///< many sessions, in tables of SQLite (store_database.hpp)
};

/// How one agent stores sessions.
struct StoreFormat {
    std::string_view agent;
    /// Whether the line may hold an event, by its first bytes: most bytes of a store are prompts.
    /// Null: all do.
    bool (*matters)(std::string_view line);
    /// Whether only this format has such a line.
    bool (*begins)(api::JsonValue line);
    std::unique_ptr<StoreReader> (*make)();  ///< null for a database
    StoreShape shape = StoreShape::kLines;
    /// Names of members whose values the reader does not look at, and which may be long.
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

/// The format of a file that its name tells, be it in any folder; null: its lines have to.
const StoreFormat* store_format_named(std::string_view file_name);

/// The format of a file by its first lines; null: none that is known. `document` is scratch memory.
const StoreFormat* store_format_of(std::string_view beginning, api::JsonDocument& document);

}  // namespace headway::cli
