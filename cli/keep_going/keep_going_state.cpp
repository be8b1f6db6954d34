// SPDX-License-Identifier: Apache-2.0
#include "cli/keep_going/keep_going_state.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <sstream>

#include "cli/base/clock.hpp"
#include "cli/process/proc_tree.hpp"
#include "config/load/load.hpp"
#include "core/text/sha256.hpp"
#include "system/file_descriptor.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

core::Error no_switch(const std::string& file) {
    return {core::ErrorCode::kInternal,
            file + ": " + std::strerror(errno) + "; --state-dir names another folder",
            {}};
}

constexpr std::size_t kTurnsMax = 200;
constexpr std::size_t kLimitsMax = 50;
constexpr std::size_t kTurnsBytesMax = 64 * 1024;
constexpr std::int64_t kTimeMsMax = 253'402'300'799'999;  // of year 9999
/// The id is an agent's word; this much of its digest is no other's by chance.
constexpr std::size_t kKeyBytes = 32;
/// A process that was stopped while it held the file must not hold all others.
constexpr int kLockTries = 100;
constexpr int kLockPauseMs = 10;

bool lock(int file) {
    for (int tries = 0; tries < kLockTries; ++tries) {
        if (::flock(file, LOCK_EX | LOCK_NB) == 0) return true;
        if (errno != EWOULDBLOCK && errno != EINTR) return false;
        (void)::poll(nullptr, 0, kLockPauseMs);
    }
    return false;
}

bool is_own(const KeptConversation& kept) {
    return kept.pid == ::getpid();
}

std::string key_of(const std::string& id) {
    return core::sha256_hex(id).substr(0, kKeyBytes);
}

WallTime ms_time(std::int64_t ms) {
    return WallTime{milliseconds{ms}};
}

std::string text_of(int file) {
    std::string text(kTurnsBytesMax, '\0');
    const ssize_t size = ::pread(file, text.data(), text.size(), 0);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text;
}

/// Root may write a file of a user, who must be able to open the next one too.
bool keep_owner(int held, int next) {
    struct stat about {};
    if (::fstat(held, &about) != 0) return false;
    return about.st_uid == ::geteuid() || ::fchown(next, about.st_uid, about.st_gid) == 0;
}

/// Replaces the file in one step: with a full disk, or killed on the way, it stays as it was.
/// `held`: the file, which this process has locked.
bool write_text(const std::string& path, int held, const std::string& text) {
    const std::string next = path + ".new";
    const system::FileDescriptor file(
        ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.open()) return false;
    if (keep_owner(held, file.get()) &&
        ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::rename(next.c_str(), path.c_str()) == 0)
        return true;
    (void)::unlink(next.c_str());
    return false;
}

/// True if the path still names this file: another process may have replaced it while this one
/// waited for the lock.
bool is_at(const std::string& path, int file) {
    struct stat ours {};
    struct stat there {};
    return ::fstat(file, &ours) == 0 && ::lstat(path.c_str(), &there) == 0 &&
           ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

/// The file at `path`, locked; not open if it cannot be held.
system::FileDescriptor hold_file(const std::string& path) {
    for (int tries = 0; tries < kLockTries; ++tries) {
        system::FileDescriptor file(
            ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!file.open() || !lock(file.get())) return {};
        if (is_at(path, file.get())) return file;
    }
    return {};
}

void drop_gone(ProviderTurns& turns, WallTime now) {
    std::erase_if(turns.taken, [now](const ProviderTurn& turn) {
        return turn.until < now || process_began(turn.pid) != turn.began;
    });
    std::erase_if(turns.kept, [](const KeptConversation& kept) {
        return process_began(kept.pid) != kept.began;
    });
}

/// Nothing: the file cannot be held, and each agent begins when it wants.
std::optional<ProviderTurns> change_turns(const std::string& path,
                                          const std::function<void(ProviderTurns&)>& change) {
    const system::FileDescriptor file = hold_file(path);
    if (!file.open()) return std::nullopt;
    const std::string before = text_of(file.get());
    ProviderTurns turns = read_turns(before);
    drop_gone(turns, wall_now());
    change(turns);
    const std::string after = print_turns(turns);
    if (after != before && !write_text(path, file.get(), after)) return std::nullopt;
    return turns;
}

}  // namespace

WallTime take_turn(ProviderTurns& turns, WallTime wanted, milliseconds margin, std::int64_t pid,
                   const std::string& began) {
    std::erase_if(turns.taken, [&](const ProviderTurn& turn) { return turn.pid == pid; });
    WallTime at = wanted;
    milliseconds own = margin * 2;
    for (const ProviderTurn& turn : turns.taken) {
        if (turn.until <= at) continue;
        if (at + own <= turn.at) break;
        at = turn.until;
        own = margin / 2;
    }
    if (turns.taken.size() >= kTurnsMax) return at;
    const ProviderTurn taken{at, at + own, pid, began};
    const auto place =
        std::upper_bound(turns.taken.begin(), turns.taken.end(), taken,
                         [](const ProviderTurn& a, const ProviderTurn& b) { return a.at < b.at; });
    turns.taken.insert(place, taken);
    return at;
}

std::int64_t keeper_ahead(const ProviderTurns& turns, std::int64_t pid, const std::string& key,
                          GiveWayTo whom) {
    for (const KeptConversation& kept : turns.kept) {
        if (kept.key != key) continue;
        if (kept.pid != pid) return kept.pid;
        if (whom == GiveWayTo::kEarlier) return 0;
    }
    return 0;
}

