// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/line/verb_spec.hpp"

// How a verb declares what it takes.

namespace headway::cli {

using std::chrono::milliseconds;

/// Adds to an argument what a declaration leaves open. Valid until the next declaration.
class Argument {
public:
    explicit Argument(ArgumentSpec& spec) : spec_(spec) {}

    /// A FILE, DIR or FOLDER is never empty.
    Argument& type(std::string name);
    Argument& required();
    /// Left out of the verb's help, which has a note for all of these.
    Argument& connection();
    Argument& choices(std::vector<std::string> values);
    Argument& check(std::function<std::string(const std::string&)> check);
    /// Refuses no text at all, which is what an unset variable of a script gives.
    Argument& never_empty();
    /// A FILE that may: of a verb whose usage errors would let an agent go on.
    Argument& may_be_empty();
    Argument& range(int min, int max);
    Argument& range(double min, double max);
    Argument& separator(char separator);
    Argument& excludes(std::string name);
    Argument& needs(std::string name);
    /// Shows this value as the default.
    Argument& fallback(std::string text);
    /// Shows the value that the target holds now as the default.
    Argument& show_default();

private:
    friend class Arguments;
    Argument& initially(std::string text);

    ArgumentSpec& spec_;
    std::string initial_;
};

/// Declares the arguments of one verb. Targets must outlive the parse and must not move.
class Arguments {
public:
    /// Adds --help.
    explicit Arguments(VerbSpec& verb);

    Arguments& help(std::string text);
    Arguments& footer(std::string text);
    Arguments& hidden();

    // `names` as in "--to,--url".
    Argument flag(const char* names, bool& target, const char* help);
    Argument flag(const char* names, std::function<void()> chosen, const char* help);
    /// `target` becomes "true", or the value of --name=VALUE.
    Argument value_flag(const char* names, std::string& target, const char* help);

    Argument option(const char* names, std::string& target, const char* help);
    Argument option(const char* names, std::uint64_t& target, const char* help);
    Argument option(const char* names, std::optional<std::uint64_t>& target, const char* help);
    Argument option(const char* names, double& target, const char* help);
    Argument option(const char* names, std::optional<double>& target, const char* help);
    /// May be given several times.
    Argument option(const char* names, std::vector<std::string>& target, const char* help);
    /// `set` answers what is wrong with the value, or empty.
    Argument option(const char* names, std::function<std::string(const std::string&)> set,
                    const char* help);
    Argument duration(const char* names, std::optional<milliseconds>& target, const char* help);
    /// Shows its default.
    Argument duration(const char* names, milliseconds& target, const char* help);

    Argument operand(const char* name, std::string& target, const char* help);
    Argument operand(const char* name, std::vector<std::string>& target, const char* help);
    /// A session id, checked.
    Argument session(std::string& target, const char* help = "session id");

    /// Adds --url, --token-file, --state-dir, --ca-file and --json, and calls uses_daemon().
    void client(ClientOptions& client);
    /// The parser completes `client` when `needed` says so after the parse; unset: always.
    void uses_daemon(ClientOptions& client, std::function<bool()> needed = {});
    /// The daemon is named by a URL that any client understands, never by its socket.
    void without_socket();
    /// Adds --config and --set.
    void sources(config::LoadRequest& sources);
    /// The same and --listen, --state-dir and --store: whatever the daemon takes.
    void daemon_settings(config::LoadRequest& request);
    /// Adds an option that sets one key of the settings.
    Argument setting(const char* names, const char* key, config::LoadRequest& sources,
                     const char* help);
    Argument json(bool& target);

    /// Adds a verb below this one, which takes over the footer. `chosen` runs when it is named. The
    /// result is valid until the next call.
    Arguments verb(const char* name, const char* help, std::function<void()> chosen);
    /// Takes the words of another command.
    void command(std::function<void(std::vector<std::string>)> take);
    /// Runs when all arguments are set.
    void finally(std::function<std::optional<Mistake>()> finish);

private:
    ArgumentSpec& add(ArgumentSpec::Form form, const char* names, const char* help);

    VerbSpec* verb_;
};

/// Why no session can have this id; empty: one can. Such a word is a mistake of the command line:
/// `run` starts no command for it. Pure.
std::string session_id_fault(const std::string& id);

}  // namespace headway::cli
