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
/// The list of needs that wait for people.
const Json::List& needs_of(const Json& data);
/// Their total number, and the length of the daemon's list if it is cut.
std::string needs_total(const Json& data);

/// All needs of one cause.
struct NeedGroup {
    std::string cause;
    const Json* first = nullptr;
    std::size_t count = 0;
    bool same_reason = true;  ///< each of them has the reason of `first`
};

/// The needs grouped by cause, in order of first occurrence.
std::vector<NeedGroup> groups_of(const Json::List& needs);
/// True if the person can see the request being decided: `data` has the document of this request.
bool sees_it(const TopState& state, const Json& data);

/// True if the person must type the tool's name to approve, as on the web page. The name is
/// required for a request of critical risk that the person can see.
bool needs_name(const TopState& state, const Json& data);

/// True if the person must type an answer: an agent's question cannot be approved.
bool needs_words(const TopState& state, const Json& data);

/// The line that asks to decide `state.asked`, which names an approval. Pure.
std::string asked_line(const TopState& state, const Json& data);

}  // namespace headway::cli::top
