// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/work_payloads.hpp"

// Files that a call wrote. Internal to the dialects; pure.

namespace headway::api::hooks {

/// A replacement in a text.
struct Replacement {
    std::string_view before;
    std::string_view after;
    bool all = false;  ///< wherever it occurs; otherwise the first time
};

/// `path` now has this content. Nothing for an empty path.
void add_written(std::vector<core::Mutation>& mutated, std::string path, std::string_view content);

/// `path` was changed so; without `original` the digest is of the change itself.
void add_edited(std::vector<core::Mutation>& mutated, std::string path,
                std::optional<std::string_view> original, const Replacement& edit);

/// Each file that a patch in the form of `*** Begin Patch` names, with the digest of its part.
void add_patched(std::vector<core::Mutation>& mutated, std::string_view patch);

}  // namespace headway::api::hooks
