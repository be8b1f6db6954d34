// SPDX-License-Identifier: Apache-2.0
#include "cli/run/job_runs.hpp"

#include <string_view>

#include "cli/views/event_line.hpp"

namespace headway::cli {
namespace {

/// As the daemon names the sessions of a job: `JOB`, `JOB~2`, `JOB.RID`.
bool is_run_of(std::string_view id, std::string_view job, std::string_view rid) {
    if (job.empty() || !id.starts_with(job)) return false;
    const std::string_view rest = id.substr(job.size());
    if (rest.empty()) return true;
    if (rest.front() == '.') return !rid.empty() && rest.substr(1) == rid;
    const std::string_view number = rest.substr(1);
    return rest.front() == '~' && !number.empty() &&
           number.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The name of the job that has reported it by pings; empty for any other session. An agent may say
/// that it is such a job, so the id has to fit too: it stands behind none of another name.
std::string job_of(const Json& session) {
    const Json& agent = session["agent"];
    const bool ping = agent.is_object() && plain_text(agent, "type") == "job" &&
                      session["labels"].is_object() &&
                      plain_text(session["labels"], "adapter") == "ping";
    if (!ping) return {};
    std::string job = plain_text(agent, "name");
    const bool named =
        is_run_of(plain_text(session, "id"), job, plain_text(session["labels"], "rid"));
    return named ? job : std::string{};
}

}  // namespace

bool JobRuns::takes_row(const Json& session) {
    const std::string job = job_of(session);
    if (job.empty()) return true;
    const Json& alarms = session["alarms"];
    const bool alarm = alarms.is_array() && !alarms.empty();
    if (alarm || plain_text(session["verdict"], "status") != "completed") return true;
    const auto [newest, first] = newest_.emplace(job, plain_text(session, "id"));
    if (first) return true;
    ++behind_[newest->second];
    ++hidden_;
    return false;
}

std::size_t JobRuns::behind(const std::string& id) const {
    const auto found = behind_.find(id);
    return found == behind_.end() ? 0 : found->second;
}

}  // namespace headway::cli
