// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.hpp"

namespace headway::libraries {

/// A library of the system that is loaded when a feature needs it, not when the program starts. It
/// stays for the rest of the process.
class SharedLibrary {
public:
    /// `file` is its name with the version of its interface, `package` that of Debian's package.
    SharedLibrary(const char* file, const char* package);

    /// Puts the function of that name into `function`; a missing one is a fault().
    template <class Function>
    void find(const char* name, Function*& function) {
        function = reinterpret_cast<Function*>(address_of(name));
    }
    /// A fault unless `met`: its version is too old.
    void need(bool met, const std::string& what);

    /// What is missing and how to get it, of code kInvalidConfig; ok when all was found.
    core::Result<> fault() const;

private:
    void* address_of(const char* name);

    std::string file_;
    std::string package_;
    std::string why_;  ///< the first fault
    void* handle_ = nullptr;
};

}  // namespace headway::libraries
