// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>

#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/doctor/doctor.hpp"

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

Finding good(std::string about, std::string detail) {
    return {std::move(about), true, std::move(detail), {}};
}

Finding wrong(std::string about, std::string detail, std::string fix) {
    return {std::move(about), false, std::move(detail), std::move(fix)};
}

std::string last_error() {
    return std::generic_category().message(errno);
}

// Big-endian numbers at these places (sqlite.org/fileformat2.html).
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kPageBytesAt = 16;
constexpr std::size_t kPagesAt = 28;
constexpr std::size_t kVersionAt = 60;  ///< what SQLite calls the user version
constexpr std::string_view kMagic{"SQLite format 3\0", 16};

std::uint32_t number_in(const std::array<char, kHeaderBytes>& header, std::size_t at,
                        std::size_t bytes) {
    std::uint32_t number = 0;
    for (std::size_t i = at; i < at + bytes; ++i)
        number = number << 8U | static_cast<unsigned char>(header.at(i));
    return number;
}

std::uint32_t user_version(const std::array<char, kHeaderBytes>& header) {
    return number_in(header, kVersionAt, 4);
}

/// How long a database without a log is.
std::uint64_t bytes_of(const std::array<char, kHeaderBytes>& header) {
    const std::uint64_t page = number_in(header, kPageBytesAt, 2);
    return (page == 1 ? 65'536 : page) * number_in(header, kPagesAt, 4);
}

std::string failed_checks(const HttpReply& reply) {
    const Json body = body_json(reply).value_or(Json());
    std::string names;
    for (const auto& [name, state] : body["checks"].members()) {
        if (state == "failed") names += (names.empty() ? "" : ", ") + name;
    }
    return names;
}

}  // namespace

Finding check_state_directory(const fs::path& directory) {
    const std::string about = "state directory";
    const std::string name = directory.string();
    struct stat found {};
    if (::stat(directory.c_str(), &found) != 0) {
        if (errno == ENOENT)
            return good(about, name + " is not there yet; the first start makes it");
        return wrong(about, name + ": " + last_error(), "choose another with storage.state_dir");
    }
    if (!S_ISDIR(found.st_mode))
        return wrong(about, name + " is no folder", "choose another with storage.state_dir");
    if (::access(directory.c_str(), R_OK | W_OK | X_OK) != 0) {
        return wrong(about, "cannot write to " + name + ": " + last_error(),
                     "make it this user's, or choose another with storage.state_dir");
    }
    if ((found.st_mode & 022U) != 0) {
        return wrong(about, "other users may write to " + name + ", and replace what is in it",
                     "`chmod 700` it");
    }
    return good(about, name);
}

Finding check_database(const fs::path& file, int schema_version) {
    const std::string about = "database";
    const std::string name = file.string();
    std::error_code none;
    const fs::file_type type = fs::status(file, none).type();
    if (type == fs::file_type::not_found)
        return good(about, name + " is not there yet; the first start makes it");
    if (type == fs::file_type::fifo)
        return wrong(about, name + " is a pipe", "move it away; the next start makes a database");
    std::array<char, kHeaderBytes> header{};
    std::ifstream in{file, std::ios::binary};
    in.read(header.data(), kHeaderBytes);
    if (in.gcount() == 0 && in.eof())
        return good(about, name + " is empty; the next start fills it");
    if (in.gcount() == 0) {
        return wrong(about, "cannot read " + name, "make it this user's, or run as its owner");
    }
    const bool whole = in.gcount() == static_cast<std::streamsize>(kHeaderBytes);
    if (!whole || std::string_view{header.data(), kMagic.size()} != kMagic) {
        return wrong(about, name + " is no database of Headway",
                     "move it away; the next start makes a new one");
    }
    const std::uint32_t version = user_version(header);
    if (version > static_cast<std::uint32_t>(schema_version)) {
        return wrong(about,
                     name + " has schema " + std::to_string(version) +
                         ", a newer Headway wrote it; this one knows " +
                         std::to_string(schema_version),
                     "run the newer one, or choose another folder with storage.state_dir");
    }
    if (version != 0 && version < static_cast<std::uint32_t>(schema_version)) {
        return wrong(about,
                     name + " has schema " + std::to_string(version) +
                         ", a development build before 0.1.0 wrote it",
                     "choose another folder with storage.state_dir");
    }
    // Until the log is merged, the header may be older than the truth.
    const auto log_bytes = fs::file_size(file.string() + "-wal", none);
    if (!none && log_bytes > 0) return good(about, name + ", with changes still in its log");
    const std::uint64_t bytes = bytes_of(header);
    const auto there = fs::file_size(file, none);
    if (!none && there < bytes) {
        return wrong(about,
                     name + " was cut: it has " + std::to_string(there) + " of " +
                         std::to_string(bytes) + " bytes",
                     "restore a backup, or save what can be read with `headway doctor --repair`");
    }
    return good(about, name + ", schema " + std::to_string(version));
}

