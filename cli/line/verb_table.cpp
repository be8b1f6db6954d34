// SPDX-License-Identifier: Apache-2.0
#include "cli/line/verb_table.hpp"

#include <string_view>

// A verb is a row here, in the order in which help lists them, and a file in verbs/ that defines
// `std::unique_ptr<Verb> make_<row>()`.
#define HEADWAY_VERBS(ROW)          \
    ROW("serve", serve)             \
    ROW("run", run)                 \
    ROW("keep-going", keep_going)   \
    ROW("acp", acp)                 \
    ROW("wait", wait)               \
    ROW("watch", watch)             \
    ROW("top", top)                 \
    ROW("digest", digest)           \
    ROW("sessions", sessions)       \
    ROW("show", show)               \
    ROW("events", events)           \
    ROW("report", report)           \
    ROW("end", end)                 \
    ROW("cancel", cancel)           \
    ROW("pause", pause)             \
    ROW("resume", resume)           \
    ROW("nudge", nudge)             \
    ROW("approvals", approvals)     \
    ROW("acknowledge", acknowledge) \
    ROW("approve", approve)         \
    ROW("reject", reject)           \
    ROW("answer", answer)           \
    ROW("budget", budget)           \
    ROW("check", check)             \
    ROW("compare", compare)         \
    ROW("scan", scan)               \
    ROW("replay", replay)           \
    ROW("eval", eval)               \
    ROW("forget", forget)           \
    ROW("token", token)             \
    ROW("dashboard", dashboard)     \
    ROW("webhooks", webhooks)       \
    ROW("backup", backup)           \
    ROW("restore", restore)         \
    ROW("migrate", migrate)         \
    ROW("config", config)           \
    ROW("install", install)         \
    ROW("uninstall", uninstall)     \
    ROW("hook", hook)               \
    ROW("service", service)         \
    ROW("doctor", doctor)           \
    ROW("version", version)         \
    ROW("routes", routes)           \
    ROW("demo", demo)               \
    ROW("demo-agent", demo_agent)   \
    ROW("completion", completion)   \
    ROW("manual", manual)

namespace headway::cli {

#define HEADWAY_FACTORY(name, verb) std::unique_ptr<Verb> make_##verb();
HEADWAY_VERBS(HEADWAY_FACTORY)
#undef HEADWAY_FACTORY

namespace {

struct VerbRow {
    std::string_view name;
    std::unique_ptr<Verb> (*make)();
};

#define HEADWAY_ROW(name, verb) {name, make_##verb},
constexpr VerbRow kVerbs[] = {HEADWAY_VERBS(HEADWAY_ROW)};
#undef HEADWAY_ROW

constexpr const char* kProgramHelp =
    "Supervises autonomous agents by what they do, not by how long they take.";

constexpr const char* kProgramFooter = R"(Examples:
  headway serve                          start the daemon on http://127.0.0.1:7717
  headway run -- make -j2                supervise a command
  headway watch                          see what all sessions do, live
  headway wait make-3f2a91c07b54         0 when it ended well, 1 when it failed, 2 when stuck
  headway wait --help                    each verb explains itself

The daemon is found by --url, then HEADWAY_URL, then its Unix socket in the default state folder
(but by `run`, whose command may need a URL), then http://127.0.0.1:7717. It is shown the token of
--token-file, HEADWAY_TOKEN, HEADWAY_TOKEN_FILE, or, on this machine, the operator's if we may read
it; --state-dir says where that is if not in the default state folder; over the socket none is
needed. Over https, --ca-file or HEADWAY_CA_FILE says whom to trust.)";

/// Of a verb that has told no others.
constexpr const char* kExitCodes =
    "Exit codes: 0 done   1 refused, or it failed   64 usage   69 no daemon answers";

// At most as deep as verbs are nested.
void add_exit_codes(VerbSpec& verb) {
    for (VerbSpec& below : verb.verbs)
        add_exit_codes(below);
    const bool told = verb.footer.find("Exit codes") != std::string::npos ||
                      verb.footer.find("exit status") != std::string::npos;
    if (verb.client == nullptr || told) return;
    verb.footer.append(verb.footer.empty() ? "" : "\n\n").append(kExitCodes);
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
        spec.footer = program.spec.footer;  // of a verb that declares none
        Arguments arguments(spec);
        program.verbs.push_back(row.make());
        program.verbs.back()->declare(arguments);
        add_exit_codes(spec);
    }
    return program;
}

}  // namespace headway::cli
