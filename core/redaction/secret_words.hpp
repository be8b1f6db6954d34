// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/redaction/secrets.hpp"

// Secrets that follow a word or a flag without a sign such as `=` in between. All functions are
// pure and read a bounded part of the text. A value ends where a shell would begin another command,
// so that an approver sees everything that a command does.

namespace headway::core {

/// Commands that have a flag for a password.
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

/// The command whose arguments are being scanned.
struct CommandSeen {
    Tool tool = Tool::kNone;
    std::size_t end = 0;  ///< the end of the command's name
};

/// The secret after the word in [start, end), as in `PASSWORD 'x'`, `password is x`, `echo x | sudo
/// -S`, or in a column. If the word is a command, `seen` becomes that command.
std::optional<SecretSpan> behind_word(std::string_view text, std::size_t start, std::size_t end,
                                      CommandSeen& seen);
/// The secret after the flag at `at`, such as `-p`, `-u` or `-storepass`.
std::optional<SecretSpan> behind_flag(std::string_view text, std::size_t at,
                                      const CommandSeen& seen);
/// Resets `seen` if its command ends at the separator at `at`.
void leave_command(std::string_view text, std::size_t at, CommandSeen& seen);
/// The last field of a line of .pgpass. The line's last colon is at `colon`.
std::optional<SecretSpan> pgpass_at(std::string_view text, std::size_t colon);

/// True if the word at `start` is a command, not an argument: in `sudo -u mysql x`, `mysql` is an
/// argument.
bool is_command_at(std::string_view text, std::size_t start);
/// The command with a password flag that `word` at `start` names; kNone for other words.
Tool tool_of(std::string_view text, std::size_t start, std::string_view word);

/// The word of a shell command or an SQL statement at `at`, quoted or not. Nothing for words
/// between backticks, because a shell runs these.
std::optional<SecretSpan> argument_at(std::string_view text, std::size_t at);
/// The quoted word directly after `begin`, the first part of an argument: `user:"word"`.
std::optional<SecretSpan> quoted_behind(std::string_view text, const SecretSpan& begin);
/// True if the argument of a password flag is a secret. Placeholders in a manual are not, so they
/// stay readable.
bool is_argument_secret(std::string_view value);
/// The word before `at` in the same line, without the blanks after it.
std::string_view word_in_front(std::string_view text, std::size_t at);

}  // namespace headway::core
