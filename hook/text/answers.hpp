// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Answers of the model in the agent's own record of a session: JSON, one object a line. Pure,
// linear.

namespace headway::hook {

/// Answers in one request: the daemon reads no more.
inline constexpr int kAnswersMax = 32;
/// Bytes of the header that carries them; the daemon takes a head of 8 KiB.
inline constexpr std::size_t kUseBytesMax = 6144;

enum class Record : unsigned char { kTranscript, kRollout };  ///< of Claude Code, of Codex

/// It stands in a header, between separators, or in a path.
bool is_plain(std::string_view text, std::size_t size_max) noexcept;

/// The last line, which is taken off; the first one of a tail may be cut.
std::string_view take_last_line(std::string_view& text) noexcept;

/// The use of the last answers, newest first, each once, by its last line: `ID;TIME;INPUT;OUTPUT`,
/// and behind that `;CACHED;CACHE_WRITE;REASONING;MODEL` where one of these is known. Input has
/// what went through a cache in it, and output what was thought. Answers that a fork has copied
/// from another session are left out, where the record marks them. `file` is the name of the
/// record.
std::vector<std::string> items_in(std::string_view tail, Record record, std::string_view file,
                                  std::size_t most);

/// Leaves out the items of answers that a sub-agent's parent gave: the end of the parent's
/// transcript has their lines.
void drop_answers_of(std::string_view parent, std::vector<std::string>& items);

/// The time of the last line that has one: the agent's clock, about now. Empty without one.
std::string_view newest_time(std::string_view tail) noexcept;

/// Items with commas between them, oldest first: as many of the newest as one request takes, which
/// are taken off. Where `now` is not the time of the last of them, it comes first, behind "@".
std::string take_header(std::vector<std::string>& items, std::string_view now);

}  // namespace headway::hook
