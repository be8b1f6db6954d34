// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "cli/base/text.hpp"

namespace headway::cli {

class Json;

/// Words of an approval's alarm, for a person: "ran although it was rejected". Pure.
std::string alarm_words(std::string_view kind);

/// "[######....] 62%". Pure.
std::string progress_bar_text(double percent);

/// Tokens and cost of a session or row so far, as "12.3k $0.42"; empty if nothing was used. Pure.
std::string used_text(const Json& session);

/// The cost in the member `used`: for example "$0.042". A "~" before the cost means that a part is
/// estimated; a "+" after it means that the cost of some tokens is unknown. "$?" means that no cost
/// is known. Pure.
std::string cost_text(const Json& used);

/// "input 1.0k, cached 9.0k, output 300": the parts that are not 0. Pure.
std::string token_parts_text(const Json& parts);

/// The session documents of API.md as a table for people, `width` columns at most (0: no limit).
/// `behind` returns, for a session's id, the number of further completed runs of the same job.
/// These runs have no rows of their own. Pure.
std::string sessions_table(const Json& sessions, WallTime now, std::size_t width, bool color,
                           const std::function<std::size_t(const std::string&)>& behind = {});

/// One session document as "name value" lines. Pure, except for the local time zone.
std::string session_details(const Json& session, WallTime now, bool color);

/// The advice on a report, for people: the session's state, and each directive on its own line.
/// Pure.
std::string advice_text(const Json& advice);

}  // namespace headway::cli
