// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/work_payloads.hpp"

// Files that a call wrote. Internal to the dialects. The functions have no side effects except
// on their reference arguments.

namespace headway::api::hooks {

/// A replacement in a text.
struct Replacement {
    std::string_view before;
    std::string_view after;
    bool all = false;  ///< every occurrence is replaced; otherwise only the first
};

/// Adds `path` with the digest of its new `content` without comments (code_of_file()). No effect
/// for an empty path.
void add_written(std::vector<core::Mutation>& mutated, std::string path, std::string_view content);

/// Adds `path` with the digest of the edited `original`, as add_written() does. Without `original`,
/// adds it with the digest of the edit and the path, or adds nothing if the edit changes only
/// comments.
void add_edited(std::vector<core::Mutation>& mutated, std::string path,
                std::optional<std::string_view> original, const Replacement& edit);

/// Adds each file named in a `*** Begin Patch` patch, with the digest of the file's part of the
/// patch.
void add_patched(std::vector<core::Mutation>& mutated, std::string_view patch);

}  // namespace headway::api::hooks
