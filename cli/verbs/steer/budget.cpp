// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <ostream>

#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/verbs/one_request.hpp"
#include "cli/views/approval_view.hpp"
#include "cli/views/event_line.hpp"
#include "cli/views/expectation_view.hpp"

// `headway budget`: show, extend, set and suggest.

namespace headway::cli {
namespace {

struct BudgetOptions {
    ClientOptions client;
    std::string session;
    std::string change;  ///< empty: show; "set", "extend" or "suggest"
    std::string agent;   ///< of a suggestion; empty: of all types
    std::string complexity;
    std::optional<std::uint64_t> timeout_seconds;
    std::optional<std::uint64_t> max_steps;
    std::optional<std::uint64_t> max_tokens;
    std::optional<double> max_cost_usd;
    std::string reason;
    std::string label;  ///< of a daily cap; empty: of all sessions
    bool lift = false;
};

Json limits_of(const BudgetOptions& options) {
    Json limits = Json::object();
    if (options.timeout_seconds) limits["timeout_seconds"] = *options.timeout_seconds;
    if (options.max_steps) limits["max_steps"] = *options.max_steps;
    if (options.max_tokens) limits["max_tokens"] = *options.max_tokens;
    if (options.max_cost_usd) limits["max_cost_usd"] = *options.max_cost_usd;
    return limits;
}

int show_budget(const BudgetOptions& options, const std::string& path, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    const HttpReply reply = daemon.get(path);
    const std::optional<Json> budget = body_json(reply);
    if (!reply.ok() || !budget) return explain_failure(console, daemon, reply);
    console.out << (options.client.json ? dump(*budget) + "\n" : budget_text((*budget)["budget"]));
    return kExitOk;
}

int suggest_budget(const BudgetOptions& options, const Console& console) {
    std::string path = "/v1/analytics/expectations";
    const auto add = [&path](const char* name, const std::string& value) {
        if (value.empty()) return;
        path += (path.find('?') == std::string::npos ? "?" : "&") + std::string{name} + "=" +
                url_encode(value);
    };
    add("agent", options.agent);
    add("complexity", options.complexity);
    Daemon daemon(options.client.url, options.client.credential);
    const HttpReply reply = daemon.get(path);
    const std::optional<Json> expected = body_json(reply);
    if (!reply.ok() || !expected) return explain_failure(console, daemon, reply);
    console.out << (options.client.json ? dump(*expected) + "\n"
                                        : expectations_text(*expected, console.width));
    return kExitOk;
}

/// The daily caps, one per line.
std::string day_text(const Json& report) {
    const Json& caps = report["caps"];
    if (!caps.is_array() || caps.empty())
        return "no daily cap is set; see [budget.day] in `headway config default`\n";
    std::string out =
        "day " + plain_text(report, "day") + ", until " + plain_text(report, "ends") + "\n";
    for (const Json& cap : caps) {
        out += plain_text(cap, "level") + (cap["lifted"] == true ? ", lifted" : "") + ": " +
               plain_text(cap, "summary") + "\n";
    }
    return out;
}

int show_or_extend_day(const BudgetOptions& options, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    const Json limits = limits_of(options);
    Json body = Json::object();
    if (!limits.empty()) body["extend"] = limits;
    if (options.lift) body["lift"] = true;
    const bool changes = !body.empty();
    if (!options.label.empty()) body["label"] = options.label;
    if (!changes && !options.label.empty())
        return complain(console, kExitUsage, "nothing to change",
                        "give --cost, --tokens or --lift");
    const HttpReply reply =
        changes ? daemon.post("/v1/budget/day", body) : daemon.get("/v1/budget/day");
    const std::optional<Json> report = body_json(reply);
    if (!reply.ok() || !report) return explain_failure(console, daemon, reply);
    console.out << (options.client.json ? dump(*report) + "\n" : day_text(*report));
    return kExitOk;
}

int show_or_change_budget(const BudgetOptions& options, const Console& console) {
    if (options.change == "day") return show_or_extend_day(options, console);
    if (options.change == "suggest") return suggest_budget(options, console);
    const std::string path = session_path(options.session, "/budget");
    if (options.change.empty()) return show_budget(options, path, console);
    const Json limits = limits_of(options);
    if (limits.empty()) {
        return complain(console, kExitUsage, "nothing to " + options.change,
                        "give --seconds, --steps, --tokens or --cost");
    }
    Json body = {{options.change, limits}};
    if (!options.reason.empty()) body["reason"] = options.reason;
    add_by(body, console);
    return send_once(options.client, path, body, console);
}

class Budget : public Verb {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Show or change a session's budget");
        arguments.footer(R"(Examples:
  headway budget show my-agent
  headway budget extend my-agent --seconds 300 --steps 10
  headway budget set my-agent --steps 80
  headway budget suggest coder --complexity high
  headway budget day --cost 10)");
        Arguments show =
            arguments.verb("show", "Show how much of the budget is used, and how much is left", {});
        show.footer("");
        show.client(options_.client);
        show.session(options_.session).required();
        declare_change(arguments, "extend", "Add to the limits that are set");
        declare_change(arguments, "set",
                       "Replace all limits; a limit that is not given is removed");
        Arguments day =
            arguments.verb("day", "Show the daily caps; raise or suspend one until the next day",
                           [this] { options_.change = "day"; });
        day.footer("");
        day.client(options_.client);
        day.option("--label", options_.label,
                   "change the cap for this label (default: the cap for all sessions)")
            .type("KEY=VALUE");
        day.option("--cost", options_.max_cost_usd, "US dollars to add for this day").type("USD");
        day.option("--tokens", options_.max_tokens, "tokens to add for this day").type("N");
        day.flag("--lift", options_.lift, "suspend this cap until the next day");
        Arguments suggest =
            arguments.verb("suggest", "Show what sessions usually use, and budgets for new ones",
                           [this] { options_.change = "suggest"; });
        suggest.footer("There are no figures for agent types with too few ended sessions.");
        suggest.client(options_.client);
        suggest.operand("AGENT", options_.agent,
                        "agent type (default: all types); with a type, its tools are shown, too");
        suggest.option("--complexity", options_.complexity, "how hard the task is")
            .choices({"low", "medium", "high"});
    }

    int run(const Console& console, const Server&) override {
        return show_or_change_budget(options_, console);
    }

private:
    void declare_change(Arguments& budget, const char* name, const char* help) {
        Arguments change = budget.verb(name, help, [this, name] { options_.change = name; });
        change.footer("");
        change.client(options_.client);
        change.session(options_.session).required();
        change.option("--seconds", options_.timeout_seconds, "elapsed time, in seconds").type("N");
        change.option("--steps", options_.max_steps, "model turns").type("N");
        change.option("--tokens", options_.max_tokens, "tokens").type("N");
        change.option("--cost", options_.max_cost_usd, "US dollars").type("USD");
        change.option("--reason", options_.reason, "why, for the journal");
    }

    BudgetOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_budget() {
    return std::make_unique<Budget>();
}

}  // namespace headway::cli
