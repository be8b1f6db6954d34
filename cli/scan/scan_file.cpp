// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/scan_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "api/json/json_document.hpp"
#include "cli/scan/store_pieces.hpp"
#include "cli/scan/without_values.hpp"
#include "cli/stores/opencode_store.hpp"
#include "cli/stores/store_database.hpp"

namespace headway::cli {
namespace {

using Found = StoreLines::Found;

constexpr std::size_t kLinesBetweenLooks = 256;

core::Error unread(std::string why) {
    return {core::ErrorCode::kBadRequest, std::move(why), {}};
}

template <class Pieces>
ScannedSession scan_pieces(Pieces& pieces, const StoreFormat& format, std::string_view head,
                           const JudgeOptions& options, const StopScan& stop) {
    SessionScan scan(options);
    const auto reader = format.make();
    api::JsonDocument document;
    StoredLine stored;
    if (!head.empty() && document.parse(head) && document.root().kind() == api::JsonKind::kObject)
        reader->take(document.root(), stored);
    std::string kept;
    std::string_view piece;
    Found found{};
    while ((found = pieces.next(piece)) != Found::kEnd) {
        ++scan.lines;
        if (scan.lines % kLinesBetweenLooks == 0 && stop()) break;
        if (found == Found::kNotNeeded) continue;
        const bool read = found == Found::kLine &&
                          document.parse(without_values(piece, format.unread, kept)).has_value() &&
                          document.root().kind() == api::JsonKind::kObject;
        if (!read) {
            ++scan.broken;
            continue;
        }
        stored.clear();
        reader->take(document.root(), stored);
        scan.take(stored, scan.lines);
    }
    return scan.finish(reader->about(), reader->open_calls());
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

core::Result<std::vector<ScannedSession>> scan_database(const StoreFile& file,
                                                        const JudgeOptions& options,
                                                        const StopScan& stop) {
    std::vector<ScannedSession> sessions;
    std::optional<SessionScan> scan;
    std::optional<OpencodeReader> reader;
    api::JsonDocument document;
    StoredLine stored;
    StoredRowsTaker take;
    take.begin = [&](const StoredSessionRow& row) {
        StoredAbout about;
        about.agent = file.format->agent;
        about.id = row.id;
        about.parent = row.parent;
        about.project = row.folder;
        about.version = row.version;
        scan.emplace(options);
        reader.emplace(std::move(about));
    };
    take.row = [&](const StoredDataRow& row) {
        ++scan->lines;
        if (!document.parse(row.data) || document.root().kind() != api::JsonKind::kObject) {
            ++scan->broken;
            return;
        }
        stored.clear();
        if (row.part) {
            reader->part(row.id, row.created, document.root(), stored);
        } else {
            reader->message(row.id, row.created, document.root(), stored);
        }
        scan->take(stored, scan->lines);
    };
    take.end = [&] {
        stored.clear();
        reader->end(stored);
        scan->take(stored, scan->lines);
        sessions.push_back(scan->finish(reader->about(), reader->open_calls()));
        sessions.back().file = file.path.string();
    };
    HEADWAY_CHECK(read_store_database(file.path.string(), take, stop));
    return sessions;
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
    if (!stream) return unread(stream.why());
    if (!S_ISREG(stream.about().st_mode)) return unread("is no file");
    if (stream.about().st_uid != ::geteuid()) return unread("belongs to another user");
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
