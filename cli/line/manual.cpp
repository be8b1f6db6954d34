// SPDX-License-Identifier: Apache-2.0
#include "cli/line/manual.hpp"

#include "cli/base/text.hpp"

// Manual pages in the macros of man(7), which man, mandoc and groff read.

namespace headway::cli {
namespace {

/// Text that roff must not take for its own. A line may begin with a dot or a quote.
std::string escaped(std::string_view text) {
    std::string words;
    bool at_begin = true;
    for (const char c : text) {
        if (at_begin && (c == '.' || c == '\'')) words += "\\&";
        at_begin = c == '\n';
        if (c == '\\') {
            words += "\\e";
        } else if (c == '-') {
            words += "\\-";
        } else {
            words += c;
        }
    }
    return words;
}

std::string bold(std::string_view text) {
    return "\\fB" + escaped(text) + "\\fR";
}

std::string italic(std::string_view text) {
    return "\\fI" + escaped(text) + "\\fR";
}

std::string with_dashes(std::string words) {
    for (char& c : words)
        if (c == ' ') c = '-';
    return words;
}

std::string synopsis(const VerbSpec& verb, const std::string& full_name) {
    std::string text = bold(full_name);
    if (!verb.verbs.empty())
        return text + " " + italic("VERB") + " [" + italic("OPTION") + " ...]\n";
    if (!options_of(verb).empty()) text += " [" + italic("OPTION") + " ...]";
    for (const ArgumentSpec* operand : operands_of(verb)) {
        const std::string name = italic(operand->value_name()) + (operand->repeats ? " ..." : "");
        text += operand->required ? " " + name : " [" + name + "]";
    }
    return text + "\n";
}

std::string option_item(const ArgumentSpec& option) {
    std::string item = ".TP\n";
    bool first = true;
    for (const std::string& flag : option.names) {
        item += (first ? "" : ", ") + bold(flag);
        first = false;
    }
    if (option.takes_value()) item += " " + italic(option.value_name());
    item += "\n" + escaped(option.full_help());
    if (!option.fallback.empty()) item += " [" + escaped(option.fallback) + "]";
    return item + "\n";
}

std::string argument_items(const VerbSpec& verb) {
    std::string text;
    for (const ArgumentSpec* operand : operands_of(verb))
        text +=
            ".TP\n" + italic(operand->value_name()) + "\n" + escaped(operand->full_help()) + "\n";
    for (const ArgumentSpec* option : options_of(verb))
        if (!option->connection) text += option_item(*option);  // the notes have these
    return text;
}

std::string see_also(const VerbSpec& program) {
    std::string text = ".SH SEE ALSO\n";
    const std::vector<const VerbSpec*> verbs = verbs_of(program);
    for (const VerbSpec* verb : verbs)
        text +=
            bold(program.name + "-" + verb->name) + "(1)" + (verb == verbs.back() ? "\n" : ",\n");
    return text;
}

}  // namespace

std::string manual_page(const VerbSpec& verb, const std::string& full_name,
                        const std::string& version) {
    std::string page = ".TH \"" + escaped(uppercase(with_dashes(full_name))) +
                       "\" \"1\" \"\" \"headway " + escaped(version) +
                       "\" \"User Commands\"\n.nh\n.SH NAME\n" + escaped(with_dashes(full_name)) +
                       " \\- " + escaped(verb.help) + "\n.SH SYNOPSIS\n" +
                       synopsis(verb, full_name);
    if (!verb.verbs.empty()) {
        page += ".SH VERBS\n";
        for (const VerbSpec* below : verbs_of(verb)) {
            page +=
                ".TP\n" + bold(full_name + " " + below->name) + "\n" + escaped(below->help) + "\n";
        }
    }
    if (const std::string options = argument_items(verb); !options.empty())
        page += ".SH OPTIONS\n" + options;
    if (!verb.footer.empty()) page += ".SH NOTES\n.nf\n" + escaped(verb.footer) + "\n.fi\n";
    const bool has_pages_below = full_name == verb.name;  // the program's overview
    if (has_pages_below) return page + see_also(verb);
    for (const VerbSpec* below : verbs_of(verb)) {
        page += ".SH " + uppercase(below->name) + "\n" +
                synopsis(*below, full_name + " " + below->name) + argument_items(*below);
    }
    return page + ".SH SEE ALSO\n" + bold("headway") + "(1)\n";
}

}  // namespace headway::cli
