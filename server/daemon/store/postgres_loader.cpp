// SPDX-License-Identifier: Apache-2.0
#include "server/daemon/store/postgres_loader.hpp"

#include <dlfcn.h>

#include <system_error>

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr const char* kModule = "headway-postgres.so";

Error missing(std::string why) {
    return {ErrorCode::kInvalidConfig,
            "the store on PostgreSQL cannot be loaded: " + std::move(why) +
                "; install the package headway-postgres of the same version",
            "storage.store"};
}

}  // namespace

std::filesystem::path find_postgres_module() {
    std::error_code ec;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", ec);
    if (ec) return {};
    const auto folder = program.parent_path();
    for (const auto& place :
         {folder / kModule, folder.parent_path() / "lib" / "headway" / kModule}) {
        if (std::filesystem::exists(place, ec)) return place;
    }
    return {};
}

namespace {

/// An entry of the module, which stays loaded.
template <class Entry>
Result<Entry> load_entry(const char* name) {
    const auto file = find_postgres_module();
    if (file.empty()) return missing(std::string{kModule} + " is not next to the program");
    void* const module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) return missing(::dlerror());
    void* const version = ::dlsym(module, storage::kPostgresVersionEntry);
    const std::string wanted = storage::postgres_module_version();
    const std::string found = version == nullptr
                                  ? "another program"
                                  : reinterpret_cast<storage::PostgresVersion>(version)();
    if (found != wanted)
        return missing(file.string() + " is of version " + found + ", this is " + wanted);
    void* const entry = ::dlsym(module, name);
    if (entry == nullptr) return missing(file.string() + " has no entry");
    return reinterpret_cast<Entry>(entry);
}

}  // namespace

Result<std::unique_ptr<storage::Store>> open_postgres(const storage::PostgresOpening& opening) {
    HEADWAY_TRY(const auto open, load_entry<storage::OpenPostgres>(storage::kPostgresEntry));
    std::unique_ptr<storage::Store> store;
    Error error;
    if (open(opening, store, error) != 0) return error;
    return store;
}

Result<storage::PostgresFacts> probe_postgres(const storage::PostgresOpening& opening, bool connect,
                                              std::filesystem::path& module) {
    module = find_postgres_module();
    HEADWAY_TRY(const auto probe, load_entry<storage::ProbePostgres>(storage::kPostgresProbeEntry));
    storage::PostgresFacts facts;
    Error error;
    if (probe(opening, connect, facts, error) != 0) return error;
    return facts;
}

}  // namespace headway::server
