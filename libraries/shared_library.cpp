// SPDX-License-Identifier: Apache-2.0
#include "libraries/shared_library.hpp"

#include <dlfcn.h>

namespace headway::libraries {

SharedLibrary::SharedLibrary(const char* file, const char* package)
    : file_(file), package_(package), handle_(::dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ != nullptr) return;
    const char* const why = ::dlerror();
    why_ = why == nullptr ? "it cannot be loaded" : why;
}

void* SharedLibrary::address_of(const char* name) {
    if (handle_ == nullptr) return nullptr;
    void* const found = ::dlsym(handle_, name);
    need(found != nullptr, std::string{"it has no "} + name);
    return found;
}

void SharedLibrary::need(bool met, const std::string& what) {
    if (!met && why_.empty()) why_ = what;
}

core::Result<> SharedLibrary::fault() const {
    if (why_.empty()) return {};
    return core::Error{core::ErrorCode::kInvalidConfig,
                       file_ + " is needed for this: " + why_ + "; install the package " + package_,
                       {}};
}

}  // namespace headway::libraries
