// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/scan_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

#include "agents/opencode/store.hpp"
#include "api/json/json_document.hpp"
#include "api/json/readable_json.hpp"
#include "cli/scan/store_pieces.hpp"
#include "cli/scan/without_values.hpp"
#include "cli/stores/store_database.hpp"
#include "core/base/limits.hpp"

namespace headway::cli {
namespace {

using Found = StoreLines::Found;

constexpr std::size_t kLinesBetweenLooks = 256;

core::Error unread(std::string why) {
    return {core::ErrorCode::kBadRequest, std::move(why), {}};
}

/// An object in a store, also one that is refused as it is, such as with a half of a surrogate
/// pair.
bool parse_object(api::JsonDocument& document, std::string_view text, std::string& kept) {
    const bool read =
        document.parse(text).has_value() ||
        document.parse(kept = api::readable_json(text, core::limits::kJsonDepthMax)).has_value();
    return read && document.root().kind() == api::JsonKind::kObject;
}

/// Takes the lines of a session into a scan.
struct ScanSink {
    ScanSink(const JudgeOptions& options, const StopScan& stop_now)
        : scan(options), stop(stop_now) {}

    bool over() const { return scan.lines % kLinesBetweenLooks == 0 && stop(); }
    void take(const StoredAbout&) { scan.take(line, scan.lines); }
    std::size_t& lines() { return scan.lines; }
    std::size_t& broken() { return scan.broken; }

    SessionScan scan;
    const StopScan& stop;
    StoredLine line;
};

/// Hands the lines of a session on, with the text of their reports.
struct ReportSink {
    explicit ReportSink(const TakeStored& take_line) : receive(take_line) { line.live = true; }

    bool over() const { return !on; }
    void take(const StoredAbout& about) { on = on && receive(line, about); }
    std::size_t& lines() { return lines_read; }
    std::size_t& broken() { return lines_broken; }

