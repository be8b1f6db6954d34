// SPDX-License-Identifier: Apache-2.0
#include "cli/line/verb_table.hpp"

#include <algorithm>
#include <string_view>

// A verb is a row here, in the order in which help lists them, with its group there, and a file in
// verbs/ that defines `std::unique_ptr<Verb> make_<row>()`.
#define HEADWAY_VERBS(ROW)                         \
    ROW("serve", serve, "Run and watch")           \
    ROW("run", run, "Run and watch")               \
    ROW("keep-going", keep_going, "Run and watch") \
    ROW("acp", acp, "Run and watch")               \
    ROW("observe", observe, "Run and watch")       \
    ROW("wait", wait, "Run and watch")             \
    ROW("watch", watch, "Run and watch")           \
    ROW("top", top, "Run and watch")               \
    ROW("digest", digest, "Run and watch")         \
    ROW("sessions", sessions, "Run and watch")     \
    ROW("show", show, "Run and watch")             \
    ROW("events", events, "Run and watch")         \
    ROW("dashboard", dashboard, "Run and watch")   \
    ROW("approvals", approvals, "Decide")          \
    ROW("approve", approve, "Decide")              \
    ROW("reject", reject, "Decide")                \
    ROW("answer", answer, "Decide")                \
    ROW("acknowledge", acknowledge, "Decide")      \
    ROW("nudge", nudge, "Steer")                   \
    ROW("pause", pause, "Steer")                   \
    ROW("resume", resume, "Steer")                 \
    ROW("cancel", cancel, "Steer")                 \
    ROW("end", end, "Steer")                       \
    ROW("report", report, "Steer")                 \
    ROW("budget", budget, "Steer")                 \
    ROW("check", check, "Steer")                   \
    ROW("scan", scan, "Records")                   \
    ROW("replay", replay, "Records")               \
    ROW("eval", eval, "Records")                   \
    ROW("compare", compare, "Records")             \
    ROW("forget", forget, "Records")               \
    ROW("install", install, "Set-up")              \
    ROW("uninstall", uninstall, "Set-up")          \
    ROW("hook", hook, "Set-up")                    \
    ROW("service", service, "Set-up")              \
    ROW("config", config, "Set-up")                \
    ROW("doctor", doctor, "Set-up")                \
    ROW("demo", demo, "Set-up")                    \
    ROW("demo-agent", demo_agent, "Set-up")        \
    ROW("completion", completion, "Set-up")        \
    ROW("manual", manual, "Set-up")                \
    ROW("version", version, "Set-up")              \
    ROW("token", token, "Administration")          \
    ROW("webhooks", webhooks, "Administration")    \
    ROW("backup", backup, "Administration")        \
    ROW("restore", restore, "Administration")      \
    ROW("migrate", migrate, "Administration")      \
    ROW("routes", routes, "Administration")

namespace headway::cli {

#define HEADWAY_FACTORY(name, verb, group) std::unique_ptr<Verb> make_##verb();
HEADWAY_VERBS(HEADWAY_FACTORY)
#undef HEADWAY_FACTORY

namespace {

struct VerbRow {
    std::string_view name;
    std::string_view group;
    std::unique_ptr<Verb> (*make)();
};

#define HEADWAY_ROW(name, verb, group) {name, group, make_##verb},
constexpr VerbRow kVerbs[] = {HEADWAY_VERBS(HEADWAY_ROW)};
#undef HEADWAY_ROW

constexpr const char* kProgramHelp =
    "Supervises autonomous agents by what they do, not by how long they take.";

constexpr const char* kProgramFooter = R"(Examples:
  headway serve                          start the daemon on http://127.0.0.1:7717
  headway run -- make -j2                supervise a command
  headway watch                          show events of all sessions, live
  headway wait make-3f2a91c07b54         exit code 0 completed, 1 failed, 2 stuck
  headway wait --help                    show the options of one verb

Connection options, for each verb whose help has a line `Connection`:
  --url URL          the daemon (default: HEADWAY_URL, else the Unix socket in the default state directory, else http://127.0.0.1:7717; `run` never uses the socket)
  --token-file FILE  file that holds the token (default: HEADWAY_TOKEN, else the file named by HEADWAY_TOKEN_FILE, else the local operator's token); none is needed over the Unix socket
  --state-dir DIR    state directory of a daemon on this machine: its database, operator.token and headway.sock (default: $STATE_DIRECTORY, else $XDG_STATE_HOME/headway, else ~/.local/state/headway)
  --ca-file FILE     PEM file of certificates to trust over https (default: HEADWAY_CA_FILE, else the system's))";

/// In place of these options in the help of each verb.
constexpr const char* kConnectionNote =
    "Connection: --url, --token-file, --state-dir, --ca-file; see `headway --help`";

/// Exit codes of a verb that lists no others.
constexpr const char* kExitCodes =
    "Exit codes: 0 done   1 refused or failed   64 usage   69 no daemon answers";

void add_paragraph(VerbSpec& verb, const char* text) {
    verb.footer.append(verb.footer.empty() ? "" : "\n\n").append(text);
}

// At most as deep as verbs are nested.
void add_notes(VerbSpec& verb) {
    for (VerbSpec& below : verb.verbs)
        add_notes(below);
    const bool connects = std::any_of(verb.arguments.begin(), verb.arguments.end(),
                                      [](const ArgumentSpec& one) { return one.connection; });
    if (connects) add_paragraph(verb, kConnectionNote);
    const bool listed = verb.footer.find("Exit codes") != std::string::npos ||
                        verb.footer.find("exit status") != std::string::npos;
    if (verb.client == nullptr || listed) return;
    add_paragraph(verb, kExitCodes);
}

}  // namespace

Program declare_program() {
    Program program;
    program.spec.name = "headway";
    Arguments(program.spec).help(kProgramHelp).footer(kProgramFooter);
    program.spec.verbs.reserve(std::size(kVerbs));
    for (const VerbRow& row : kVerbs) {
        VerbSpec& spec = program.spec.verbs.emplace_back();
        spec.name = row.name;
        spec.group = row.group;
        Arguments arguments(spec);
        program.verbs.push_back(row.make());
        program.verbs.back()->declare(arguments);
        add_notes(spec);
    }
    return program;
}

}  // namespace headway::cli
