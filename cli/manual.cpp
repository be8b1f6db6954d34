// SPDX-License-Identifier: Apache-2.0
#include "cli/command_table.hpp"

// Manual pages in the macros of man(7), which man, mandoc and groff read.

namespace headway::cli {
namespace {

/// Text that roff must not take for its own. A line may begin with a dot or a quote.
std::string escaped(std::string_view text) {
    std::string made;
    bool at_begin = true;
    for (const char c : text) {
        if (at_begin && (c == '.' || c == '\'')) made += "\\&";
        at_begin = c == '\n';
        if (c == '\\') {
            made += "\\e";
        } else if (c == '-') {
            made += "\\-";
        } else {
            made += c;
        }
    }
    return made;
}

std::string bold(std::string_view text) {
    return "\\fB" + escaped(text) + "\\fR";
}

std::string italic(std::string_view text) {
    return "\\fI" + escaped(text) + "\\fR";
}

std::string upper(std::string text) {
    for (char& c : text)
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return text;
}

std::string with_dashes(std::string words) {
    for (char& c : words)
        if (c == ' ') c = '-';
    return words;
}

std::string synopsis(const VerbEntry& verb, const std::string& full_name) {
    std::string text = bold(full_name);
    if (!verb.verbs.empty())
        return text + " " + italic("VERB") + " [" + italic("OPTION") + " ...]\n";
    if (!verb.options.empty()) text += " [" + italic("OPTION") + " ...]";
    for (const OperandEntry& operand : verb.operands) {
        const std::string name = italic(operand.name) + (operand.repeats ? " ..." : "");
        text += operand.required ? " " + name : " [" + name + "]";
    }
    return text + "\n";
}

std::string option_item(const OptionEntry& option) {
    std::string item = ".TP\n";
    bool first = true;
    for (const std::string& flag : option.flags) {
        item += (first ? "" : ", ") + bold(flag);
        first = false;
    }
    if (!option.value.empty()) item += " " + italic(option.value);
    item += "\n" + escaped(option.help);
    if (!option.choices.empty()) {
        std::string choices;
        for (const std::string& choice : option.choices)
            choices += (choices.empty() ? "" : ", ") + choice;
        item += " (" + escaped(choices) + ")";
    }
    if (!option.fallback.empty()) item += " [" + escaped(option.fallback) + "]";
    return item + "\n";
}

std::string options_of(const VerbEntry& verb) {
    std::string text;
    for (const OperandEntry& operand : verb.operands)
        text += ".TP\n" + italic(operand.name) + "\n" + escaped(operand.help) + "\n";
    for (const OptionEntry& option : verb.options)
        text += option_item(option);
    return text;
}

std::string see_also(const VerbEntry& program) {
    std::string text = ".SH SEE ALSO\n";
    for (const VerbEntry& verb : program.verbs)
        text += bold(program.name + "-" + verb.name) + "(1)" +
                (&verb == &program.verbs.back() ? "\n" : ",\n");
    return text;
}

}  // namespace

std::string manual_page(const VerbEntry& verb, const std::string& full_name,
                        const std::string& version) {
    std::string page = ".TH \"" + escaped(upper(with_dashes(full_name))) +
                       "\" \"1\" \"\" \"headway " + escaped(version) +
                       "\" \"User Commands\"\n.nh\n.SH NAME\n" + escaped(with_dashes(full_name)) +
                       " \\- " + escaped(verb.help) + "\n.SH SYNOPSIS\n" +
                       synopsis(verb, full_name);
    if (!verb.verbs.empty()) {
        page += ".SH VERBS\n";
        for (const VerbEntry& below : verb.verbs) {
            page +=
                ".TP\n" + bold(full_name + " " + below.name) + "\n" + escaped(below.help) + "\n";
        }
    }
    if (const std::string options = options_of(verb); !options.empty())
        page += ".SH OPTIONS\n" + options;
    if (!verb.footer.empty()) page += ".SH NOTES\n.nf\n" + escaped(verb.footer) + "\n.fi\n";
    const bool has_pages_below = full_name == verb.name;  // the program's overview
    if (has_pages_below) return page + see_also(verb);
    for (const VerbEntry& below : verb.verbs) {
        page += ".SH " + upper(below.name) + "\n" + synopsis(below, full_name + " " + below.name) +
                options_of(below);
    }
    return page + ".SH SEE ALSO\n" + bold("headway") + "(1)\n";
}

}  // namespace headway::cli
