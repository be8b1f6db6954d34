// SPDX-License-Identifier: Apache-2.0
#include "cli/line/completion.hpp"

#include <ostream>

#include "cli/base/exit_code.hpp"
#include "cli/line/verb_table.hpp"

// `headway completion`: the declared verbs as a script for a shell.

namespace headway::cli {
namespace {

class Completion : public Verb {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Print a shell completion script");
        arguments.footer(R"(Examples:
  headway completion bash > /etc/bash_completion.d/headway
  source <(headway completion bash)         for this shell only
  headway completion zsh > "${fpath[1]}/_headway"
  headway completion fish > ~/.config/fish/completions/headway.fish)");
        arguments.operand("SHELL", shell_, "shell").required().choices({"bash", "zsh", "fish"});
    }

    int run(const Console& console, const Server&) override {
        console.out << completion_script(declare_program().spec, shell_).value_or("");
        return kExitOk;
    }

private:
    std::string shell_;
};

}  // namespace

std::unique_ptr<Verb> make_completion() {
    return std::make_unique<Completion>();
}

}  // namespace headway::cli
