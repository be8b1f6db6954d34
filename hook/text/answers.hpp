// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Reads the model's answers from an agent's own record of a session, which has one JSON object on
// each line. Functions change only arguments; linear.

namespace headway::hook {

/// Maximum number of answers in one request; the daemon ignores further answers.
inline constexpr int kAnswersMax = 32;
/// Maximum size of the header with the answers, in bytes; the daemon accepts a head of 8 KiB.
inline constexpr std::size_t kUseBytesMax = 6144;

enum class Record : unsigned char { kTranscript, kRollout };  ///< Claude Code's, Codex's

/// True if `text` has 1 to `size_max` characters, all of `A-Za-z0-9-_:.`, so that it fits into a
/// header or a path.
bool is_plain(std::string_view text, std::size_t size_max) noexcept;

/// Removes the last line from `text` and returns it. If `text` is a file's end, line 1 may be
/// incomplete.
std::string_view take_last_line(std::string_view& text) noexcept;

/// The usage of the last answers, at most `most`, newest first, without duplicates. The usage of an
/// answer is taken from the last line about the answer, and has the form `ID;TIME;INPUT;OUTPUT`,
/// followed by `;CACHED;CACHE_WRITE;REASONING;MODEL` if one of these is known. INPUT includes
/// cached tokens, and OUTPUT includes reasoning. An answer is left out if the record shows that a
/// fork copied it from another session. `file` is the name of the record.
std::vector<std::string> items_in(std::string_view tail, Record record, std::string_view file,
                                  std::size_t most);

/// Removes the answers of the parent from the `items` of a sub-agent. `parent`: the end of the
/// parent's transcript.
void drop_answers_of(std::string_view parent, std::vector<std::string>& items);

/// The time in the last line that has a time: about the current time of the agent's clock. Empty if
/// none of the last lines has a time.
std::string_view newest_time(std::string_view tail) noexcept;

/// Removes as many of the newest `items` as fit into one request, and returns them, oldest first,
/// separated by commas. If `now` is not the time of the newest item, "@" and `now` come first.
std::string take_header(std::vector<std::string>& items, std::string_view now);

}  // namespace headway::hook
