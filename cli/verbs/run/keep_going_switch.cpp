// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/keep_going/keep_going_state.hpp"
#include "cli/line/verb.hpp"

// `headway keep-going off`: no agent is started again, by any `headway run` of this user.

namespace headway::cli {
namespace {

struct KeepGoingSwitch {
    ClientOptions client;
    std::string what;
};

class KeepGoingVerb : public VerbOf<KeepGoingSwitch> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Stop or allow resumes (`run --keep-going`, `install --until`)")
            .footer(kFooter);
        arguments.json(options.client.json);
        arguments
            .option("--state-dir", options.client.state_dir,
                    "state directory, which holds the switch (default: $STATE_DIRECTORY, else "
                    "$XDG_STATE_HOME/headway, else ~/.local/state/headway)")
            .type("DIR");
        arguments.uses_daemon(options.client, [] { return false; });  // only its state directory
        arguments
            .operand("ACTION", options.what,
                     "stop resumes (off), allow resumes (on), or show the state")
            .required()
            .choices({"off", "on", "status"});
    }

    int run(const Console& console, const Server&) override {
        const KeepGoingState state(state_folder_of(options.client, console.environment));
        if (options.what != "status") {
            if (auto done = state.set_off(options.what == "off"); !done)
                return complain(console, kExitFailed, done.error().detail);
        }
        const bool off = state.is_off();
        if (options.client.json) {
            console.out << dump({{"off", off}, {"file", state.switch_file()}}) << "\n";
        } else {
            console.out << (off ? "off: no agent is started again (" + state.switch_file() + ")\n"
                                : "on\n");
            if (off) console.out << elsewhere(state, console);
        }
        return kExitOk;
    }

private:
    /// The hooks, which have no --state-dir, look at one switch only; empty: at this one, or that
    /// is off too.
    static std::string elsewhere(const KeepGoingState& state, const Console& console) {
        const KeepGoingState usual(state_folder_of({}, console.environment));
        if (usual.switch_file() == state.switch_file() || usual.is_off()) return {};
        return "goals of hooks go on: they look at " + usual.switch_file() +
               ", which `headway keep-going off` without --state-dir makes\n";
    }

    static constexpr const char* kFooter =
        R"(After `off`, no agent is resumed or sent back to work until `on`. A `headway run --keep-going` that
is waiting to resume its agent ends within two seconds. A failing command of `headway install
--until` no longer sends its agent back to work. A running agent continues to its end; `headway
cancel` asks it to stop. The switch is a file in the state directory, so no daemon is needed.

Examples:
  headway keep-going off
  headway keep-going status

Exit codes: 0 done   1 the file cannot be changed   64 usage)";
};

}  // namespace

std::unique_ptr<Verb> make_keep_going() {
    return std::make_unique<KeepGoingVerb>();
}

}  // namespace headway::cli
