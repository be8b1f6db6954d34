// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/app.hpp"
#include "cli/console.hpp"
#include "cli/options.hpp"

// One function for each verb; each gives the exit code of the process.

namespace headway::cli {

int wait_for_sessions(const WaitOptions& options, const Console& console);
int watch_events(const WatchOptions& options, const Console& console);
int list_sessions(const SessionsOptions& options, const Console& console);
int show_session(const ShowOptions& options, const Console& console);
int print_events(const EventsOptions& options, const Console& console);
int report_event(const ReportOptions& options, const Console& console);
int end_session(const EndOptions& options, const Console& console);
int cancel_session(const CancelOptions& options, const Console& console);
int steer_session(const SteerOptions& options, const Console& console);
int list_approvals(const ApprovalsOptions& options, const Console& console);
int decide_approval(const DecideOptions& options, const Console& console);
int show_or_change_budget(const BudgetOptions& options, const Console& console);
int check_session(const CheckOptions& options, const Console& console);
int compare_timeouts(const CompareOptions& options, const Console& console);
int run_command(const RunOptions& options, const Console& console);
int replay_recordings(const ReplayOptions& options, const Console& console);
/// `replay` without --to.
int judge_recordings(const ReplayOptions& options, const Console& console);
int evaluate_recordings(const EvalOptions& options, const Console& console);
int manage_tokens(const TokenOptions& options, const Console& console);
int manage_webhooks(const WebhookOptions& options, const Console& console);
int open_dashboard(const DashboardOptions& options, const Console& console);
int check_config(const ConfigOptions& options, const Console& console);
/// `server` asks the judges, which only it can.
int run_doctor(const DoctorOptions& options, const Server& server, const Console& console);
/// Through the daemon where one runs, else by `server`.
int back_up(const BackupOptions& options, const Server& server, const Console& console);
int restore_backup(const RestoreOptions& options, const Server& server, const Console& console);
int show_top(const TopOptions& options, const Console& console);
int run_demo(const DemoOptions& options, const Console& console);
int print_completion(const CompletionOptions& options, const Console& console);
int print_manual(const ManualOptions& options, const Console& console);
int print_version(const VersionOptions& options, const Console& console);

}  // namespace headway::cli
