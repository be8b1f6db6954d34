// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "core/words.hpp"

// Shell commands, as far as their words tell what they do. Pure; linear in the command.

namespace headway::core {

/// The next part of a command line, up to `&&`, `||`, `;`, `|` or a line's end; quotes are kept
/// together. Removes it from `rest`, which must not be empty.
std::string_view next_part(std::string_view& rest);

/// True if the command is one of `starts`, alone or with arguments; one that ends in a blank is a
/// prefix.
template <class List>
bool starts_with_any(std::string_view command, const List& starts) {
    if (command.empty()) return false;
    return std::any_of(std::begin(starts), std::end(starts), [command](std::string_view start) {
        return command[0] == start[0] && command.starts_with(start) &&
               (command.size() == start.size() || start.back() == ' ' ||
                !is_word(command[start.size()]));
    });
}

/// `> file` or `>> file`, but not `2>&1` and `>/dev/null`.
bool redirects(std::string_view part);

/// Without what a person wrote for people: comments outside of quotes. A command with a here
/// document stays as it is, because there `#` may be content.
std::string without_comments(std::string_view command);

/// Without the lines of here documents, which are content and no commands. A view of `command`, or
/// of `buffer`.
std::string_view without_documents(std::string_view command, std::string& buffer);

/// True if the command only asks for a state and changes nothing: files, processes, services, pages
/// read with curl. A sleep beside it does not matter.
bool only_looks(std::string_view command);

/// True if it asks an orchestrator, a scheduler or a service for the status of something that runs
/// elsewhere: kubectl get, docker ps, squeue, systemctl is-active, gh run view, tail.
bool asks_for_status(std::string_view command);

/// True if it begins with a question that its exit status answers: test, which, grep -q.
bool is_guard(std::string_view command);

/// True if it sleeps and then does something else.
bool sleeps_and_more(std::string_view command);

/// True if it takes files back to what version control has: git checkout, restore, stash, reset.
bool takes_files_back(std::string_view command);

/// True if it leaves nothing that anything depends on: touch, true, echo of a text, an empty
/// commit.
bool does_nothing(std::string_view command);

}  // namespace headway::core
