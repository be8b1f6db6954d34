// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/base/json.hpp"
#include "cli/top/top_view.hpp"

// In which order `headway top` lists sessions: that of the web page.

namespace headway::cli::top {

/// A row of the list.
struct Placed {
    const Json* row = nullptr;
    std::size_t depth = 0;  ///< below how many of its ancestors
    std::size_t below = 0;  ///< sessions below it, where they are grouped
    double cost = 0;        ///< dollars of it and of all below it
    double estimated = 0;   ///< of these, no agent's word
    double unpriced = 0;    ///< tokens whose cost is not known
};

/// The rows as the person wants them: by `state.order`, sub-agents below their parents unless
/// `state.flat`. Sessions with an alarm come first. They point into `data`. Pure.
std::vector<Placed> placed(const Json& data, const TopState& state);
/// The place of a session in them; 0 when it is not there.
std::size_t place_of(const std::vector<Placed>& rows, const std::string& id);

/// "▁▃█▁▁▁": what the last rounds have proven, at most `cells` of them, a cell each; with "×29"
/// behind it where the last ones brought nothing new. Pure.
std::string pulse_of(const Json& row, std::size_t cells);

}  // namespace headway::cli::top
