// SPDX-License-Identifier: Apache-2.0
#include "cli/app.hpp"

#include <curl/curl.h>

#include <csignal>
#include <exception>
#include <variant>

#include "cli/arguments.hpp"
#include "cli/demo_agents.hpp"
#include "cli/exit_code.hpp"
#include "cli/verbs.hpp"

namespace headway::cli {
namespace {

// std::visit wants one callable for all verbs.
struct Dispatch {
    const Console& console;
    const Server& server;

    int operator()(const config::ServeOptions& options) const { return server.serve(options); }
    int operator()(const WaitOptions& options) const { return wait_for_sessions(options, console); }
    int operator()(const WatchOptions& options) const { return watch_events(options, console); }
    int operator()(const SessionsOptions& options) const { return list_sessions(options, console); }
    int operator()(const ShowOptions& options) const { return show_session(options, console); }
    int operator()(const EventsOptions& options) const { return print_events(options, console); }
    int operator()(const ReportOptions& options) const { return report_event(options, console); }
    int operator()(const EndOptions& options) const { return end_session(options, console); }
    int operator()(const CancelOptions& options) const { return cancel_session(options, console); }
    int operator()(const SteerOptions& options) const { return steer_session(options, console); }
    int operator()(const ApprovalsOptions& options) const {
        return list_approvals(options, console);
    }
    int operator()(const DecideOptions& options) const { return decide_approval(options, console); }
    int operator()(const BudgetOptions& options) const {
        return show_or_change_budget(options, console);
    }
    int operator()(const CheckOptions& options) const { return check_session(options, console); }
    int operator()(const DoctorOptions& options) const {
        return run_doctor(options, server, console);
    }
    int operator()(const CompareOptions& options) const {
        return compare_timeouts(options, console);
    }
    int operator()(const RunOptions& options) const { return run_command(options, console); }
    int operator()(const ReplayOptions& options) const {
        return options.to_daemon ? replay_recordings(options, console)
                                 : judge_recordings(options, console);
    }
    int operator()(const EvalOptions& options) const {
        return evaluate_recordings(options, console);
    }
    int operator()(const ConfigOptions& options) const { return check_config(options, console); }
    int operator()(const TokenOptions& options) const { return manage_tokens(options, console); }
    int operator()(const WebhookOptions& options) const {
        return manage_webhooks(options, console);
    }
    int operator()(const TopOptions& options) const { return show_top(options, console); }
    int operator()(const DemoOptions& options) const { return run_demo(options, console); }
    int operator()(const DemoAgentOptions& options) const {
        return run_demo_agent(options, console);
    }
    int operator()(const CompletionOptions& options) const {
        return print_completion(options, console);
    }
    int operator()(const ManualOptions& options) const { return print_manual(options, console); }
    int operator()(const DashboardOptions& options) const {
        return open_dashboard(options, console);
    }
    int operator()(const BackupOptions& options) const { return back_up(options, server, console); }
    int operator()(const RestoreOptions& options) const {
        return restore_backup(options, server, console);
    }
    int operator()(const VersionOptions& options) const { return print_version(options, console); }
};

}  // namespace

int run(int argc, char** argv, const Server& server) {
    const Console console = standard_console();
    try {
        const Parsed parsed = parse_arguments(argc, argv, console);
        if (!parsed.command) return parsed.exit_code;
        const bool daemon = std::holds_alternative<config::ServeOptions>(*parsed.command);
        if (!daemon) curl_global_init(CURL_GLOBAL_DEFAULT);  // the daemon does so itself
        return std::visit(Dispatch{console, server}, *parsed.command);
    } catch (const std::exception& error) {
        return complain(console, kExitFailed, error.what());
    }
}

}  // namespace headway::cli