Finding check_operator_file(const fs::path& file) {
    const std::string about = "operator's token";
    const std::string name = file.string();
    struct stat found {};
    if (::lstat(file.c_str(), &found) != 0) {
        if (errno == ENOENT)
            return good(about, name + " is not there yet; the first start makes it");
        return wrong(about, name + ": " + last_error(), "run as the user of the daemon");
    }
    if (!S_ISREG(found.st_mode)) {
        return wrong(about, name + " is no plain file",
                     "delete it; the next start makes a new one");
    }
    if ((found.st_mode & 077U) != 0) {
        return wrong(about, "others may read " + name,
                     "`chmod 600` it, then `headway token rotate-operator`");
    }
    if (::access(file.c_str(), R_OK) != 0) {
        return wrong(about, "cannot read " + name + ": " + last_error(),
                     "run as its owner, or name another token with --token-file");
    }
    return good(about, name);
}

namespace {

/// The database of a daemon that says it has another one than `database`; else empty.
std::string other_database(Daemon& daemon, const fs::path& database) {
    const Json system = body_json(daemon.get("/v1/system")).value_or(Json());
    const Json& path = system["database"]["path"];
    if (!path.is_string()) return {};
    const fs::path theirs = path.text();
    std::error_code none;
    const bool same = theirs == database || fs::equivalent(theirs, database, none) ||
                      theirs.lexically_normal() == fs::absolute(database, none).lexically_normal();
    return same ? std::string{} : theirs.string();
}

}  // namespace

Finding check_daemon(Daemon& daemon, const fs::path& database) {
    const std::string about = "daemon";
    const HttpReply reply = daemon.get("/readyz?verbose");
    if (!reply.answered() && !reply.stranger.empty()) {
        const FailureText failure = daemon.stranger();
        return wrong(about, failure.what, failure.next);
    }
    if (!reply.answered()) {
        return wrong(about, "none answers at " + daemon.url() + " (" + reply.error + ")",
                     "start one with `headway serve`, or name it with --url or HEADWAY_URL");
    }
    if (reply.status == 401 || reply.status == 403) {
        return wrong(about, problem_of(reply).detail, daemon.where_is_the_token());
    }
    if (reply.ok()) {
        const std::string other = other_database(daemon, database);
        if (other.empty()) return good(about, "ready at " + daemon.url());
        return wrong(about,
                     "ready at " + daemon.url() + ", but its database is " + other +
                         ": the lines above are about another installation",
                     "name its settings with --config or --state-dir, or this one's daemon with "
                     "--url");
    }
    const std::string failed = failed_checks(reply);
    if (failed.empty()) {
        return wrong(about, daemon.url() + " answers " + std::to_string(reply.status),
                     "is this a Headway daemon? Name the right one with --url");
    }
    return wrong(about, daemon.url() + " is not ready: " + failed,
                 "see its log; is the disk full, is it stopping?");
}

std::string finding_line(const Finding& finding) {
    constexpr std::size_t kAboutWidth = 18;
    std::string line = (finding.ok ? "ok     " : "WRONG  ") +
                       pad(clean_line(finding.about), kAboutWidth) + clean_line(finding.detail);
    if (!finding.fix.empty()) line += "; " + clean_line(finding.fix);
    return line;
}

}  // namespace headway::cli