std::string print_turns(const ProviderTurns& turns) {
    const auto ms = [](WallTime at) { return std::to_string(at.time_since_epoch().count()); };
    std::string text;
    for (const KnownLimit& limit : turns.limits)
        text += "limit " + ms(limit.until) + " " + ms(limit.noted) + " " + limit.home + "\n";
    for (const ProviderTurn& turn : turns.taken)
        text += "turn " + ms(turn.at) + " " + ms(turn.until) + " " + std::to_string(turn.pid) +
                " " + turn.began + "\n";
    for (const KeptConversation& kept : turns.kept)
        text += "kept " + std::to_string(kept.pid) + " " + kept.began + " " + kept.key + "\n";
    return text;
}

ProviderTurns read_turns(std::string_view text) {
    ProviderTurns turns;
    std::istringstream lines{std::string{text}};
    for (std::string line; std::getline(lines, line) && turns.taken.size() < kTurnsMax &&
                           turns.kept.size() < kTurnsMax;) {
        std::istringstream words{line};
        std::string kind;
        std::int64_t at = 0;
        if (!(words >> kind >> at) || at < 0 || at > kTimeMsMax) continue;
        if (KeptConversation kept{at, {}, {}}; kind == "kept") {
            if (words >> kept.began >> kept.key) turns.kept.push_back(std::move(kept));
            continue;
        }
        std::int64_t second = 0;
        if (!(words >> second) || second < 0 || second > kTimeMsMax) continue;
        if (KnownLimit limit{{}, ms_time(at), ms_time(second)};
            kind == "limit" && turns.limits.size() < kLimitsMax && words >> limit.home)
            turns.limits.push_back(std::move(limit));
        ProviderTurn turn;
        if (kind != "turn" || !(words >> turn.pid >> turn.began)) continue;
        turn.at = ms_time(at);
        turn.until = ms_time(second);
        turns.taken.push_back(turn);
    }
    return turns;
}

std::string state_folder_of(const ClientOptions& client,
                            std::map<std::string, std::string> environment) {
    if (!client.state_dir.empty()) environment["STATE_DIRECTORY"] = client.state_dir;
    return config::state_directory({}, environment).string();
}

void make_state_folder(const std::string& folder) {
    for (std::size_t at = folder.find('/', 1); at != folder.npos; at = folder.find('/', at + 1))
        (void)::mkdir(folder.substr(0, at).c_str(), 0700);
    (void)::mkdir(folder.c_str(), 0700);
}

std::string KeepGoingState::switch_file() const {
    return folder_ + "/keep-going.off";
}

std::string KeepGoingState::turns_file(const std::string& agent) const {
    std::string name;
    for (const char c : agent.substr(0, 64))
        name += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '-';
    return folder_ + "/keep-going." + (name.empty() ? "agent" : name) + ".turns";
}

bool KeepGoingState::is_off() const {
    struct stat about {};
    return ::lstat(switch_file().c_str(), &about) == 0;
}

core::Result<> KeepGoingState::set_off(bool off) const {
    const std::string file = switch_file();
    if (!off) {
        if (::unlink(file.c_str()) != 0 && errno != ENOENT) return no_switch(file);
        return {};
    }
    make_state_folder(folder_);
    const system::FileDescriptor created(
        ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!created.open()) return no_switch(file);
    return {};
}

WallTime KeepGoingState::take_turn_of(const std::string& agent, WallTime wanted,
                                      milliseconds margin) const {
    WallTime at = wanted;
    make_state_folder(folder_);
    (void)change_turns(turns_file(agent), [&](ProviderTurns& turns) {
        at = take_turn(turns, wanted, margin, ::getpid(), process_began(::getpid()));
    });
    return at;
}

void KeepGoingState::note_limit(const std::string& agent, const std::string& home, WallTime until,
                                WallTime now) const {
    make_state_folder(folder_);
    (void)change_turns(turns_file(agent), [&](ProviderTurns& turns) {
        const std::string key = key_of(home);
        std::erase_if(turns.limits, [&](const KnownLimit& limit) { return limit.home == key; });
        if (turns.limits.size() >= kLimitsMax) turns.limits.erase(turns.limits.begin());
        turns.limits.push_back({key, until, now});
    });
}

WallTime KeepGoingState::limited_until(const std::string& agent, const std::string& home,
                                       WallTime since) const {
    const auto turns = change_turns(turns_file(agent), [](ProviderTurns&) {});
    if (!turns) return {};
    for (const KnownLimit& limit : turns->limits)
        if (limit.home == key_of(home) && limit.noted >= since) return limit.until;
    return {};
}

void KeepGoingState::keep_conversation(const std::string& agent, const std::string& id) const {
    make_state_folder(folder_);
    (void)change_turns(turns_file(agent), [&](ProviderTurns& turns) {
        const KeptConversation own{::getpid(), process_began(::getpid()), key_of(id)};
        if (std::find(turns.kept.begin(), turns.kept.end(), own) != turns.kept.end()) return;
        std::erase_if(turns.kept, is_own);
        if (turns.kept.size() < kTurnsMax - 1) turns.kept.push_back(own);
    });
}

std::int64_t KeepGoingState::give_way(const std::string& agent, const std::string& id,
                                      GiveWayTo whom) const {
    std::int64_t keeper = 0;
    (void)change_turns(turns_file(agent), [&](ProviderTurns& turns) {
        keeper = keeper_ahead(turns, ::getpid(), key_of(id), whom);
        if (keeper != 0) std::erase_if(turns.kept, is_own);
    });
    return keeper;
}

void KeepGoingState::leave_conversation(const std::string& agent) const {
    if (::access(turns_file(agent).c_str(), F_OK) != 0) return;
    (void)change_turns(turns_file(agent),
                       [](ProviderTurns& turns) { std::erase_if(turns.kept, is_own); });
}

}  // namespace headway::cli
