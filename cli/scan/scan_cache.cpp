// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/scan_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <filesystem>
#include <set>
#include <system_error>
#include <type_traits>
#include <utility>

#include "core/text/text.hpp"
#include "system/file_descriptor.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kCacheHead = "headway scan 1\n";
constexpr std::size_t kCacheBytesMax = std::size_t{256} << 20;
constexpr std::size_t kCacheDigestBytes = 16;

/// Numbers of seven bits a byte, texts behind their sizes.
class CacheWriter {
public:
    static constexpr bool kReads = false;
    std::string text;

    void number(std::uint64_t& value) {
        std::uint64_t rest = value;
        for (; rest >= 0x80; rest >>= 7)
            text += static_cast<char>((rest & 0x7f) | 0x80);
        text += static_cast<char>(rest);
    }
    void word(std::string& value) {
        std::uint64_t size = value.size();
        number(size);
        text += value;
    }
    /// Each element takes at least a byte.
    template <class T>
    void size(std::vector<T>& of) {
        std::uint64_t count = of.size();
        number(count);
    }
};

class CacheReader {
public:
    static constexpr bool kReads = true;
    explicit CacheReader(std::string_view from) : rest(from) {}

    std::string_view rest;
    bool damaged = false;

    void number(std::uint64_t& value) {
        value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (rest.empty()) break;
            const auto byte = static_cast<unsigned char>(rest.front());
            rest.remove_prefix(1);
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80) return;
        }
        damaged = true;
    }
    void word(std::string& value) {
        std::uint64_t size = 0;
        number(size);
        if (size > rest.size()) damaged = true;
        if (damaged) return;
        value = rest.substr(0, size);
        rest.remove_prefix(size);
    }
    template <class T>
    void size(std::vector<T>& of) {
        std::uint64_t count = 0;
        number(count);
        if (count > rest.size()) damaged = true;
        of.resize(damaged ? 0 : count);
    }
};

// One description of what is stored serves both directions.

template <class Archive, class Number>
void pass_number(Archive& archive, Number& value) {
    std::uint64_t plain = 0;
    if constexpr (std::is_same_v<Number, double>) {
        if (!Archive::kReads) plain = std::bit_cast<std::uint64_t>(value);
        archive.number(plain);
        value = std::bit_cast<double>(plain);
    } else {
        if (!Archive::kReads) plain = static_cast<std::uint64_t>(value);
        archive.number(plain);
        value = static_cast<Number>(plain);
    }
}

template <class Archive, class Value, class Pass>
void pass_optional(Archive& archive, std::optional<Value>& value, const Pass& pass) {
    bool there = value.has_value();
    pass_number(archive, there);
    if (Archive::kReads && there) value.emplace();
    if (there) pass(*value);
}

template <class Archive>
void pass_alarm(Archive& archive, std::optional<ScannedAlarm>& alarm) {
    pass_optional(archive, alarm, [&](ScannedAlarm& one) {
        pass_number(archive, one.call);
        pass_number(archive, one.seconds);
        archive.word(one.reason);
    });
}

template <class Archive>
void pass_session(Archive& archive, ScannedSession& session) {
    StoredAbout& about = session.about;
    for (std::string* word : {&about.agent, &about.id, &about.parent, &about.project, &about.model,
                              &about.version, &session.last.reason})
        archive.word(*word);
    pass_number(archive, session.last.verdict);
    for (double* value :
         {&session.began, &session.ended, &session.worked, &session.worked_after_stuck})
        pass_number(archive, *value);
    for (std::size_t* value :
         {&session.lines, &session.broken, &session.refused, &session.open_calls})
        pass_number(archive, *value);
    archive.size(session.calls);
    for (std::uint64_t& call : session.calls)
        pass_number(archive, call);
    archive.size(session.models);
    for (std::string& model : session.models)
        archive.word(model);
    archive.size(session.uses);
    for (CountedUse& use : session.uses) {
        pass_number(archive, use.answer);
        pass_number(archive, use.tokens);
        pass_optional(archive, use.cost_usd, [&](double& cost) { pass_number(archive, cost); });
        pass_number(archive, use.seconds);
        pass_number(archive, use.model);
        pass_number(archive, use.after_stuck);
    }
    pass_alarm(archive, session.stuck);
    pass_alarm(archive, session.blocked);
}

template <class Archive>
void pass_state(Archive& archive, StoreState& state) {
    pass_number(archive, state.bytes);
    pass_number(archive, state.changed);
    pass_number(archive, state.inode);
    pass_number(archive, state.log_bytes);
    pass_number(archive, state.log_changed);
}

bool makes_sense(const ScannedSession& session) {
    for (const CountedUse& use : session.uses)
        if (use.model >= session.models.size()) return false;
    return static_cast<std::size_t>(session.last.verdict) < core::kVerdictCount;
}

std::string digest_text(std::string_view text) {
    const core::Digest digest = core::digest_of(text);
    std::string bytes;
    for (const std::uint64_t half : {digest.low, digest.high})
        for (int shift = 0; shift < 64; shift += 8)
            bytes += static_cast<char>((half >> shift) & 0xff);
    return bytes;
}

