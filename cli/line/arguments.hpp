// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/line/verb_spec.hpp"

// Declaration of a verb's arguments.

namespace headway::cli {

using std::chrono::milliseconds;

/// Optional properties of a declared argument. Valid until the next declaration.
class Argument {
public:
    explicit Argument(ArgumentSpec& spec) : spec_(spec) {}

    /// Sets the name of the value's type. A FILE, DIR or FOLDER is never empty.
    Argument& type(std::string name);
    Argument& required();
    /// Marks an argument about the connection to the daemon. The verb's help has one note for all
    /// of these instead of a line for each.
    Argument& connection();
    Argument& choices(std::vector<std::string> values);
    Argument& check(std::function<std::string(const std::string&)> check);
    /// Refuses an empty text, which may come from an unset variable in a script.
    Argument& never_empty();
    /// Allows an empty FILE, for a verb that must not fail with a usage error, because an agent
    /// would then go on unchecked.
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
    /// `set` returns the fault of the value, or an empty text.
    Argument option(const char* names, std::function<std::string(const std::string&)> set,
                    const char* help);
    Argument duration(const char* names, std::optional<milliseconds>& target, const char* help);
    /// Shows the target's value as the default.
    Argument duration(const char* names, milliseconds& target, const char* help);

    Argument operand(const char* name, std::string& target, const char* help);
    Argument operand(const char* name, std::vector<std::string>& target, const char* help);
    /// A session id, which is checked.
    Argument session(std::string& target, const char* help = "session id");

    /// Adds --url, --token-file, --state-dir, --ca-file and --json, and calls uses_daemon().
    void client(ClientOptions& client);
    /// The parser completes `client` if `needed` is true after the parse; unset: always.
    void uses_daemon(ClientOptions& client, std::function<bool()> needed = {});
    /// Ensures that the daemon's URL is an HTTP URL, never its Unix socket, so that any client can
    /// use it.
    void without_socket();
    /// Adds --config and --set.
    void sources(config::LoadRequest& sources);
    /// Adds the options of sources(), and --listen, --state-dir and --store with the meaning that
    /// they have for the daemon.
    void daemon_settings(config::LoadRequest& request);
    /// Adds an option that sets one key of the settings.
    Argument setting(const char* names, const char* key, config::LoadRequest& sources,
                     const char* help);
    Argument json(bool& target);

    /// Adds a verb below this one, with the same footer. `chosen` runs if the new verb is named.
    /// The result is valid until the next call.
    Arguments verb(const char* name, const char* help, std::function<void()> chosen);
    /// The remaining words are the command line of another program; `take` receives them.
    void command(std::function<void(std::vector<std::string>)> take);
    /// `finish` runs when all arguments are set.
    void finally(std::function<std::optional<Mistake>()> finish);

private:
    ArgumentSpec& add(ArgumentSpec::Form form, const char* names, const char* help);

    VerbSpec* verb_;
};

/// Why no session can have this id; empty if the id is valid. An invalid id is a mistake in the
/// command line: `run` then starts no command. Pure.
std::string session_id_fault(const std::string& id);

}  // namespace headway::cli
