// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/base/json.hpp"
#include "cli/top/top_view.hpp"

// Data of `headway top`, found in the daemon's replies.

namespace headway::cli::top {

/// The row of a session, or null.
const Json* row_of(const Json& data, const std::string& id);
/// Needs of people.
const Json::List& needs_of(const Json& data);
/// Everything of one cause that needs a person.
struct NeedGroup {
    std::string cause;
    const Json* first = nullptr;
    std::size_t count = 0;
};

/// In the order in which they came.
std::vector<NeedGroup> groups_of(const Json::List& needs);
/// Whether the person can see what is decided: it was read, and is that one.
bool sees_it(const TopState& state, const Json& data);

/// Whether an approval takes the name of its tool, as on the page: one of critical risk that the
/// person sees.
bool needs_name(const TopState& state, const Json& data);

}  // namespace headway::cli::top
