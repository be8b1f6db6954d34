// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/argument_slots.hpp"
#include "cli/command_table.hpp"

// What the parser was told, as data; and the verbs that print it in other forms.

namespace headway::cli {
namespace {

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return text;
}

/// "TEXT:{now,ever}" holds what IsMember allows.
std::vector<std::string> choices_of(const std::string& type) {
    std::vector<std::string> choices;
    const std::size_t open = type.find('{');
    if (open == std::string::npos || type.back() != '}') return choices;
    std::size_t begin = open + 1;
    while (begin < type.size()) {
        const std::size_t end = type.find_first_of(",}", begin);
        choices.push_back(type.substr(begin, end - begin));
        begin = end + 1;
    }
    return choices;
}

ValueKind kind_of(const std::string& value) {
    if (value == "FILE" || value == "FILES") return ValueKind::kFile;
    if (value == "DIR" || value == "FOLDER") return ValueKind::kFolder;
    if (value == "SESSION" || value == "SESSIONS") return ValueKind::kSession;
    return ValueKind::kAnything;
}

OperandEntry operand_of(const CLI::Option& option) {
    OperandEntry entry;
    entry.name = option.get_name(true);
    entry.choices = choices_of(option.get_type_name());
    entry.kind = entry.choices.empty() ? kind_of(entry.name) : ValueKind::kChoice;
    entry.required = option.get_required();
    entry.repeats = option.get_items_expected_max() > 1;
    entry.help = option.get_description();
    return entry;
}

OptionEntry option_of(const CLI::Option& option) {
    OptionEntry entry;
    for (const std::string& name : option.get_snames())
        entry.flags.push_back("-" + name);
    for (const std::string& name : option.get_lnames())
        entry.flags.push_back("--" + name);
    entry.help = option.get_description();
    if (option.get_items_expected_max() == 0) return entry;  // a flag
    const std::string type = option.get_type_name();
    entry.choices = choices_of(type);
    entry.fallback = option.get_default_str();
    // CLI11 names a range with the type, "INT in [1 - 10]", and what is no number "TEXT".
    entry.value = type.substr(0, type.find_first_of(": "));
    if (entry.value == "TEXT") entry.value = upper(option.get_lnames().front());
    entry.kind = entry.choices.empty() ? kind_of(entry.value) : ValueKind::kChoice;
    return entry;
}

VerbEntry verb_of(const CLI::App& app) {
    VerbEntry entry{app.get_name(), app.get_description(), app.get_footer(), {}, {}, {}};
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional()) {
            entry.operands.push_back(operand_of(*option));
        } else {
            entry.options.push_back(option_of(*option));
        }
    }
    for (const CLI::App* verb : app.get_subcommands({}))
        if (!verb->get_group().empty()) entry.verbs.push_back(verb_of(*verb));
    return entry;
}

void add_completion(CLI::App& app, ArgumentSlots& slots) {
    CLI::App& verb = *app.add_subcommand("completion", "Print a completion script for a shell");
    verb.footer(R"(Examples:
  headway completion bash > /etc/bash_completion.d/headway
  source <(headway completion bash)                           for this shell only
  headway completion zsh > "${fpath[1]}/_headway"
  headway completion fish > ~/.config/fish/completions/headway.fish)");
    verb.add_option("SHELL", slots.completion.shell, "the shell that will read it")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    verb.callback([&slots] { slots.command = slots.completion; });
}

void add_manual(CLI::App& app, ArgumentSlots& slots) {
    CLI::App& verb = *app.add_subcommand("manual", "Print a manual page, or write all of them");
    verb.footer(R"(Examples:
  headway manual | man -l -                 the overview
  headway manual wait | man -l -
  headway manual --folder /usr/local/share/man/man1)");
    verb.add_option("VERB", slots.manual.verb, "of this verb; without it the overview");
    verb.add_option("--folder", slots.manual.folder, "write headway.1, headway-wait.1 ... there")
        ->type_name("FOLDER");
    verb.callback([&slots] { slots.command = slots.manual; });
}

}  // namespace

void add_text_verbs(CLI::App& app, ArgumentSlots& slots) {
    add_completion(app, slots);
    add_manual(app, slots);
}

VerbEntry command_table() {
    ArgumentSlots slots;
    CLI::App app(kProgramHelp, "headway");
    add_all_verbs(app, slots);
    return verb_of(app);
}

}  // namespace headway::cli