std::string head_of_cache(std::string_view build) {
    return std::string(kCacheHead).append(build).append("\n");
}

std::int64_t nanoseconds_of(const struct timespec& time) {
    return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

}  // namespace

StoreState state_of(const StoreFile& file) {
    StoreState state{file.bytes, file.changed, file.inode, 0, 0};
    const bool database = file.format != nullptr && file.format->shape == StoreShape::kDatabase;
    struct stat log {};
    if (database && ::lstat((file.path.string() + "-wal").c_str(), &log) == 0) {
        state.log_bytes = static_cast<std::uint64_t>(log.st_size);
        state.log_changed = nanoseconds_of(log.st_mtim);
    }
    return state;
}

const std::vector<ScannedSession>* ScanCache::find(const std::string& path,
                                                   const StoreState& state) const {
    const auto entry = entries_.find(path);
    if (entry == entries_.end() || entry->second.state != state) return nullptr;
    return &entry->second.sessions;
}

void ScanCache::keep(const std::string& path, const StoreState& state,
                     const std::vector<ScannedSession>& sessions) {
    Entry entry{state, sessions};
    for (ScannedSession& session : entry.sessions) {
        session.about.goal.clear();
        session.timeline = {};
        core::Judgement last;
        last.verdict = session.last.verdict;
        last.reason = session.last.reason;
        session.last = std::move(last);
    }
    entries_.insert_or_assign(path, std::move(entry));
}

void ScanCache::keep_only(const std::vector<StoreFile>& files) {
    std::set<std::string> kept;
    for (const StoreFile& file : files)
        kept.insert(file.path.string());
    std::erase_if(entries_, [&](const auto& entry) { return !kept.contains(entry.first); });
}

ScanCache ScanCache::read(std::string_view text, std::string_view build) {
    ScanCache cache;
    const std::string head = head_of_cache(build);
    if (!text.starts_with(head) || text.size() < head.size() + kCacheDigestBytes) return cache;
    const std::string_view body =
        text.substr(head.size(), text.size() - head.size() - kCacheDigestBytes);
    if (text.substr(text.size() - kCacheDigestBytes) != digest_text(body)) return cache;
    CacheReader reader(body);
    while (!reader.rest.empty() && !reader.damaged) {
        std::string path;
        Entry entry;
        reader.word(path);
        pass_state(reader, entry.state);
        reader.size(entry.sessions);
        for (ScannedSession& session : entry.sessions) {
            if (reader.damaged) break;
            pass_session(reader, session);
            session.file = path;
            reader.damaged = reader.damaged || !makes_sense(session);
        }
        if (!reader.damaged) cache.entries_.insert_or_assign(path, std::move(entry));
    }
    return cache;
}

std::string ScanCache::write(std::string_view build) const {
    CacheWriter writer;
    for (const auto& [path, entry] : entries_) {
        std::string name = path;
        Entry copy = entry;
        writer.word(name);
        pass_state(writer, copy.state);
        writer.size(copy.sessions);
        for (ScannedSession& session : copy.sessions)
            pass_session(writer, session);
    }
    return head_of_cache(build) + writer.text + digest_text(writer.text);
}

std::string scan_build() {
    struct stat program {};
    if (::stat("/proc/self/exe", &program) != 0) return "unknown";
    return std::to_string(program.st_size) + " " + std::to_string(program.st_ino) + " " +
           std::to_string(nanoseconds_of(program.st_mtim));
}

std::string scan_cache_path(const std::map<std::string, std::string>& environment) {
    const auto value = [&](const char* name) {
        const auto found = environment.find(name);
        return found == environment.end() ? std::string{} : found->second;
    };
    const std::string folder = value("XDG_CACHE_HOME");
    if (folder.starts_with('/')) return folder + "/headway/scan";
    const std::string home = value("HOME");
    return home.starts_with('/') ? home + "/.cache/headway/scan" : std::string{};
}

ScanCache load_scan_cache(const std::string& path) {
    if (path.empty()) return {};
    FileStream stream(path, O_NOFOLLOW);
    if (!stream || !S_ISREG(stream.about().st_mode) || stream.about().st_uid != ::geteuid())
        return {};
    const auto bytes = static_cast<std::size_t>(stream.about().st_size);
    if (bytes > kCacheBytesMax) return {};
    std::string text(bytes, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(bytes));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return ScanCache::read(text, scan_build());
}

bool store_scan_cache(const std::string& path, const ScanCache& cache) {
    if (path.empty()) return false;
    const std::string text = cache.write(scan_build());
    if (text.size() > kCacheBytesMax) return false;
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
    const std::string draft = path + "." + std::to_string(::getpid());
    const system::FileDescriptor file{
        ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
    if (!file.open()) return false;
    std::string_view rest = text;
    while (!rest.empty()) {
        const ssize_t written = ::write(file.get(), rest.data(), rest.size());
        if (written <= 0 && errno != EINTR) break;
        if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    }
    if (rest.empty() && ::rename(draft.c_str(), path.c_str()) == 0) return true;
    ::unlink(draft.c_str());
    return false;
}

}  // namespace headway::cli
