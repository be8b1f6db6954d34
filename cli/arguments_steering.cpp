// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "cli/argument_slots.hpp"
#include "config/duration.hpp"

// The verbs with which a person steers: pause, resume, nudge, budget, approvals;
// and asks about a session: check, compare.

namespace headway::cli {
namespace {

void add_steering(CLI::App& app, ArgumentSlots& slots, const char* name, const char* help,
                  const char* footer, const char* text, bool required) {
    SteerOptions& steer = slots.steer;
    CLI::App& verb = add_verb(app, name, help, footer, slots.client);
    verb.add_option("SESSION", steer.session, "session id")->check(session_id_fault)->required();
    CLI::Option* const said = required ? verb.add_option("TEXT", steer.text, text)
                                       : verb.add_option("--reason", steer.text, text);
    said->required(required);
    verb.callback([&slots, name] {
        slots.steer.what = name;
        slots.command = slots.steer;
    });
}

void add_acknowledge(CLI::App& app, ArgumentSlots& slots) {
    SteerOptions& steer = slots.steer;
    CLI::App& verb = add_verb(
        app, "acknowledge", "Say that you have seen a session's alarms",
        R"(An alarm says that a call went against a decision. It stays on top until a person acknowledges it.

Example:
  headway show my-agent && headway acknowledge my-agent --reason "rolled back")",
        slots.client);
    verb.add_option("SESSION", steer.session, "session id")->check(session_id_fault)->required();
    verb.add_option("--alarm", steer.number, "only that of this event, as `show` numbers it");
    verb.add_option("--reason", steer.text, "what was done about it, for the journal");
    verb.callback([&slots] {
        slots.steer.what = kAcknowledge;
        slots.command = slots.steer;
    });
}

void add_approvals(CLI::App& app, ArgumentSlots& slots) {
    CLI::App& verb = add_verb(app, "approvals", "Show who waits for a decision, and for which",
                              R"(Examples:
  headway approvals                       what is pending, the oldest first
  headway approvals --session my-agent --all
  headway approvals --json | jq -r '.[].id')",
                              slots.client);
    verb.add_option("--session", slots.approvals.session, "only of this session")
        ->check(session_id_fault);
    verb.add_flag("--all", slots.approvals.all, "also what was decided");
    verb.callback([&slots] { slots.command = slots.approvals; });
}

void add_decision(CLI::App& app, ArgumentSlots& slots, const char* name, const char* decision,
                  const char* help, const char* footer) {
    DecideOptions& decide = slots.decide;
    CLI::App& verb = add_verb(app, name, help, footer, slots.client);
    verb.add_option("ID", decide.id, "of the request, as `headway approvals` shows it")->required();
    const std::string_view what = decision;
    if (what == "respond") {
        verb.add_option("TEXT", decide.response, "the answer")->required();
    } else {
        verb.add_option("--reason", decide.reason, "why, for the agent and the audit");
    }
    if (what == "approve") {
        verb.add_option("--edit", decide.edit_file, "approve these arguments instead")
            ->type_name("FILE");
        verb.add_option("--scope", decide.scope, "once, or every equal request of the session")
            ->check(CLI::IsMember({"once", "session"}));
    }
    if (what == "reject") {
        verb.add_option("--then", decide.then, "what the agent does next [stop]")
            ->check(CLI::IsMember({"stop", "change_approach"}));
    }
    verb.add_flag("--identical", decide.identical, "the same for equal requests of all sessions");
    verb.callback([&slots, decision] {
        slots.decide.decision = decision;
        slots.command = slots.decide;
    });
}

void add_limits(CLI::App& verb, BudgetOptions& budget) {
    verb.add_option("SESSION", budget.session, "session id")->check(session_id_fault)->required();
    verb.add_option("--seconds", budget.timeout_seconds, "of time")->type_name("N");
    verb.add_option("--steps", budget.max_steps, "model turns")->type_name("N");
    verb.add_option("--tokens", budget.max_tokens, "tokens")->type_name("N");
    verb.add_option("--cost", budget.max_cost_usd, "US dollars")->type_name("USD");
    verb.add_option("--reason", budget.reason, "why, for the audit");
}