    const TakeStored& receive;
    StoredLine line;
    bool on = true;
    std::size_t lines_read = 0;
    std::size_t lines_broken = 0;
};

template <class Pieces, class Sink>
void read_pieces(Pieces& pieces, const StoreFormat& format, std::string_view head,
                 StoreReader& reader, Sink& sink) {
    api::JsonDocument document;
    std::string kept;
    std::string whole;
    if (!head.empty() && parse_object(document, head, whole))
        reader.take(document.root(), sink.line);
    std::string_view piece;
    Found found{};
    while ((found = pieces.next(piece)) != Found::kEnd) {
        ++sink.lines();
        if (sink.over()) break;
        if (found == Found::kNotNeeded) continue;
        const bool read = found == Found::kLine &&
                          parse_object(document, without_values(piece, format.unread, kept), whole);
        if (!read) {
            ++sink.broken();
            continue;
        }
        sink.line.clear();
        reader.take(document.root(), sink.line);
        sink.take(reader.about());
    }
}

template <class Pieces>
ScannedSession scan_pieces(Pieces& pieces, const StoreFormat& format, std::string_view head,
                           const JudgeOptions& options, const StopScan& stop) {
    ScanSink sink(options, stop);
    const auto reader = format.make();
    read_pieces(pieces, format, head, *reader, sink);
    return sink.scan.finish(reader->about(), reader->open_calls());
}

constexpr std::size_t kBesideBytesMax = std::size_t{1} << 20;

/// A small file beside a session; nothing unless it is a regular file of this user.
std::optional<std::string> read_beside(const std::filesystem::path& path) {
    FileStream stream(path.string(), O_NOFOLLOW);
    if (!stream || !S_ISREG(stream.about().st_mode) || stream.about().st_uid != ::geteuid())
        return std::nullopt;
    std::string text(kBesideBytesMax, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return text;
}

/// Where the file stands tells what its lines do not.
void add_place(const StoreFile& file, ScannedSession& session) {
    const std::filesystem::path folder = file.path.parent_path();
    session.file = file.path.string();
    if (session.about.id.empty()) session.about.id = file.path.stem().string();
    if (session.about.agent != "gemini") return;
    // tmp/NAME/chats/session-....jsonl, and chats/SESSION/OTHER.jsonl of a sub-agent.
    const bool sub_agent =
        folder.filename() != "chats" && folder.parent_path().filename() == "chats";
    if (sub_agent && session.about.parent.empty())
        session.about.parent = folder.filename().string();
    if (!session.about.project.empty()) return;
    const std::filesystem::path chats = sub_agent ? folder.parent_path() : folder;
    if (const auto root = read_beside(chats.parent_path() / ".project_root"))
        session.about.project = root->substr(0, std::min(root->find('\n'), kStoredWordBytesMax));
}

/// ID.json beside ID.messages.json, as the first of its lines.
std::string head_of_messages(const std::filesystem::path& path) {
    std::string name = path.filename().string();
    name.resize(name.size() - std::string_view{".messages.json"}.size());
    return read_beside(path.parent_path() / (name + ".json")).value_or("");
}

ScannedSession scan_messages(std::istream& in, const StoreFormat& format, std::string_view head,
                             const JudgeOptions& options, const StopScan& stop) {
    StoreMessages pieces(in);
    return scan_pieces(pieces, format, head, options, stop);
}

/// Reads the sessions of a database, or one of them: `begin()` makes the sink of each, `end(sink,
/// reader)` is called behind its rows.
template <class Begin, class End>
core::Result<> read_database(const StoreFile& file, const std::string& only, const StopScan& stop,
                             const Begin& begin, const End& end) {
    using Sink = std::remove_reference_t<decltype(begin())>;
    Sink* sink = nullptr;
    std::optional<OpencodeReader> reader;
    api::JsonDocument document;
    std::string whole;
    StoredRowsTaker take;
    take.begin = [&](const StoredSessionRow& row) {
        StoredAbout about;
        about.agent = file.format->agent;
        about.id = row.id;
        about.parent = row.parent;
        about.project = row.folder;
        about.version = row.version;
        sink = &begin();
        reader.emplace(std::move(about));
    };
    take.row = [&](const StoredDataRow& row) {
        ++sink->lines();
        if (sink->over()) return;
        if (!parse_object(document, row.data, whole)) {
            ++sink->broken();
            return;
        }
        sink->line.clear();
        if (row.part) {
            reader->part(row.id, row.created, document.root(), sink->line);
        } else {
            reader->message(row.id, row.created, document.root(), sink->line);
        }
        sink->take(reader->about());
    };
    take.end = [&] {
        sink->line.clear();
        reader->end(sink->line);
        sink->take(reader->about());
        end(*sink, *reader);
    };
    return read_store_database(file.path.string(), only, take, stop);
}

core::Result<std::vector<ScannedSession>> scan_database(const StoreFile& file,
                                                        const JudgeOptions& options,
                                                        const StopScan& stop) {
    std::vector<ScannedSession> sessions;
    std::optional<ScanSink> sink;
    const auto begin = [&]() -> ScanSink& { return sink.emplace(options, stop); };
    HEADWAY_CHECK(
        read_database(file, {}, stop, begin, [&](ScanSink& done, const OpencodeReader& reader) {
            sessions.push_back(done.scan.finish(reader.about(), reader.open_calls()));
            sessions.back().file = file.path.string();
        }));
    return sessions;
}

/// Opens a store's file only if it is a regular file of this user.
core::Result<> check_store(const FileStream& stream) {
    if (!stream) return unread(stream.why());
    if (!S_ISREG(stream.about().st_mode)) return unread("is no file");
    if (stream.about().st_uid != ::geteuid()) return unread("belongs to another user");
    return {};
}

}  // namespace

core::Result<ScannedSession> scan_session(std::istream& lines, const StoreFormat* format,
                                          const JudgeOptions& options, const StopScan& stop) {
    StoreLines pieces(lines, nullptr);
    if (format == nullptr) {
        api::JsonDocument document;
        format = store_format_of(pieces.beginning(), document);
    }
    if (format == nullptr) return unread("no session of a known agent");
    pieces.set_matters(format->matters);
    return scan_pieces(pieces, *format, {}, options, stop);
}

core::Result<std::vector<ScannedSession>> scan_file(const StoreFile& file,
                                                    const JudgeOptions& options,
                                                    const StopScan& stop) {
    FileStream stream(file.path.string(), O_NOFOLLOW);
    HEADWAY_CHECK(check_store(stream));
    const StoreShape shape = file.format == nullptr ? StoreShape::kLines : file.format->shape;
    if (shape == StoreShape::kDatabase) return scan_database(file, options, stop);
    core::Result<ScannedSession> session =
        shape == StoreShape::kMessages
            ? scan_messages(stream, *file.format, head_of_messages(file.path), options, stop)
            : scan_session(stream, file.format, options, stop);
    if (stream.bad()) return unread("cannot be read");
    if (!session) return session.error();
    add_place(file, *session);
    std::vector<ScannedSession> sessions;
    sessions.push_back(std::move(*session));
    return sessions;
}

core::Result<> read_reports(const StoreFile& file, const std::string& id, const TakeStored& take) {
    FileStream stream(file.path.string(), O_NOFOLLOW);
    HEADWAY_CHECK(check_store(stream));
    ReportSink sink(take);
    const StoreFormat* format = file.format;
    if (format != nullptr && format->shape == StoreShape::kDatabase) {
        return read_database(
            file, id, [&sink] { return sink.over(); }, [&sink]() -> ReportSink& { return sink; },
            [](ReportSink&, const OpencodeReader&) {});
    }
    if (format != nullptr && format->shape == StoreShape::kMessages) {
        StoreMessages pieces(stream);
        const auto reader = format->make();
        read_pieces(pieces, *format, head_of_messages(file.path), *reader, sink);
    } else {
        StoreLines pieces(stream, nullptr);
        api::JsonDocument document;
        if (format == nullptr) format = store_format_of(pieces.beginning(), document);
        if (format == nullptr) return unread("no session of a known agent");
        pieces.set_matters(format->matters);
        const auto reader = format->make();
        read_pieces(pieces, *format, {}, *reader, sink);
    }
    return stream.bad() ? core::Result<>{unread("cannot be read")} : core::Result<>{};
}

std::optional<core::Result<ScannedSession>> scan_if_stored(FileStream& stream,
                                                           const std::string& file,
                                                           const JudgeOptions& options) {
    if (!stream) return std::nullopt;
    api::JsonDocument document;
    const std::filesystem::path path{file};
    const StoreFormat* format = store_format_named(path.filename().string());
    const bool messages = format != nullptr && format->shape == StoreShape::kMessages;
    if (!messages) format = store_format_of(stream.beginning(), document);
    if (format == nullptr) return std::nullopt;
    const StopScan never = [] { return false; };
    core::Result<ScannedSession> session =
        messages ? scan_messages(stream, *format, head_of_messages(path), options, never)
                 : scan_session(stream, format, options, never);
    if (stream.bad()) return unread(file + ": cannot be read");
    if (session) session->file = file;
    return session;
}

}  // namespace headway::cli
