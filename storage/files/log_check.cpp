// SPDX-License-Identifier: Apache-2.0
#include "storage/files/log_check.hpp"

#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "core/base/assert.hpp"
#include "storage/files/database_files.hpp"
#include "storage/files/database_lock.hpp"
#include "storage/files/wal.hpp"

namespace headway::storage {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::uint32_t kMagicLittle = 0x377f0682;
constexpr std::uint32_t kMagicBig = 0x377f0683;
constexpr std::uint64_t kTornCommits = 1;  ///< that a power cut may leave

std::uint32_t number_at(std::string_view bytes, std::size_t at, bool big = true) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value = value << 8 | static_cast<unsigned char>(bytes[at + (big ? i : 3 - i)]);
    return value;
}

/// The checksum that runs through a log.
class Sums {
public:
    explicit Sums(bool big) : big_(big) {}

    void add(std::string_view bytes) {
        for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
            first_ += number_at(bytes, at, big_) + second_;
            second_ += number_at(bytes, at + 4, big_) + first_;
        }
    }
    /// As the file has them, always big-endian.
    bool are(std::string_view bytes, std::size_t at) const {
        return number_at(bytes, at) == first_ && number_at(bytes, at + 4) == second_;
    }

private:
    bool big_;
    std::uint32_t first_ = 0;
    std::uint32_t second_ = 0;
};

bool is_page_size(std::uint32_t bytes) {
    return bytes >= 512 && bytes <= 65'536 && (bytes & (bytes - 1)) == 0;
}

/// Reads one frame after the other.
class Log {
public:
    explicit Log(const fs::path& file)
        : in_{file, std::ios::binary}, header_(wal::kHeaderBytes, '\0') {
        if (!read(header_)) header_.clear();
    }
    bool empty() const { return header_.empty(); }
    std::string_view header() const { return header_; }
    /// False at the end, or for a frame that is not whole.
    bool read(std::string& bytes) {
        in_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return in_.gcount() == static_cast<std::streamsize>(bytes.size());
    }

private:
    std::ifstream in_;
    std::string header_;
};

}  // namespace

std::optional<LogDamage> find_log_damage(const fs::path& database) {
    Log log{wal::path_of(database)};
    if (log.empty()) return std::nullopt;
    const std::string_view header = log.header();
    const std::uint32_t magic = number_at(header, 0);
    Sums sums{magic == kMagicBig};
    sums.add(header.substr(0, wal::kSumsAt));
    bool sound = (magic == kMagicBig || magic == kMagicLittle) && sums.are(header, wal::kSumsAt);
    const std::uint32_t page_bytes = number_at(header, wal::kPageBytesAt);
    if (!is_page_size(page_bytes)) return std::nullopt;  // nothing of it can be known
    std::string salts{header.substr(wal::kSaltsAt, 8)};
    std::string frame(wal::kFrameHeaderBytes + page_bytes, '\0');
    LogDamage damage;
    for (std::uint64_t number = 1; log.read(frame); ++number) {
        const std::string_view bytes = frame;
        const std::string_view own = bytes.substr(wal::kFrameSaltsAt, 8);
        if (number == 1 && !sound) salts = own;  // those of the header may be what is damaged
        if (sound) {
            sums.add(bytes.substr(0, wal::kFrameSaltsAt));
            sums.add(bytes.substr(wal::kFrameHeaderBytes));
            sound = own == salts && sums.are(bytes, wal::kFrameSumsAt);
            if (sound) continue;
            damage.frame = number;
        }
        // Frames of an earlier run of the log may follow: they have other salts.
        if (own == salts && number_at(bytes, wal::kCommitAt) != 0) ++damage.lost_commits;
    }
    HEADWAY_ASSERT(!sound || damage.lost_commits == 0);
    if (damage.lost_commits <= kTornCommits) return std::nullopt;
    return damage;
}

Result<std::optional<LogDamage>> keep_log_if_damaged(const fs::path& database) {
    for (const fs::path& file : {database, wal::path_of(database)}) {
        std::error_code ec;
        const fs::file_type type = fs::status(file, ec).type();
        // A read of one may never end.
        const bool waits = type == fs::file_type::fifo || type == fs::file_type::socket ||
                           type == fs::file_type::character;
        if (!waits) continue;
        return Error{
            ErrorCode::kStorageUnavailable, file.string() + " is no file; move it away", {}};
    }
    const auto lock = DatabaseLock::take(database);
    if (!lock) return std::optional<LogDamage>{};
    auto damage = find_log_damage(database);
    if (!damage) return damage;
    damage->kept = unused_name(wal::path_of(database), ".damaged-");
    HEADWAY_CHECK(copy_database(wal::path_of(database), damage->kept));
    return damage;
}

Result<> check_log_has_database(const fs::path& database) {
    std::error_code ec;
    const fs::path log = wal::path_of(database);
    if (fs::exists(database, ec) || !fs::exists(log, ec)) return {};
    const auto bytes = fs::file_size(log, ec);
    if (ec || bytes <= wal::kHeaderBytes) return {};
    return Error{ErrorCode::kStorageUnavailable,
                 database.string() + " is missing, but its log " + log.string() + " holds " +
                     std::to_string(bytes) +
                     " bytes, which a new database would discard. Put the database back beside it; "
                     "or, to start with an empty one, move the log away",
                 {}};
}

}  // namespace headway::storage
