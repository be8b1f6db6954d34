// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headway::cli {

/// What a shell can offer for a value.
enum class ValueKind : std::uint8_t { kNone, kAnything, kFile, kFolder, kSession, kChoice };

struct OptionEntry {
    std::vector<std::string> flags;  ///< "--until", "-h", with their dashes
    std::string value;               ///< "DURATION"; empty: takes none
    ValueKind kind = ValueKind::kNone;
    std::vector<std::string> choices;  ///< with kChoice
    std::string fallback;              ///< the value when it is left out, or empty
    std::string help;
};

struct OperandEntry {
    std::string name;
    ValueKind kind = ValueKind::kAnything;
    std::vector<std::string> choices;  ///< with kChoice
    bool required = false;
    bool repeats = false;
    std::string help;
};

/// A verb of the command line and those under it; the one at the root is the program.
struct VerbEntry {
    std::string name;
    std::string help;
    std::string footer;  ///< rules and examples, lines of text
    std::vector<OptionEntry> options;
    std::vector<OperandEntry> operands;
    std::vector<VerbEntry> verbs;
};

/// All that the command line takes: help, completions and manual pages say the same because they
/// are made of this.
VerbEntry command_table();

/// A completion script for "bash", "zsh" or "fish"; nothing for another shell. Pure.
std::optional<std::string> completion_script(const VerbEntry& program, std::string_view shell);

/// A page in the language of man(7), section 1, for a verb whose name is led by the program's
/// ("headway-token"), or for the program itself. `version` stands in its footer. Pure.
std::string manual_page(const VerbEntry& verb, const std::string& full_name,
                        const std::string& version);

}  // namespace headway::cli
