// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/redaction/secrets.hpp"

// Secrets that a word or a flag before them announces, without a sign between. All functions are
// pure, and look at a bounded part of the text. A value ends where a shell would begin another
// command, so that an approver sees all that a command does.

namespace headway::core {

/// Commands with a flag for a password.
enum class Tool : std::uint8_t {
    kNone,
    kMysql,
    kSshpass,
    kLogin,
    kRedis,
    kZip,
    kSevenZip,
    kSamba,
    kLdap,
    kLftp,
    kCurl,
    kHttpie,
    kOathtool,
    kGhSecret,
    kNmcli
};

/// The command whose arguments a scan passes.
struct CommandSeen {
    Tool tool = Tool::kNone;
    std::size_t end = 0;  ///< the end of its name
};

/// The secret behind the word in [start, end), such as `PASSWORD 'x'`, `password is x`, `echo x |
/// sudo -S`, a column; `seen` becomes the command that the word is.
std::optional<SecretSpan> behind_word(std::string_view text, std::size_t start, std::size_t end,
                                      CommandSeen& seen);
/// The secret behind a flag such as `-p`, `-u`, `-storepass` at `at`.
std::optional<SecretSpan> behind_flag(std::string_view text, std::size_t at,
                                      const CommandSeen& seen);
/// Leaves the command if it ends at the separator at `at`.
void leave_command(std::string_view text, std::size_t at, CommandSeen& seen);
/// The last field of a line of .pgpass, whose last colon is at `colon`.
std::optional<SecretSpan> pgpass_at(std::string_view text, std::size_t colon);

/// True if the word at `start` is a command and no argument: `sudo -u mysql x` runs another.
bool is_command_at(std::string_view text, std::size_t start);
/// The command with a password flag that the word at `start` is.
Tool tool_of(std::string_view text, std::size_t start, std::string_view word);

/// One word of a shell or statement at `at`, quoted or not. None between backticks, whose words a
/// shell runs.
std::optional<SecretSpan> argument_at(std::string_view text, std::size_t at);
/// The word in quotes right behind `begin`, the first part of an argument: `user:"word"`.
std::optional<SecretSpan> quoted_behind(std::string_view text, const SecretSpan& begin);
/// True for the argument of a password flag; placeholders of a manual stay readable.
bool is_argument_secret(std::string_view value);
/// The word before `at` in its line, without the blanks between.
std::string_view word_in_front(std::string_view text, std::size_t at);

}  // namespace headway::core
