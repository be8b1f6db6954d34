// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "cli/argument_slots.hpp"

// `headway webhooks` and what is below it.

namespace headway::cli {
namespace {

using Action = WebhookOptions::Action;

CLI::App& add_action(CLI::App& webhooks, ArgumentSlots& slots, const char* name, const char* help,
                     const char* footer, Action action) {
    CLI::App& verb = *webhooks.add_subcommand(name, help);
    verb.footer(footer);
    add_client_flags(verb, slots.client);
    verb.callback([&slots, action] {
        slots.webhooks.action = action;
        slots.command = slots.webhooks;
    });
    return verb;
}

void add_name(CLI::App& verb, ArgumentSlots& slots) {
    verb.add_option("NAME", slots.webhooks.name, "of the webhook, as in [webhooks.endpoints.NAME]")
        ->required();
}

void add_secret(CLI::App& webhooks, ArgumentSlots& slots) {
    CLI::App& secret = *webhooks.add_subcommand("secret", "Make a signing secret and print it");
    secret.footer(
        R"(It goes into the file that secret_file names, and to the receiver. To replace one, put the new one
first in the file and keep the old one behind it, restart the daemon, give the receiver the new
one, then take the old one out: in between, messages are signed with both.

Example:
  headway webhooks secret --out /etc/headway/ops.secret     for its owner's eyes only, never overwritten)");
    secret
        .add_option("--out", slots.webhooks.out,
                    "write it into a new file that only its owner may read")
        ->type_name("FILE");
    secret.add_flag("--json", slots.client.json, "print JSON for programs");
    secret.callback([&slots] {
        slots.webhooks.action = Action::kSecret;
        slots.webhooks.to_daemon = false;
        slots.command = slots.webhooks;
    });
}

}  // namespace

void add_webhook_verbs(CLI::App& app, ArgumentSlots& slots) {
    CLI::App& webhooks = *app.add_subcommand("webhooks", "See whom Headway tells, and test it");
    webhooks.require_subcommand(1);
    webhooks.footer(
        R"(Webhooks are tables [webhooks.endpoints.NAME] of the configuration. Messages are signed as
Standard Webhooks says, kept until they arrive, and tried again for three days.

Examples:
  headway webhooks list
  headway webhooks test ops
  headway webhooks dead ops
  headway webhooks replay ops --all)");
    add_action(webhooks, slots, "list", "List the webhooks and how they fare",
               "Example:\n  headway webhooks list --json | jq '.[] | select(.state != \"active\")'",
               Action::kList);
    add_name(add_action(webhooks, slots, "pending", "List the messages that wait to be delivered",
                        "Example:\n  headway webhooks pending ops", Action::kPending),
             slots);
    add_name(add_action(webhooks, slots, "dead", "List the messages that were given up",
                        "Example:\n  headway webhooks dead ops", Action::kDead),
             slots);
    CLI::App& replay = add_action(
        webhooks, slots, "replay", "Send messages again that were given up",
        "Needs the operator's token, or one with the scope `admin`. They keep their ids, "
        "by which a\nreceiver knows those that it has.\n\nExamples:\n"
        "  headway webhooks replay ops --all\n"
        "  headway webhooks replay ops msg_0b1c9a5d7e3f42860b1c9a5d7e3f4286",
        Action::kReplay);
    add_name(replay, slots);
    replay.add_option("ID", slots.webhooks.ids,
                      "of messages, as `headway webhooks dead` shows them");
    replay.add_flag("--all", slots.webhooks.all, "all of them, oldest first");
    add_name(
        add_action(webhooks, slots, "test", "Send a test message now, and say what came of it",
                   "Needs the operator's token, or one with the scope `admin`. Exits 1 when it "
                   "did not arrive.\n\nExample:\n  headway webhooks test ops",
                   Action::kTest),
        slots);
    add_secret(webhooks, slots);
}

}  // namespace headway::cli
