// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/scan_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "api/json/json_document.hpp"
#include "cli/scan/store_pieces.hpp"

namespace headway::cli {
namespace {

using Found = StoreLines::Found;

constexpr std::size_t kLinesBetweenLooks = 256;

core::Error unread(std::string why) {
    return {core::ErrorCode::kBadRequest, std::move(why), {}};
}

template <class Pieces>
ScannedSession scan_pieces(Pieces& pieces, const StoreFormat& format, const JudgeOptions& options,
                           const StopScan& stop) {
    SessionScan scan(options);
    const auto reader = format.make();
    api::JsonDocument document;
    StoredLine said;
    std::string_view piece;
    Found found{};
    while ((found = pieces.next(piece)) != Found::kEnd) {
        ++scan.lines;
        if (scan.lines % kLinesBetweenLooks == 0 && stop()) break;
        if (found == Found::kNotNeeded) continue;
        const bool read = found == Found::kLine && document.parse(piece).has_value() &&
                          document.root().kind() == api::JsonKind::kObject;
        if (!read) {
            ++scan.broken;
            continue;
        }
        said.clear();
        reader->take(document.root(), said);
        scan.take(said, scan.lines);
    }
    return scan.finish(reader->about(), reader->open_calls());
}

/// Where the file stands tells what its lines do not.
void add_place(const std::filesystem::path& path, ScannedSession& session) {
    session.file = path.string();
    if (session.about.id.empty()) session.about.id = path.stem().string();
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
    pieces.needs(format->matters);
    return scan_pieces(pieces, *format, options, stop);
}

core::Result<std::vector<ScannedSession>> scan_file(const StoreFile& file,
                                                    const JudgeOptions& options,
                                                    const StopScan& stop) {
    FileStream stream(file.path.string(), O_NOFOLLOW);
    if (!stream) return unread(stream.why());
    if (!S_ISREG(stream.about().st_mode)) return unread("is no file");
    if (stream.about().st_uid != ::geteuid()) return unread("belongs to another user");
    auto session = scan_session(stream, file.format, options, stop);
    if (stream.bad()) return unread("cannot be read");
    if (!session) return session.error();
    add_place(file.path, *session);
    std::vector<ScannedSession> sessions;
    sessions.push_back(std::move(*session));
    return sessions;
}

std::optional<core::Result<ScannedSession>> scan_if_stored(FileStream& stream,
                                                           const std::string& file,
                                                           const JudgeOptions& options) {
    if (!stream) return std::nullopt;
    api::JsonDocument document;
    const StoreFormat* format = store_format_of(stream.beginning(), document);
    if (format == nullptr) return std::nullopt;
    auto session = scan_session(stream, format, options, [] { return false; });
    if (stream.bad()) return unread(file + ": cannot be read");
    if (session) session->file = file;
    return session;
}

}  // namespace headway::cli
