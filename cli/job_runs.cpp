// SPDX-License-Identifier: Apache-2.0
#include "cli/job_runs.hpp"

#include "cli/event_line.hpp"

namespace headway::cli {
namespace {

/// The name of the job that has reported it by pings; empty for any other session.
std::string job_of(const Json& session) {
    const Json& agent = session["agent"];
    const bool ping = agent.is_object() && plain_text(agent, "type") == "job" &&
                      session["labels"].is_object() &&
                      plain_text(session["labels"], "adapter") == "ping";
    return ping ? plain_text(agent, "name") : std::string{};
}

}  // namespace

bool JobRuns::takes_row(const Json& session) {
    const std::string job = job_of(session);
    if (job.empty()) return true;
    const auto [newest, first] = newest_.emplace(job, plain_text(session, "id"));
    const Json& alarms = session["alarms"];
    const bool alarm = alarms.is_array() && !alarms.empty();
    if (first || alarm || plain_text(session["verdict"], "status") != "completed") return true;
    ++behind_[newest->second];
    ++hidden_;
    return false;
}

std::size_t JobRuns::behind(const std::string& id) const {
    const auto found = behind_.find(id);
    return found == behind_.end() ? 0 : found->second;
}

}  // namespace headway::cli
