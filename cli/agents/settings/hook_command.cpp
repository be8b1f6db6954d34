// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/settings/hook_command.hpp"

#include <algorithm>

namespace headway::cli {
namespace {

/// The first word as a shell reads it, which is taken off; with quotes and backslashes, without
/// variables.
std::string first_word(std::string_view& command) {
    command.remove_prefix(std::min(command.find_first_not_of(' '), command.size()));
    std::string word;
    char quote = '\0';
    while (!command.empty() && (quote != '\0' || command.front() != ' ')) {
        char c = command.front();
        command.remove_prefix(1);
        if (c == quote) {
            quote = '\0';
        } else if (quote == '\0' && (c == '\'' || c == '"')) {
            quote = c;
        } else {
            if (c == '\\' && quote != '\'' && !command.empty()) {
                c = command.front();
                command.remove_prefix(1);
            }
            word += c;
        }
    }
    return word;
}

std::string value_in(std::string_view command, std::string_view option) {
    while (!command.empty()) {
        const std::string word = first_word(command);
        if (word == option) return first_word(command);
    }
    return {};
}

}  // namespace

bool is_hook_command(std::string_view command, std::string_view agent) {
    const std::string program = first_word(command);
    if (program.substr(program.rfind('/') + 1) != "headway-hook") return false;
    if (!command.starts_with(' ')) return false;
    return first_word(command) == agent;
}

std::string url_in_command(std::string_view command) {
    return value_in(command, "--url");
}

std::string goal_in_command(std::string_view command) {
    return value_in(command, "--until");
}

bool is_hook_url(std::string_view url, std::string_view agent) {
    if (!url.starts_with("http://") && !url.starts_with("https://")) return false;
    const std::string_view address = url.substr(0, url.find('?'));
    return address.ends_with("/v1/hooks/" + std::string{agent});
}

bool is_required_url(std::string_view url) {
    return url.ends_with("?require=1");
}

bool is_required_command(std::string_view command) {
    while (!command.empty())
        if (first_word(command) == "--require") return true;
    return false;
}

std::string program_in_command(std::string_view command) {
    std::string word = first_word(command);
    return word == "exec" ? first_word(command) : word;
}

}  // namespace headway::cli
