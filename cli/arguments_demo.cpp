// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "cli/argument_slots.hpp"

namespace headway::cli {
namespace {

void add_demo(CLI::App& app, ArgumentSlots& slots) {
    DemoOptions& demo = slots.demo;
    CLI::App& verb = *app.add_subcommand("demo", "Start a daemon with three agents to look at");
    verb.footer(
        R"(The daemon has a folder and an address of its own, so that nothing of yours is touched; both
are gone when it ends. One agent is slow and fine, one runs in a circle until advice leads it out,
one waits for your approval.

Examples:
  headway demo
  headway demo --listen 127.0.0.1:7718 --keep)");
    verb.add_option("--listen", demo.listen, "address of its daemon; port 0: any that is free")
        ->type_name("ADDRESS")
        ->capture_default_str();
    verb.add_flag("--once", demo.once, "end when each agent is done; else they begin anew");
    verb.add_flag("--quiet", demo.quiet, "do not print what happens");
    verb.add_flag("--keep", demo.keep, "leave the folder, and say where it is");
    verb.add_option("--pace", demo.pace, "how slow the agents are: 0.1 is ten times as fast")
        ->type_name("FACTOR")
        ->check(CLI::Range(0.001, 100.0))
        ->capture_default_str();
    verb.callback([&slots] { slots.command = slots.demo; });
}

/// Not for people, and in no help.
void add_demo_agent(CLI::App& app, ArgumentSlots& slots) {
    DemoAgentOptions& agent = slots.demo_agent;
    CLI::App& verb = *app.add_subcommand("demo-agent", "One agent of the demo");
    verb.group("");
    add_client_flags(verb, slots.client);
    verb.add_option("KIND", agent.kind, "what it is like")
        ->required()
        ->check(CLI::IsMember({"slow", "loop", "approval"}));
    verb.add_option("--session", agent.session, "its session")->required();
    verb.add_option("--folder", agent.folder, "where it works")->required();
    verb.add_option("--pace", agent.pace, "as of demo");
    verb.callback([&slots] { slots.command = slots.demo_agent; });
}

}  // namespace

void add_demo_verbs(CLI::App& app, ArgumentSlots& slots) {
    add_demo(app, slots);
    add_demo_agent(app, slots);
}

}  // namespace headway::cli
