// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The command line as data. Verbs declare it with `Arguments`; the parser, the completion scripts
// and the manual pages read it.

namespace headway::config {
struct LoadRequest;
}  // namespace headway::config

namespace headway::cli {

struct ClientOptions;

/// Kinds of values that a shell can offer.
enum class ValueKind : std::uint8_t { kNone, kAnything, kFile, kFolder, kSession, kChoice };

/// One flag, option or operand.
struct ArgumentSpec {
    enum class Form : std::uint8_t {
        kHelp,       ///< the parser adds and handles it
        kFlag,       ///< takes no value; its setter gets "true" or "false"
        kValueFlag,  ///< may take a value, as in --wait=30s; its setter gets the value or "true"
        kOption,     ///< takes one value; with `repeats`, one each time it is given
        kOperand,    ///< a value without an option
    };

    Form form = Form::kFlag;
    std::vector<std::string> names{};  ///< "-h", "--help"; or the name of an operand: "SESSION"
    std::string help{};
    /// Name of the value: "DURATION". For "TEXT", help shows the option's name instead.
    std::string type{};
    std::vector<std::string> choices{};  ///< the only values; empty: any
    std::string fallback{};              ///< the value if the argument is left out, as help shows
                                         ///< it
    bool required = false;
    bool connection = false;  ///< sets the connection: help has one note for all such options
    bool repeats = false;
    char separator = '\0';  ///< character that also splits one value into several; '\0': none
    std::optional<std::pair<int, int>> int_range{};
    std::optional<std::pair<double, double>> real_range{};
    /// Names of options with which the argument cannot be combined.
    std::vector<std::string> excludes{};
    /// Names of options without which the argument has no meaning.
    std::vector<std::string> needs{};
    /// The fault of one value, or empty. Runs before `set`.
    std::function<std::string(const std::string& value)> check{};
    /// Stores the values; there is one unless `repeats`. Returns the error, or an empty text.
    std::function<std::string(const std::vector<std::string>& values)> set{};

    /// True for an option with a value and for an operand.
    bool takes_value() const { return form == Form::kOption || form == Form::kOperand; }
    /// The help, with the possible values.
    std::string full_help() const;
    /// Name of the value in a synopsis: "DURATION", "SESSION"; empty: no value.
    std::string value_name() const;
    ValueKind kind() const;
};

/// An error in the combination of valid arguments, and the next step.
struct Mistake {
    std::string what;
    std::string next{};  ///< the next step; empty: the verb's help
};

/// A verb and the verbs below it; the one at the root is the program.
struct VerbSpec {
    std::string name{};
    std::string help{};
    std::string group{};   ///< heading in the program's help; empty: none
    std::string footer{};  ///< rules and examples, lines of text
    /// All arguments, in the order in which help lists them.
    std::vector<ArgumentSpec> arguments{};
    /// Verbs below this one; if there are any, one of them must be named.
    std::vector<VerbSpec> verbs{};
    bool hidden = false;  ///< the verb is in no help, completion or manual

    std::function<void()> chosen{};                    ///< runs if this verb was named
    std::function<std::optional<Mistake>()> finish{};  ///< runs when all arguments are set
    /// Takes the command line of another program, which comes after `--` or after the options.
    std::function<void(std::vector<std::string> words)> command{};

    // Values that the verb takes from its context, see command_line.cpp.
    ClientOptions* client = nullptr;
    std::function<bool()> needs_daemon{};  ///< whether the verb needs `client`; unset: always
    bool by_socket = true;                 ///< the daemon may be found by its Unix socket
    config::LoadRequest* sources = nullptr;
};

/// The options (flags included) or the operands of a verb.
std::vector<const ArgumentSpec*> options_of(const VerbSpec& verb);
std::vector<const ArgumentSpec*> operands_of(const VerbSpec& verb);
/// The verbs below `verb` that help lists.
std::vector<const VerbSpec*> verbs_of(const VerbSpec& verb);

}  // namespace headway::cli
