// SPDX-License-Identifier: Apache-2.0
#include "tests/support/faulty_disk.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace headway::tests {
namespace {

constexpr std::size_t kSectorBytes = 512;

/// SQLite allocates it and calls its methods; it has no constructor.
struct OpenFile {
    sqlite3_file base;
    FaultyDisk* disk;
    std::size_t inode;
    bool sync_folder;  ///< with its first sync
};

OpenFile& self(sqlite3_file* file) {
    return *reinterpret_cast<OpenFile*>(file);
}

void write_into(std::string& content, std::uint64_t at, std::string_view data) {
    if (content.size() < at + data.size()) content.resize(at + data.size());
    content.replace(at, data.size(), data);
}

sqlite3_vfs* real() {
    return sqlite3_vfs_find(nullptr);
}

}  // namespace

/// Content on the platter, and writes that are still on their way.
struct FaultyDisk::Durable {
    std::map<Inode, std::string> contents;
    std::map<Inode, std::vector<const Change*>> pending;
    std::map<std::string, Inode> folder;
    std::vector<const Change*> folder_pending;

    void enter(const Change& change) {
        if (change.kind == Change::Kind::kCreate) folder[change.data] = change.inode;
        if (change.kind == Change::Kind::kDelete) folder.erase(change.data);
    }

    void carry_out(const Change& change) {
        std::string& content = contents[change.inode];
        if (change.kind == Change::Kind::kTruncate) content.resize(change.at);
        if (change.kind == Change::Kind::kWrite) write_into(content, change.at, change.data);
    }

    /// Sector by sector: each is there or not.
    void carry_out_torn(const Change& change, Gen& gen) {
        for (std::size_t from = 0; from < change.data.size();) {
            const std::size_t in_sector = (change.at + from) % kSectorBytes;
            const std::size_t size = std::min(kSectorBytes - in_sector, change.data.size() - from);
            if (gen.chance(2)) {
                write_into(contents[change.inode], change.at + from,
                           std::string_view{change.data}.substr(from, size));
            }
            from += size;
        }
    }
};

struct DiskCalls {
    using Op = FaultyDisk::Operation;
    using Kind = FaultyDisk::Change::Kind;

    static FaultyDisk& disk(sqlite3_vfs* vfs) { return *static_cast<FaultyDisk*>(vfs->pAppData); }

