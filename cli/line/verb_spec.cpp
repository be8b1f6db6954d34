// SPDX-License-Identifier: Apache-2.0
#include "cli/line/verb_spec.hpp"

#include "cli/base/text.hpp"

namespace headway::cli {
namespace {

using Form = ArgumentSpec::Form;

std::vector<const ArgumentSpec*> arguments_of(const VerbSpec& verb, bool operands) {
    std::vector<const ArgumentSpec*> found;
    for (const ArgumentSpec& argument : verb.arguments)
        if ((argument.form == Form::kOperand) == operands) found.push_back(&argument);
    return found;
}

}  // namespace

std::string ArgumentSpec::value_name() const {
    if (form == Form::kOperand) return names.front();
    if (form != Form::kOption) return {};
    if (type != "TEXT") return type;
    return uppercase(names.front().substr(2));
}

std::string ArgumentSpec::full_help() const {
    return choices.empty() ? help : help + " (" + join(choices, ", ") + ")";
}

ValueKind ArgumentSpec::kind() const {
    if (!takes_value()) return ValueKind::kNone;
    if (!choices.empty()) return ValueKind::kChoice;
    const std::string value = value_name();
    if (value == "FILE" || value == "FILES") return ValueKind::kFile;
    if (value == "DIR" || value == "FOLDER") return ValueKind::kFolder;
    if (value == "SESSION" || value == "SESSIONS") return ValueKind::kSession;
    return ValueKind::kAnything;
}

std::vector<const ArgumentSpec*> options_of(const VerbSpec& verb) {
    return arguments_of(verb, false);
}

std::vector<const ArgumentSpec*> operands_of(const VerbSpec& verb) {
    return arguments_of(verb, true);
}

std::vector<const VerbSpec*> verbs_of(const VerbSpec& verb) {
    std::vector<const VerbSpec*> listed;
    for (const VerbSpec& below : verb.verbs)
        if (!below.hidden) listed.push_back(&below);
    return listed;
}

}  // namespace headway::cli
