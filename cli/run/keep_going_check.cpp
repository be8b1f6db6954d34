// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <filesystem>

#include "agents/codex/rollout.hpp"
#include "cli/base/clock.hpp"
#include "cli/base/json.hpp"
#include "cli/lines/bounded_event.hpp"
#include "cli/process/check_command.hpp"
#include "cli/run/keep_going.hpp"
#include "core/text/text.hpp"

// The check of KeepGoing, and the folder in which it runs.

namespace headway::cli {
namespace {

/// How often a check looks at the session.
constexpr std::chrono::milliseconds kLookEvery{2'000};
constexpr std::size_t kLineBytesKept = 200;
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;

/// A shell's status for a command that it did not find, or that is no program: no result of a test,
/// and no agent can be asked to mend it.
bool cannot_run(const ExitStatus& exit) {
    return exit.signal == 0 && (exit.code == kCannotRun || exit.code == kNotFound);
}

/// ": " and the last line with a word; empty: there is none.
std::string last_line(std::string_view text) {
    text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    if (text.empty()) return {};
    text.remove_prefix(text.find_last_of('\n') + 1);  // npos + 1 is 0
    return ": " + core::shortened(text, kLineBytesKept);
}

}  // namespace

std::string identity_of(const std::string& folder) {
    struct stat about {};
    if (folder.empty() || ::stat(folder.c_str(), &about) != 0) return {};
    return std::to_string(about.st_dev) + ":" + std::to_string(about.st_ino);
}

std::string plain_path(const std::string& folder) {
    std::error_code ec;
    const std::filesystem::path plain = std::filesystem::weakly_canonical(folder, ec);
    return ec ? folder : plain.string();
}

/// The agent's word moves no check, which would then be of a folder of the agent's choice. But a
/// check of a folder in which it did not work shows nothing.
void KeepGoing::note_folders(const SupervisedCommand& command) {
    if (options_.check.empty() || !options_.check_dir.empty() || !elsewhere_.empty()) return;
    std::vector<std::string> folders = command.agent().folders();
    if (folders.size() >= AgentLines::kFoldersMax) elsewhere_ = "many folders";
    if (command.agent().facts().agent == "codex") {
        const std::string rollout =
            find_rollout(options_.homes.codex, command.agent().conversation());
        if (!rollout.empty()) folders.push_back(folder_of_rollout(rollout));
    }
    for (const std::string& folder : folders) {
        const bool same = folder.starts_with('/') && identity_of(folder) == checks_in_.identity;
        if (!folder.empty() && !same) elsewhere_ = core::shortened(folder, kLineBytesKept);
    }
}

/// Why the result of the check would say nothing of the work; empty: it would.
std::string KeepGoing::why_not_checked() const {
    const std::string folder = plain_path(checks_in_.path);
    if (!elsewhere_.empty())
        return "the agent works in " + elsewhere_ + ", the check is for " + folder +
               "; --check-dir names the right one";
    if (identity_of(checks_in_.path) != checks_in_.identity)
        return "the folder " + folder + " was replaced";
    return {};
}

/// Runs the check, after a pause again, and puts down how it failed. Any result but kDue: why there
/// is no result; without `check_failed` it did not run, or was ended for a pause and did not run
/// again.
KeepGoing::Wait KeepGoing::check(RunOver& run) {
    using Ended = CheckResult::Ended;
    run.check_broken = why_not_checked();
    if (!run.check_broken.empty()) {
        run.check_failed = run.check_broken;
        return Wait::kDue;
    }
    while (true) {
        const Standing now = standing();
        if (is_stopped(now)) return Wait::kStopped;
        if (now.paused) {
            say_("the session is paused; the check runs after that");
            const Wait held = wait_for(wall_now());
            if (held != Wait::kDue) return held;
        }
        const CheckResult result = run_check();
        if (result.passed()) return Wait::kDue;
        run.check_failed = result.output.empty() ? result.exit.text() : result.output;
        if (result.ended == Ended::kNot && cannot_run(result.exit))
            run.check_broken = result.exit.text() + last_line(result.output);
        if (result.ended == Ended::kNot) return Wait::kDue;
        if (result.ended == Ended::kTooLong) {
            (void)end_tree();  // its children may have outlived their shell
            run.check_failed = result.output + too_long();
            return Wait::kDue;
        }
        (void)end_tree();
        if (result.ended == Ended::kInterrupted) return Wait::kInterrupted;
        if (result.ended == Ended::kStopped) return Wait::kStopped;
        if (result.ended == Ended::kOff) return Wait::kOff;
        say_("the check was ended: the session is paused; it runs again after that");
        run.check_failed.reset();
    }
}

CheckResult KeepGoing::run_check() {
    using Ended = CheckResult::Ended;
    const std::string call = "check-" + std::to_string(++checks_);
    Json about = {{"call_id", call}, {"tool", "check"}, {"args", {{"command", options_.check}}}};
    reporter_.add_own("tool.started", about);
    figures_.check = checks_;
    keeper_.change([&](RunRecord& record) {
        record.phase = RunPhase::kChecking;
        record.wait = {};
        record.checks = checks_;
        record.counts = plan_.counts();
    });
    const CheckCommand::Setup setup{options_.check,        checks_in_.path,
                                    environment_,          signals_.outer_mask(),
                                    signals_.fd(),         options_.check_most,
                                    figures_.output_bytes, [this] { return check_ends(); }};
    CheckResult result = CheckCommand(setup).run();
    figures_.check = 0;
    about["ok"] = result.passed();
    const bool cut = result.ended != Ended::kNot && result.ended != Ended::kTooLong;
    if (result.passed()) {
        about["result"] = bounded_text(result.output);
    } else if (cut) {
        about["error"] = {{"class", "cancelled"}, {"message", "the check was ended"}};
    } else if (result.ended == Ended::kTooLong) {
        about["error"] = {{"class", "timeout"},
                          {"message", bounded_text(result.output) + too_long()}};
    } else {
        about["error"] = {{"class", "exit_status"}, {"message", bounded_text(result.output)}};
    }
    reporter_.add_own("tool.finished", about);
    return result;
}

/// By the session and the switch for all: whether the check must not go on.
CheckResult::Ended KeepGoing::check_ends() {
    const Standing standing = reporter_.standing();
    if (is_stopped(standing)) return CheckResult::Ended::kStopped;
    if (state_.is_off()) return CheckResult::Ended::kOff;
    if (standing.paused) return CheckResult::Ended::kPaused;
    if (steady_now() < next_look_) return CheckResult::Ended::kNot;
    next_look_ = steady_now() + kLookEvery;
    reporter_.look();
    return CheckResult::Ended::kNot;
}

std::string KeepGoing::too_long() const {
    return "\n[the check was ended: it had not ended by itself after " +
           human_duration(options_.check_most) + "]";
}

}  // namespace headway::cli
