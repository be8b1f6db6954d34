// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/base/json.hpp"
#include "cli/top/top_view.hpp"

// The order in which `headway top` lists sessions, as on the web page.

namespace headway::cli::top {

/// A row of the list.
struct Placed {
    const Json* row = nullptr;
    std::size_t depth = 0;  ///< number of ancestors above it
    std::size_t below = 0;  ///< sessions below it, if grouped
    double cost = 0;        ///< dollars of this session and all below it
    double estimated = 0;   ///< part of `cost` that no agent reported
    double unpriced = 0;    ///< tokens whose cost is not known
};

/// The rows in the order that the person chose: by `state.order`, with sub-agents below their
/// parents unless `state.flat`. Sessions with an alarm come first. The rows point into `data`.
/// Pure.
std::vector<Placed> placed(const Json& data, const TopState& state);
/// The place of a session in `rows`; 0 if absent.
std::size_t place_of(const std::vector<Placed>& rows, const std::string& id);

/// "▁▃█▁▁▁": proof of progress in the last rounds, one cell for each round, at most `cells`. If
/// many consecutive rounds have proved nothing, their number follows, as in "×29". Pure.
std::string pulse_of(const Json& row, std::size_t cells);

}  // namespace headway::cli::top