void add_budget(CLI::App& app, ArgumentSlots& slots) {
    BudgetOptions& budget = slots.budget;
    CLI::App& verb = *app.add_subcommand("budget", "Show or change what a session may use up");
    verb.require_subcommand(1);
    verb.footer(R"(Examples:
  headway budget show my-agent
  headway budget extend my-agent --seconds 300 --steps 10
  headway budget set my-agent --steps 80)");
    CLI::App& show = add_verb(verb, "show", "Show used and left", "", slots.client);
    show.add_option("SESSION", budget.session, "session id")->check(session_id_fault)->required();
    show.callback([&slots] { slots.command = slots.budget; });
    for (const auto& [name, help] : {std::pair{"extend", "Add to the limits that are set"},
                                     std::pair{"set", "Replace the limits"}}) {
        CLI::App& change = add_verb(verb, name, help, "", slots.client);
        add_limits(change, budget);
        change.callback([&slots, what = name] {
            slots.budget.change = what;
            slots.command = slots.budget;
        });
    }
}

void add_check(CLI::App& app, ArgumentSlots& slots) {
    CheckOptions& check = slots.check;
    CLI::App& verb =
        add_verb(app, "check", "Ask the judge how a session is doing",
                 R"(Prints the check's id, or with --wait the answer. The exit status says which:
  0    A, progressing; without --wait: asked
  1    no answer, or the daemon refused
  2    B, looping
  4    C, blocked, or D, failed: somebody has to look
  69   no daemon answers
  124  the time of --wait passed; the check goes on

The daemon needs a judge, see `[judge]` in `headway config default`.

Examples:
  headway check my-agent --wait           until it is answered, however long that takes
  headway check my-agent --wait=30s
  headway check my-agent --id monday --wait     again with the same id: the same answer)",
                 slots.client);
    verb.add_option("SESSION", check.session, "session id")->check(session_id_fault)->required();
    verb.add_option("--id", check.id, "id of the check; one that is known is not asked again");
    verb.add_flag("--wait", slots.check_wait, "print the answer; --wait=DURATION: for so long");
    verb.callback([&slots] {
        const std::string& wait = slots.check_wait;
        slots.check.wait = !wait.empty();
        if (slots.check.wait && wait != "true") {
            const core::Result<milliseconds> duration = config::parse_duration(wait);
            if (!duration) throw CLI::ValidationError("--wait", duration.error().detail);
            slots.check.timeout = *duration;
        }
        slots.command = slots.check;
    });
}

void add_compare(CLI::App& app, ArgumentSlots& slots) {
    CLI::App& verb = add_verb(
        app, "compare", "Show what the old timers would have done",
        R"(Needs `[legacy_timeouts] mode = "observe"` (or enforce) in the daemon's settings.

Examples:
  headway compare                  all sessions that have ended since
  headway compare my-agent         one: when each timer would have ended it, and what happened)",
        slots.client);
    verb.add_option("SESSION", slots.compare.session, "one session; without it the totals")
        ->check(session_id_fault);
    verb.callback([&slots] { slots.command = slots.compare; });
}

}  // namespace

void add_steering_verbs(CLI::App& app, ArgumentSlots& slots) {
    add_steering(app, slots, "pause", "Tell a session's agent to pause",
                 "Example:\n  headway pause my-agent --reason \"staging is being restored\"",
                 "why, for the agent to read", false);
    add_steering(app, slots, "resume", "Tell a paused agent to go on",
                 "Example:\n  headway resume my-agent", "why, for the agent to read", false);
    add_steering(app, slots, "nudge", "Give a session's agent a hint in your own words",
                 "Example:\n  headway nudge my-agent \"the fixture is generated: change the "
                 "generator\"",
                 "what the agent reads in its next reply", true);
    add_approvals(app, slots);
    add_acknowledge(app, slots);
    add_decision(app, slots, "approve", "approve", "Approve a request", R"(Examples:
  headway approve my-agent.a17
  headway approve my-agent.a17 --edit safer.json      these arguments, and no others
  headway approve my-agent.a17 --scope session        and every equal request from now on)");
    add_decision(app, slots, "reject", "reject", "Reject a request", R"(Examples:
  headway reject my-agent.a17 --reason "not on production"
  headway reject my-agent.a17 --reason "use the dry run" --then change_approach)");
    add_decision(app, slots, "answer", "respond", "Answer a question of an agent",
                 "Example:\n  headway answer my-agent.a17 \"the second database\"");
    add_budget(app, slots);
    add_check(app, slots);
    add_compare(app, slots);
}

}  // namespace headway::cli
