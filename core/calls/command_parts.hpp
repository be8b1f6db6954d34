// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/words.hpp"

// The parts of a shell command line. Functions change only arguments; linear in the command.

namespace headway::core {

/// The next part of a command line, up to `&&`, `||`, `;`, `|` or the end of a line; none of these
/// splits a quoted text. Removes the part from `rest`, which must not be empty.
std::string_view next_part(std::string_view& rest);

/// The command that a part runs, without any `sudo`, `timeout 5`, `FOO=1` or words of shell loops
/// before the command.
std::string_view plain_command(std::string_view part);

/// The command without the options before its subcommand: `kubectl -n shop get pods` gives `kubectl
/// get pods`. A view of `part`, or of `buffer`.
std::string_view without_options(std::string_view part, std::string& buffer);

/// True if the command begins with one of `starts`, and no word character (is_word()) follows the
/// start. After a start that ends in a blank, anything may follow.
template <class List>
bool starts_with_any(std::string_view command, const List& starts) {
    if (command.empty() || !may_begin(starts, command)) return false;
    return std::any_of(std::begin(starts), std::end(starts), [command](std::string_view start) {
        return command[0] == start[0] && command.starts_with(start) &&
               (command.size() == start.size() || start.back() == ' ' ||
                !is_word(command[start.size()]));
    });
}

/// True if the part is one of these commands: a blank or nothing follows the name. `test.sh` is not
/// `test`.
template <class List>
bool is_one_of(std::string_view part, const List& list) {
    if (part.empty() || !may_begin(list, part)) return false;
    return std::any_of(std::begin(list), std::end(list), [part](std::string_view name) {
        return name[0] == part[0] && part.starts_with(name) &&
               (part.size() == name.size() || part[name.size()] == ' ');
    });
}

/// True if the part redirects its output to a file: `> file` or `>> file`, but not `2>&1` or
/// `>/dev/null`.
bool redirects(std::string_view part);

/// The command without its comments, which are for people. A `#` in quotes does not begin a
/// comment. A command with a here document stays as it is, because there `#` may be content.
std::string without_comments(std::string_view command);

/// The command without the lines of here documents, which are content, not commands. A view of
/// `command`, or of `buffer`.
std::string_view without_documents(std::string_view command, std::string& buffer);

/// The command of each part of a command line (plain_command()), without the lines of here
/// documents and without empty parts. A line is split once and passed in this form, because several
/// functions examine each command. The parts are views of the line, which must outlive this object,
/// or of `buffer_`.
class CommandParts {
public:
    CommandParts(std::string_view line);
    CommandParts(const char* line) : CommandParts(std::string_view{line}) {}
    CommandParts(const std::string& line) : CommandParts(std::string_view{line}) {}
    CommandParts(const CommandParts&) = delete;  // the parts may be views of `buffer_`
    CommandParts& operator=(const CommandParts&) = delete;

    std::string_view line() const { return line_; }
    auto begin() const { return parts_.begin(); }
    auto end() const { return parts_.end(); }

private:
    std::string_view line_;
    std::string buffer_;
    std::vector<std::string_view> parts_;
};

}  // namespace headway::core
