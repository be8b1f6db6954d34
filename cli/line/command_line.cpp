// SPDX-License-Identifier: Apache-2.0
#include "cli/line/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <ostream>
#include <sstream>

#include "cli/base/exit_code.hpp"
#include "cli/base/text.hpp"
#include "cli/client/client_options.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/help_text.hpp"
#include "cli/line/verb_table.hpp"
#include "config/load/load.hpp"
#include "core/text/suggest.hpp"

// The only user of CLI11: it gets the command line as data and parses.

namespace headway::cli {
namespace {

using Form = ArgumentSpec::Form;

constexpr std::size_t kHelpColumns = 80;  // where no terminal says how many it has

std::size_t help_columns(const Console& console) {
    return console.width == 0 ? kHelpColumns : std::clamp<std::size_t>(console.width, 40, 120);
}

bool store(const ArgumentSpec& argument, const std::vector<std::string>& values) {
    const std::string fault = argument.set(values);
    if (!fault.empty()) throw CLI::ValidationError(join(argument.names, ","), fault);
    return true;
}

bool store_flag(const ArgumentSpec& argument, const std::string& word) {
    bool on = false;
    return CLI::detail::lexical_cast(word, on) && store(argument, {on ? "true" : "false"});
}

std::string choice_fault(const ArgumentSpec& argument, const std::string& word) {
    const std::vector<std::string_view> known(argument.choices.begin(), argument.choices.end());
    if (std::find(known.begin(), known.end(), word) != known.end()) return {};
    return "`" + clean_line(word) + "` is none of " + join(argument.choices, ", ") +
           core::did_you_mean(word, known);
}

template <class Number>
std::string range_fault(const std::string& word, const std::pair<Number, Number>& range) {
    Number number{};
    const bool fits =
        CLI::detail::lexical_cast(word, number) && number >= range.first && number <= range.second;
    if (fits) return {};
    std::ostringstream text;
    text << "`" << clean_line(word) << "` is no " << (std::is_integral_v<Number> ? "whole " : "")
         << "number from " << range.first << " to " << range.second;
    return text.str();
}

/// `argument` outlives the parser.
void add_argument(CLI::App& app, const ArgumentSpec& argument) {
    if (argument.form == Form::kHelp) return;  // CLI11 adds it
    const CLI::callback_t set = [&argument](const CLI::results_t& values) {
        return argument.form == Form::kFlag ? store_flag(argument, values.front())
                                            : store(argument, values);
    };
    CLI::Option& option = *app.add_option(join(argument.names, ","), set, argument.full_help());
    if (argument.connection) option.group("");  // in no help
    if (!argument.takes_value()) {
        option.multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->expected(0);
        return;
    }
    option.type_name(argument.type)->required(argument.required);
    if (argument.repeats) {
        option.expected(CLI::detail::expected_max_vector_size);
        if (argument.form == Form::kOption) option.allow_extra_args(false);
    }
    if (argument.separator != '\0') option.delimiter(argument.separator);
    if (!argument.fallback.empty()) option.default_str(argument.fallback);
    if (!argument.choices.empty())
        option.check([&argument](const std::string& word) { return choice_fault(argument, word); });
    if (argument.int_range)
        option.check([range = *argument.int_range](const std::string& word) {
            return range_fault<int>(word, range);
        });
    if (argument.real_range)
        option.check([range = *argument.real_range](const std::string& word) {
            return range_fault<double>(word, range);
        });
    if (argument.check) option.check(argument.check);
}

/// The command of another program is no operand of CLI11's, which would not show it.
class CommandFormatter : public CLI::Formatter {
public:
    explicit CommandFormatter(const CLI::FormatterBase& other) {
        column_width(other.get_column_width());
    }
    std::string make_usage(const CLI::App* app, std::string name) const override {
        const std::string usage = CLI::Formatter::make_usage(app, std::move(name));
        const std::size_t end = std::min(usage.find_last_not_of('\n') + 1, usage.size());
        return usage.substr(0, end) + " -- COMMAND [ARGUMENTS...]" + usage.substr(end);
    }
};

using SpecOf = std::map<const CLI::App*, const VerbSpec*>;

// At most as deep as verbs are nested.
void add_verb(CLI::App& app, const VerbSpec& verb, SpecOf& spec_of) {
    spec_of[&app] = &verb;
    app.footer(verb.footer);
    if (verb.hidden || !verb.group.empty()) app.group(verb.hidden ? "" : verb.group);
    for (const ArgumentSpec& argument : verb.arguments)
        add_argument(app, argument);
    for (const ArgumentSpec& argument : verb.arguments) {
        for (const std::string& other : argument.excludes)
            app.get_option(argument.names.front())->excludes(app.get_option(other));
        for (const std::string& other : argument.needs)
            app.get_option(argument.names.front())->needs(app.get_option(other));
    }
    if (verb.command) {
        app.formatter(std::make_shared<CommandFormatter>(*app.get_formatter()));
        app.prefix_command();
    }
    const bool is_program = app.get_parent() == nullptr;
    if (is_program) {
        app.require_subcommand(0, 1);
    } else if (!verb.verbs.empty()) {
        app.require_subcommand(1);
    }
    for (const VerbSpec& below : verb.verbs)
        add_verb(*app.add_subcommand(below.name, below.help), below, spec_of);
}

// CLI11 takes words after `--` as operands, but would still look at their number; the command of
// `run` is cut off here.
std::vector<std::string> split_command(int argc, const char* const* argv, const VerbSpec& program,
                                       std::vector<std::string>& command) {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const bool takes_command =
        std::any_of(program.verbs.begin(), program.verbs.end(), [&words](const VerbSpec& verb) {
            return verb.command && !words.empty() && verb.name == words.front();
        });
    const auto dashes = std::find(words.begin(), words.end(), "--");
    if (!takes_command || dashes == words.end()) return words;
    command.assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
    return words;
}

std::string unknown_verb(const VerbSpec& program, const std::vector<std::string>& words) {
    if (words.empty() || words.front().starts_with('-')) return {};
    std::vector<std::string_view> known;
    for (const VerbSpec& verb : program.verbs)
        known.push_back(verb.name);
    if (std::find(known.begin(), known.end(), words.front()) != known.end()) return {};
    return "unknown verb `" + clean_line(words.front()) + "`" +
           core::did_you_mean(words.front(), known);
}

CLI::App& innermost(CLI::App& app) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    return chosen.empty() ? app : innermost(*chosen.front());
}

std::string full_name(const CLI::App& verb) {
    const CLI::App* const parent = verb.get_parent();
    return parent == nullptr ? verb.get_name() : full_name(*parent) + " " + verb.get_name();
}

Parsed stopped(int exit_code) {
    return {nullptr, exit_code};
}

Parsed refused(CLI::App& app, const Mistake& mistake, const Console& console) {
    const std::string help = "`" + full_name(innermost(app)) + " --help` shows how";
    return stopped(
        complain(console, kExitUsage, mistake.what, mistake.next.empty() ? help : mistake.next));
}

/// The words that no argument took, as they were written; CLI11 has them from the last to the
/// first.
std::vector<std::string> words_left(const CLI::App& app, const std::vector<std::string>& words) {
    std::vector<std::string> left = app.remaining(true);
    std::vector<std::string> ordered;
    for (const std::string& word : words) {
        const auto found = std::find(left.begin(), left.end(), word);
        if (found == left.end()) continue;
        left.erase(found);
        ordered.push_back(word);
    }
    return ordered;
}

std::string unknown_option(const VerbSpec& verb, const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string_view> known{"--help"};
    for (const ArgumentSpec* option : options_of(verb))
        known.insert(known.end(), option->names.begin(), option->names.end());
    return "unknown option `" + clean_line(name) + "`" + core::did_you_mean(name, known);
}

/// The mistake of a verb that has others below it.
std::string missing_verb(const VerbSpec& verb, const std::string& full, const std::string* word) {
    std::vector<std::string_view> known;
    std::vector<std::string> listed;
    for (const VerbSpec* below : verbs_of(verb)) {
        known.push_back(below->name);
        listed.push_back(below->name);
    }
    if (word == nullptr) return "`" + full + "` needs one of its verbs: " + join(listed, ", ");
    return "unknown verb `" + clean_line(*word) + "` of `" + full + "`" +
           core::did_you_mean(*word, known);
}

std::string replaced(std::string text, std::string_view words, std::string_view by) {
    const std::size_t at = text.find(words);
    return at == std::string::npos ? text : text.replace(at, words.size(), by);
}

/// A mistake in our words: CLI11 names what is left over from behind, and no option that was meant.
std::string mistake_of(CLI::App& app, const SpecOf& spec_of, const CLI::ParseError& error,
                       const std::vector<std::string>& words) {
    CLI::App& chosen = innermost(app);
    const VerbSpec& verb = *spec_of.at(&chosen);
    const std::vector<std::string> left = words_left(app, words);
    for (const std::string& word : left)
        if (word.size() > 1 && word.front() == '-') return unknown_option(verb, word);
    if (!verb.verbs.empty() && !spec_of.at(&chosen)->name.empty() && chosen.get_parent() != nullptr)
        return missing_verb(verb, full_name(chosen), left.empty() ? nullptr : &left.front());
    if (!left.empty())
        return "`" + clean_line(left.front()) + "` is one word too many for `" + full_name(chosen) +
               "`";
    std::string text = error.what();
    const std::string about = text.substr(0, text.find(':'));
    if (error.get_name() == "ArgumentMismatch") return about + " needs a value";
    if (error.get_name() == "RequiredError")
        return "`" + full_name(chosen) + "` needs " + text.substr(0, text.find(' '));
    if (error.get_name() == "ExcludesError")
        return replaced(text, " excludes ", " cannot be used with ");
    if (error.get_name() == "RequiresError") return replaced(text, " requires ", " needs ");
    return text;
}

// CLI11 throws for help and for mistakes alike; both end here.
Parsed report_parse_end(CLI::App& app, const SpecOf& spec_of, const CLI::ParseError& error,
                        const std::vector<std::string>& words, const Console& console) {
    if (error.get_exit_code() != 0)
        return refused(app, {mistake_of(app, spec_of, error, words)}, console);
    console.out << wrap_help(app.help(), help_columns(console));  // of the verb named
    return stopped(kExitOk);
}

/// Which daemon, with which token.
core::Result<> find_daemon(const VerbSpec& verb, const Console& console,
                           std::map<std::string, std::string> environment) {
    ClientOptions& client = *verb.client;
    if (!client.state_dir.empty()) environment["STATE_DIRECTORY"] = client.state_dir;
    const bool named = !client.url.empty() || console.environment.contains("HEADWAY_URL");
    if (!named && verb.by_socket) client.url = find_socket_url(environment);
    auto url = daemon_url(client.url, console.environment);
    if (!url) return core::Error{url.error().code, url.error().detail, client.url_option};
    client.url = *std::move(url);
    HEADWAY_TRY(client.credential, find_credential(client.token_file, client.url, environment));
    client.credential.owner_only = !named && verb.by_socket;
    HEADWAY_TRY(client.credential.ca_file, find_ca_file(client.ca_file, console.environment));
    return {};
}

// Fills in values that every verb takes from its context: the daemon's URL, and for settings the
// environment.
core::Result<> complete(const VerbSpec& verb, const Console& console) {
    if (verb.sources != nullptr) verb.sources->environment = console.environment;
    if (verb.client == nullptr) return {};
    std::map<std::string, std::string> environment = console.environment;
    std::string& state_dir = verb.client->state_dir;
    if (state_dir.empty()) state_dir = environment["HEADWAY_STORAGE_STATE_DIR"];
    if (verb.sources != nullptr && !state_dir.empty())
        verb.sources->flags["storage.state_dir"] = state_dir;
    if (verb.needs_daemon && !verb.needs_daemon()) return {};
    return find_daemon(verb, console, std::move(environment));
}

const char* next_step(std::string_view field) {
    if (field == "--url") return "as in: --url http://127.0.0.1:7717";
    if (field == "--into") return "as in: --into http://127.0.0.1:7717";
    const bool about_trust = field == "--ca-file" || field == "HEADWAY_CA_FILE";
    return about_trust ? "it holds the certificate of the daemon, or of who signed it, as PEM"
                       : "a token is a line such as hw_<id>_<secret>";
}

/// The verb at the top of the command line that was parsed.
std::unique_ptr<Verb> take_verb(Program& program, const std::string& name) {
    for (std::size_t i = 0; i < program.verbs.size(); ++i)
        if (program.spec.verbs[i].name == name) return std::move(program.verbs[i]);
    return nullptr;
}

/// After a parse without mistakes in single arguments.
Parsed finish(CLI::App& app, const SpecOf& spec_of, std::vector<std::string> command,
              Program& program, const Console& console) {
    if (app.get_subcommands().empty()) return stopped(kExitUsage);
    CLI::App& chosen = innermost(app);
    const VerbSpec& spec = *spec_of.at(&chosen);
    if (spec.chosen) spec.chosen();
    if (spec.command) {
        std::vector<std::string> words = chosen.remaining();
        // A word before `--` that begins like an option is none that the verb has.
        if (!words.empty() && words.front().size() > 1 && words.front().front() == '-')
            return refused(app, {unknown_option(spec, words.front()), {}}, console);
        words.insert(words.end(), command.begin(), command.end());
        spec.command(std::move(words));
    }
    if (const auto mistake = spec.finish ? spec.finish() : std::nullopt)
        return refused(app, *mistake, console);
    if (const auto done = complete(spec, console); !done) {
        return stopped(
            complain(console, kExitUsage, done.error().detail, next_step(done.error().field)));
    }
    return {take_verb(program, app.get_subcommands().front()->get_name()), kExitOk};
}

}  // namespace

Parsed parse_arguments(int argc, const char* const* argv, const Console& console) {
    Program program = declare_program();
    CLI::App app(program.spec.help, program.spec.name);
    app.get_formatter()->column_width(28);
    app.get_formatter()->label("Needs", "needs");
    app.get_formatter()->label("Excludes", "not with");
    SpecOf spec_of;
    add_verb(app, program.spec, spec_of);

    std::vector<std::string> command;
    std::vector<std::string> words = split_command(argc, argv, program.spec, command);
    if (words.empty()) {
        console.err << wrap_help(app.help(), help_columns(console));
        return stopped(kExitUsage);
    }
    if (words.front() == "help") words.front() = "--help";
    if (words.front() == "--version") words.front() = "version";
    if (const std::string mistake = unknown_verb(program.spec, words); !mistake.empty()) {
        return stopped(complain(console, kExitUsage, mistake, "`headway --help` lists the verbs"));
    }
    try {
        // CLI11 reads this vector from its end.
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError& error) {
        return report_parse_end(app, spec_of, error, words, console);
    }
    return finish(app, spec_of, std::move(command), program, console);
}

}  // namespace headway::cli
