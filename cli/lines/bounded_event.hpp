// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/lines/agent_line.hpp"

// Data from an agent's lines, cut to the sizes in which it is reported. Functions change only
// arguments.

namespace headway::cli {

/// Above four times the daemon's own limit, a text is cut here. A shorter text is sent whole, so
/// that the daemon chooses the head and the tail that it keeps.
inline constexpr std::size_t kLineTextBytesMax = 16'384;

/// `text`; or, if it is longer, its head and tail, with the size of the cut part between them.
std::string bounded_text(std::string_view text, std::size_t bytes_max = kLineTextBytesMax);

/// Cuts long texts and arguments, keeping digests by which equal ones are recognised, and removes
/// data that the daemon refuses: NUL, deep nesting, names that are too long.
void bound_event(LineEvent& event);

}  // namespace headway::cli
