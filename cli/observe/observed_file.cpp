// SPDX-License-Identifier: Apache-2.0
#include "cli/observe/observed_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "api/json/json_document.hpp"
#include "api/json/readable_json.hpp"
#include "cli/scan/store_pieces.hpp"
#include "cli/scan/without_values.hpp"
#include "core/base/limits.hpp"

namespace headway::cli {
namespace {

core::Error unobserved(std::string why) {
    return {core::ErrorCode::kBadRequest, std::move(why), {}};
}

constexpr std::uint64_t kBeforeBytes = 128;

std::int64_t birth_of(const std::string& path) {
    struct statx about {};
    const bool told =
        ::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &about) == 0;
    if (!told || (about.stx_mask & STATX_BTIME) == 0) return 0;
    return about.stx_btime.tv_sec * 1'000'000'000 + about.stx_btime.tv_nsec;
}

/// The bytes of the file in front of this place; fewer where it is shorter.
std::string before_of(FileStream& stream, std::uint64_t place, std::size_t bytes) {
    std::string before(bytes, '\0');
    stream.clear();
    stream.skip(place - bytes);
    stream.read(before.data(), static_cast<std::streamsize>(bytes));
    before.resize(static_cast<std::size_t>(stream.gcount()));
    return before;
}

}  // namespace

ObservedFile::ObservedFile(StoreFile file, double since)
    : file_(std::move(file)),
      born_(birth_of(file_.path.string())),
      since_(since),
      reader_(file_.format->make()),
      events_(since) {}

void ObservedFile::start_over(double since) {
    since_ = since;
    reader_ = file_.format->make();
    events_ = ObservedEvents(since);
    offset_ = 0;
    before_.clear();
    at_end_ = false;
}

StoredAbout ObservedFile::named_about() const {
    StoredAbout named = about();
    if (named.id.empty()) named.id = file_.path.stem().string();
    return named;
}

core::Result<> ObservedFile::read(std::size_t reports_max, std::vector<std::string>& reports) {
    FileStream stream(file_.path.string(), O_NOFOLLOW);
    if (!stream) return unobserved(stream.why());
    const struct stat& about = stream.about();
    if (!S_ISREG(about.st_mode)) return unobserved("is no file");
    if (about.st_uid != ::geteuid()) return unobserved("belongs to another user");
    if (about.st_ino != inode_ || before_of(stream, offset_, before_.size()) != before_)
        start_over(since_);
    inode_ = about.st_ino;
    const std::uint64_t from = offset_;
    stream.clear();
    stream.skip(from);
    StoreLines lines(stream, file_.format->matters);
    api::JsonDocument document;
    StoredLine stored;
    stored.live = true;
    std::string kept;
    std::string whole;
    std::string_view piece;
    at_end_ = false;
    while (reports.size() < reports_max) {
        const StoreLines::Found found = lines.next(piece);
        if (found == StoreLines::Found::kEnd) {
            at_end_ = true;
            events_.begin(reports);
            break;
        }
        offset_ = from + lines.bytes_done();
        if (found != StoreLines::Found::kLine) continue;
        const std::string_view line = without_values(piece, file_.format->unread, kept);
        const bool read =
            document.parse(line).has_value() ||
            document.parse(whole = api::readable_json(line, core::limits::kJsonDepthMax))
                .has_value();
        if (!read) continue;
        if (document.root().kind() != api::JsonKind::kObject) continue;
        stored.clear();
        reader_->take(document.root(), stored);
        events_.take(stored, is_sub_agent(), reports);
    }
    if (stream.bad()) return unobserved("cannot be read");
    before_ = before_of(stream, offset_, std::min<std::uint64_t>(offset_, kBeforeBytes));
    return {};
}

}  // namespace headway::cli