    static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out) {
        FaultyDisk& disk = DiskCalls::disk(vfs);
        file->pMethods = nullptr;
        if (disk.strikes(Op::kOpen) != 0) return SQLITE_CANTOPEN;
        const std::string name = path == nullptr ? "temporary" : path;
        const auto known = disk.find(name);
        if (!known && (flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
        OpenFile& opened = self(file);
        opened.disk = &disk;
        opened.inode = known ? *known : disk.create(name);
        opened.sync_folder = (flags & SQLITE_OPEN_CREATE) != 0 &&
                             (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) != 0;
        file->pMethods = &kMethods;
        if (out != nullptr) *out = flags;
        return SQLITE_OK;
    }

    static int remove(sqlite3_vfs* vfs, const char* path, int sync_folder) {
        FaultyDisk& disk = DiskCalls::disk(vfs);
        if (const int code = disk.strikes(Op::kDelete)) return code;
        const auto known = disk.find(path);
        if (!known) return SQLITE_IOERR_DELETE_NOENT;
        disk.folder_.erase(path);
        disk.log_.push_back({Kind::kDelete, *known, 0, path});
        if (sync_folder != 0 && !disk.lying_) disk.log_.push_back({Kind::kSyncFolder, 0, 0, {}});
        return SQLITE_OK;
    }

    static int access(sqlite3_vfs* vfs, const char* path, int, int* out) {
        *out = disk(vfs).find(path) ? 1 : 0;
        return SQLITE_OK;
    }

    static int full_name(sqlite3_vfs*, const char* path, int size, char* out) {
        sqlite3_snprintf(size, out, "%s", path);
        return SQLITE_OK;
    }

    static int close(sqlite3_file*) { return SQLITE_OK; }

    static int read(sqlite3_file* file, void* out, int size, sqlite3_int64 at) {
        OpenFile& opened = self(file);
        if (const int code = opened.disk->strikes(Op::kRead)) return code;
        const std::string& content = opened.disk->contents_[opened.inode];
        const auto wanted = static_cast<std::size_t>(size);
        const auto from = std::min(static_cast<std::size_t>(at), content.size());
        const std::size_t there = std::min(wanted, content.size() - from);
        std::memcpy(out, content.data() + from, there);
        std::memset(static_cast<char*>(out) + there, 0, wanted - there);
        return there == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
    }

    static int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
        OpenFile& opened = self(file);
        FaultyDisk& disk = *opened.disk;
        const int code = disk.strikes(Op::kWrite);
        std::string bytes{static_cast<const char*>(data), static_cast<std::size_t>(size)};
        if (code != 0) bytes.resize(bytes.size() / 2);
        write_into(disk.contents_[opened.inode], static_cast<std::uint64_t>(at), bytes);
        disk.log_.push_back(
            {Kind::kWrite, opened.inode, static_cast<std::uint64_t>(at), std::move(bytes)});
        return code;
    }

    static int truncate(sqlite3_file* file, sqlite3_int64 size) {
        OpenFile& opened = self(file);
        if (const int code = opened.disk->strikes(Op::kTruncate)) return code;
        opened.disk->contents_[opened.inode].resize(static_cast<std::size_t>(size));
        opened.disk->log_.push_back(
            {Kind::kTruncate, opened.inode, static_cast<std::uint64_t>(size), {}});
        return SQLITE_OK;
    }

    static int sync(sqlite3_file* file, int) {
        OpenFile& opened = self(file);
        FaultyDisk& disk = *opened.disk;
        if (const int code = disk.strikes(Op::kSync)) {
            disk.log_.push_back({Kind::kLost, opened.inode, 0, {}});
            return code;
        }
        if (disk.lying_) return SQLITE_OK;
        disk.log_.push_back({Kind::kSync, opened.inode, 0, {}});
        if (std::exchange(opened.sync_folder, false))
            disk.log_.push_back({Kind::kSyncFolder, 0, 0, {}});
        return SQLITE_OK;
    }

    static int size(sqlite3_file* file, sqlite3_int64* out) {
        OpenFile& opened = self(file);
        *out = static_cast<sqlite3_int64>(opened.disk->contents_[opened.inode].size());
        return SQLITE_OK;
    }

    static int lock(sqlite3_file*, int) { return SQLITE_OK; }
    static int reserved(sqlite3_file*, int* out) {
        *out = 0;
        return SQLITE_OK;
    }
    static int control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
    static int sector(sqlite3_file*) { return 4096; }
    static int traits(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

    // The rest is not of the disk.
    static int randomness(sqlite3_vfs*, int size, char* out) {
        return real()->xRandomness(real(), size, out);
    }
    static int sleep(sqlite3_vfs*, int) { return 0; }
    static int now(sqlite3_vfs*, double* out) { return real()->xCurrentTime(real(), out); }

    static const sqlite3_io_methods kMethods;
};

// Version 1: without shared memory. A connection in exclusive mode has no use for it.
const sqlite3_io_methods DiskCalls::kMethods{
    1,       close,  read,   write,   truncate, sync,    size,    lock,    lock,   reserved,
    control, sector, traits, nullptr, nullptr,  nullptr, nullptr, nullptr, nullptr};

FaultyDisk::FaultyDisk() : vfs_(std::make_unique<sqlite3_vfs>()) {
    name_ = "faulty-" + std::to_string(reinterpret_cast<std::uintptr_t>(this));
    *vfs_ = {};
    vfs_->iVersion = 1;
    vfs_->szOsFile = sizeof(OpenFile);
    vfs_->mxPathname = 512;
    vfs_->zName = name_.c_str();
    vfs_->pAppData = this;
    vfs_->xOpen = DiskCalls::open;
    vfs_->xDelete = DiskCalls::remove;
    vfs_->xAccess = DiskCalls::access;
    vfs_->xFullPathname = DiskCalls::full_name;
    vfs_->xRandomness = DiskCalls::randomness;
    vfs_->xSleep = DiskCalls::sleep;
    vfs_->xCurrentTime = DiskCalls::now;
    sqlite3_vfs_register(vfs_.get(), 0);
}

FaultyDisk::~FaultyDisk() {
    sqlite3_vfs_unregister(vfs_.get());
}

void FaultyDisk::fail(Operation operation, std::uint64_t nth, int code, bool lasting) {
    fault_ = Fault{operation, nth, code, lasting};
    struck_ = false;
}

int FaultyDisk::strikes(Operation operation) {
    ++counts_[static_cast<std::size_t>(operation)];
    if (!fault_ || fault_->operation != operation) return 0;
    if (fault_->left > 0 && --fault_->left > 0) return 0;
    const int code = fault_->code;
    if (!fault_->lasting) fault_.reset();
    struck_ = true;
    return code;
}

std::optional<FaultyDisk::Inode> FaultyDisk::find(const std::string& path) const {
    const auto found = folder_.find(path);
    if (found == folder_.end()) return std::nullopt;
    return found->second;
}

FaultyDisk::Inode FaultyDisk::create(const std::string& path) {
    const Inode inode = contents_.size();
    contents_.emplace_back();
    folder_[path] = inode;
    log_.push_back({Change::Kind::kCreate, inode, 0, path});
    return inode;
}

void FaultyDisk::apply(const Change& change, Durable& durable) const {
    switch (change.kind) {
        case Change::Kind::kCreate:
        case Change::Kind::kDelete:
            durable.folder_pending.push_back(&change);
            return;
        case Change::Kind::kWrite:
        case Change::Kind::kTruncate:
            durable.pending[change.inode].push_back(&change);
            return;
        case Change::Kind::kSync:
            for (const Change* pending : durable.pending[change.inode])
                durable.carry_out(*pending);
            durable.pending[change.inode].clear();
            return;
        case Change::Kind::kLost:
            durable.pending[change.inode].clear();
            return;
        case Change::Kind::kSyncFolder:
            for (const Change* pending : durable.folder_pending)
                durable.enter(*pending);
            durable.folder_pending.clear();
            return;
    }
}

FaultyDisk::Files FaultyDisk::after_power_loss(std::size_t moment, Gen& gen) const {
    Durable durable;
    for (std::size_t i = 0; i < moment; ++i)
        apply(log_[i], durable);
    for (auto& [inode, pending] : durable.pending) {
        // Now and then a disk that wrote in order, up to some point; else anything.
        const bool in_order = gen.chance(4);
        if (in_order) {
            pending.resize(gen.below(pending.size() + 1));
        } else {
            for (std::size_t i = pending.size(); i > 1; --i)
                std::swap(pending[i - 1], pending[gen.index(i)]);
        }
        for (const Change* change : pending) {
            const std::uint64_t fate = in_order ? 0 : gen.below(3);
            if (fate == 0) durable.carry_out(*change);
            if (fate == 1) durable.carry_out_torn(*change, gen);
        }
    }
    const std::size_t entered = gen.below(durable.folder_pending.size() + 1);
    for (std::size_t i = 0; i < entered; ++i)
        durable.enter(*durable.folder_pending[i]);
    Files files;
    for (const auto& [path, inode] : durable.folder)
        files[path] = durable.contents[inode];
    return files;
}

FaultyDisk::Files FaultyDisk::files() const {
    Files files;
    for (const auto& [path, inode] : folder_)
        files[path] = contents_[inode];
    return files;
}

void FaultyDisk::fill(const Files& files) {
    contents_.clear();
    folder_.clear();
    log_.clear();
    for (const auto& [path, content] : files) {
        const Inode inode = create(path);
        contents_[inode] = content;
        log_.push_back({Change::Kind::kWrite, inode, 0, content});
        log_.push_back({Change::Kind::kSync, inode, 0, {}});
    }
    log_.push_back({Change::Kind::kSyncFolder, 0, 0, {}});
}

}  // namespace headway::tests
