// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "cli/argument_slots.hpp"

// `headway token` and what is below it, and `headway dashboard`: what needs the operator's token.

namespace headway::cli {
namespace {

CLI::App& add_action(CLI::App& token, ArgumentSlots& slots, const char* name, const char* help,
                     const char* footer, TokenOptions::Action action) {
    CLI::App& verb = *token.add_subcommand(name, help);
    verb.footer(footer);
    add_client_flags(verb, slots.client);
    verb.callback([&slots, action] {
        slots.token.action = action;
        slots.command = slots.token;
    });
    return verb;
}

constexpr const char* kCreateFooter = R"(Scopes:
  report:PREFIX   open, report for and read the sessions whose id begins with PREFIX
  read            read every session
  approve         decide approvals
  control         cancel, pause, resume, nudge, change budgets
  admin           manage tokens
A token that reports gets neither approve nor admin: no agent decides about itself.

Examples:
  headway token create nightly --scope report:nightly- --expires 30d
  headway token create dashboard --scope read --scope approve
  export HEADWAY_TOKEN=$(headway token create ci --scope report:ci- --expires 12h))";

void add_dashboard(CLI::App& app, ArgumentSlots& slots) {
    CLI::App& verb = add_verb(
        app, "dashboard", "Print a link that logs a browser in",
        R"(The link is good once, for ten minutes, and the login for `access.login_for`. Whoever has it may do
everything. All logins end with `headway token rotate-operator`.

Examples:
  headway dashboard
  headway dashboard --open)",
        slots.client);
    verb.add_flag("--open", slots.dashboard.open, "open it in this desktop's browser (xdg-open)");
    verb.callback([&slots] { slots.command = slots.dashboard; });
}

}  // namespace

void add_token_verbs(CLI::App& app, ArgumentSlots& slots) {
    using Action = TokenOptions::Action;
    CLI::App& token = *app.add_subcommand("token", "Create, list and revoke access tokens");
    token.require_subcommand(1);
    token.footer(
        R"(All of it needs the operator's token, which is found in operator.token in the state directory
of a daemon on this machine, or another token with the scope `admin`.

Examples:
  headway token create nightly --scope report:nightly- --expires 30d
  headway token list
  headway token revoke 4K9TQ2XH7B1M)");

    CLI::App& create = add_action(token, slots, "create", "Make a token and print it, this once",
                                  kCreateFooter, Action::kCreate);
    create.add_option("NAME", slots.token.name, "who gets it, for lists and records")->required();
    create.add_option("--scope", slots.token.scopes, "what it allows; repeatable, or with commas")
        ->required()
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("SCOPE");
    add_duration(create, "--expires", slots.token.expires,
                 "how long it counts; without it: always");

    add_action(token, slots, "list", "List the tokens, newest first",
               "Example:\n  headway token list --json | jq '.[] | select(.active)'", Action::kList);

    CLI::App& revoke = add_action(token, slots, "revoke", "End a token, at once and for good",
                                  "Example:\n  headway token revoke 4K9TQ2XH7B1M", Action::kRevoke);
    revoke.add_option("ID", slots.token.id, "as `headway token list` shows it")->required();

    add_action(token, slots, "rotate-operator", "Replace the operator's token",
               "The daemon writes the new one into operator.token; the old one is worth nothing at "
               "once.\n\nExample:\n  headway token rotate-operator",
               Action::kRotateOperator);
    add_dashboard(app, slots);
}

}  // namespace headway::cli
