// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

#include "cli/base/json.hpp"
#include "cli/process/proc_tree.hpp"
#include "cli/run/supervised_command.hpp"
#include "core/base/time.hpp"
#include "core/values/cause.hpp"

namespace headway::cli {

/// Id of the tool call that represents the command.
inline constexpr const char* kCommandCallId = "run";

/// Makes the data of a command's heartbeats: the resources that its process tree uses, and whether
/// it runs, is checked, or waits until a given time. Called on the reporter's thread. `figures`
/// must outlive this object.
class CommandBeat {
public:
    explicit CommandBeat(const CommandFigures& figures) : figures_(figures) {}

    Json operator()() {
        const TreeUsage now = tree_.usage(::getpid());
        // The processes are read one after another, so their sum may decrease for a moment,
        // although their use never does.
        cpu_ms_ = std::max(cpu_ms_, now.cpu_ms);
        disk_bytes_ = std::max(disk_bytes_, now.disk_bytes);
        // If the command has just exited, its last figure is kept instead of 0.
        if (now.rss_bytes > 0) rss_bytes_ = now.rss_bytes;
        Json data = {
            {"phase", "running"},
            {"resources",
             {{"cpu_ms", cpu_ms_}, {"rss_bytes", rss_bytes_}, {"disk_bytes", disk_bytes_}}}};
        if (const std::int64_t until = figures_.waits_until_ms.load(); until != 0) {
            const core::Timestamp at{milliseconds{until}};
            data["phase"] = "waiting until " + core::minute_text(at);
            data["in_flight"] = {{"call_id", "wait-" + std::to_string(figures_.waits.load())},
                                 {"counter", ++beats_}};
            return data;
        }
        const std::uint64_t counter = cpu_ms_ / 10 + figures_.output_bytes.load();
        if (const std::uint64_t check = figures_.check.load(); check != 0) {
            data["phase"] = "checking";
            data["in_flight"] = {{"call_id", "check-" + std::to_string(check)},
                                 {"counter", counter}};
            return data;
        }
        if (figures_.is_agent) return data;
        data["in_flight"] = {{"call_id", kCommandCallId}, {"counter", counter}};
        return data;
    }

private:
    const CommandFigures& figures_;
    ProcTree tree_;
    std::uint64_t cpu_ms_ = 0;
    std::uint64_t rss_bytes_ = 0;
    std::uint64_t disk_bytes_ = 0;
    std::uint64_t beats_ = 0;  // beats of a waiting command
};

}  // namespace headway::cli
