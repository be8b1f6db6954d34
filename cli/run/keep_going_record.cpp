// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "api/text/timestamp.hpp"
#include "cli/base/clock.hpp"
#include "cli/keep_going/agent_folder.hpp"
#include "cli/keep_going/other_writer.hpp"
#include "cli/process/proc_tree.hpp"
#include "cli/run/keep_going.hpp"

// KeepGoing: the record of the run, and how it goes on from a record.

namespace headway::cli {
namespace {

constexpr std::chrono::seconds kTermOrphansFor{10};
constexpr std::chrono::seconds kKillOrphansAfter{5};

/// `name` as the agent takes it, from the folder in which it begins.
RecordedFolder folder_from(const std::string& name, const std::string& from) {
    return recorded_folder((std::filesystem::path(from) / name).string());
}

std::vector<RecordedProcess> processes_below(const RecordedProcess& agent) {
    std::vector<RecordedProcess> processes;
    if (!is_running(agent)) return processes;
    for (const pid_t pid : ProcTree{}.descendants_of_run(static_cast<pid_t>(agent.pid)))
        processes.push_back(recorded_process(pid));
    return processes;
}

/// Ends the processes that a killed run has left: those with its mark in their environment, and
/// those below its agent, which a wrapper such as `env -i` may have begun without one. False if one
/// does not end, or is above this process.
bool end_processes_of(const RunRecord& run) {
    const ProcTree tree;
    const std::vector<RecordedProcess> below_agent = processes_below(run.child);
    const auto began = steady_now();
    while (true) {
        std::vector<pid_t> left = tree.with_variable("HEADWAY_RUN", run.mark);
        for (const RecordedProcess& process : below_agent)
            if (is_running(process)) left.push_back(static_cast<pid_t>(process.pid));
        if (left.empty()) return true;
        const auto spent = steady_now() - began;
        if (spent > kTermOrphansFor + kKillOrphansAfter) return false;
        for (const pid_t pid : left) {
            const std::vector<pid_t> below = tree.descendants(pid);
            if (std::find(below.begin(), below.end(), ::getpid()) != below.end()) return false;
        }
        for (const pid_t pid : left)
            ::kill(pid, spent > kTermOrphansFor ? SIGKILL : SIGTERM);
        (void)::poll(nullptr, 0, 50);
    }
}

}  // namespace

RecordKeeper::RecordKeeper(RecordFile& file, RunRecord record, const Reporter& reporter, Say say)
    : file_(file), record_(std::move(record)), reporter_(reporter), say_(std::move(say)) {}

void RecordKeeper::change(const std::function<void(RunRecord&)>& change) {
    change(record_);
    const Reporter::Opening opening = reporter_.opening();
    record_.generation = opening.session;
    record_.opened_at = opening.at;
    const core::Result<> done = file_.write(record_);
    if (!done && !std::exchange(failed_, true))
        say_(done.error().detail + "; a restart of the machine would end this run");
}

void RecordKeeper::refresh() {
    const Reporter::Opening opening = reporter_.opening();
    if (opening.session == record_.generation && opening.at == record_.opened_at) return;
    change([](RunRecord&) {});
}

void record_folders(RunRecord& record) {
    std::error_code ignored;
    record.begins_in = recorded_folder(std::filesystem::current_path(ignored).string());
    record.works_in = folder_from(named_folder(record.argv), record.begins_in.path);
    record.checks_in = record.check_dir.empty()
                           ? record.works_in
                           : folder_from(record.check_dir, record.begins_in.path);
}

/// A call of an agent can print the beginning of another conversation. A script may have several.
bool KeepGoing::is_another(const std::string& id) const {
    return !began_in_.empty() && id != began_in_ && is_agent_program(first_.front());
}

void KeepGoing::note_conversation(const std::string& agent, const std::string& id) {
    agent_ = agent;
    if (is_another(id)) return;
    began_in_ = id;
    state_.keep_conversation(agent, id);
    keeper_.change([&](RunRecord& record) {
        record.agent = agent;
        record.conversation = id;
    });
}

void KeepGoing::note_start(std::int64_t pid) {
    keeper_.change([&](RunRecord& record) {
        record.phase = RunPhase::kRunning;
        record.wait = {};
        record.child = recorded_process(pid);
        ++record.starts;
    });
}

std::optional<KeepGoing::Words> KeepGoing::go_on(RunOver& run) {
    const RunRecord& record = keeper_.record();
    agent_ = record.agent;
    conversation_ = began_in_ = record.conversation;
    unseen_ = true;
    if (state_.is_off()) return over(why_ended(Wait::kOff));
    if (const std::string why = cannot_go_on(); !why.empty()) return over("not resumed: " + why);
    state_.keep_conversation(agent_, conversation_);
    keeper_.change([](RunRecord&) {});  // by its process, another one knows that it goes on
    if (record.phase != RunPhase::kWaiting) {
        const Wait seen = wait_for(wall_now());
        note_end(run, seen);
        return seen == Wait::kDue ? next(run, nullptr) : over(why_ended(seen));
    }
    ResumeStep step = record.wait.step;
    if (step.in_turn) step.at = turn_of(agent_, std::max(step.at, wall_now()));
    say_("goes on in the wait that was cut off: " + step.why + "; until " +
         api::timestamp_text(step.at));
    const std::uint64_t stored = record.wait.stored;
    put_wait(step, stored);
    return wait(run, std::move(step), stored);
}

/// Why the run of the record cannot go on in its folders; empty: it can, and stands in them.
std::string KeepGoing::cannot_go_on() {
    if (conversation_.empty()) return "the agent had not named its conversation";
    if (wall_now() > latest_) return "it is too late";
    const RecordedProcess& child = keeper_.record().child;
    const bool same_boot = is_of_this_boot(child);
    if (::chdir(here_.path.c_str()) != 0) return "the folder " + here_.path + " is gone";
    for (RecordedFolder* const folder : {&here_, &works_, &checks_in_}) {
        if (folder->identity.empty()) continue;  // there was none at first
        if (!is_same_folder(*folder, same_boot))
            return "the folder " + plain_path(folder->path) + " was replaced";
        *folder = recorded_folder(folder->path);
    }
    // The agent wrote until the machine went down; later lines are those of another process.
    if (!same_boot && keeper_.record().phase != RunPhase::kWaiting) {
        const auto files = stored_files(agent_, conversation_, options_.homes);
        if (std::any_of(files.begin(), files.end(), changed_since_boot))
            return "the conversation went on elsewhere meanwhile";
    }
    if (!end_processes_of(keeper_.record()) || is_running(child))
        return "a process of the run before does not end";
    return {};
}

}  // namespace headway::cli
