// SPDX-License-Identifier: Apache-2.0
#include "cli/observe/observer.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/base/clock.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/scan/find_stores.hpp"
#include "cli/views/event_line.hpp"
#include "config/values/read_file.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kFollowedMax = 512;  // at once; agents of one person are fewer
constexpr std::size_t kReportsMax = 200;   // that wait, of one file
constexpr std::size_t kBatchMax = 50;      // as of Spool
constexpr std::size_t kBatchBytesMax = 500'000;
constexpr milliseconds kLookTimeout{30'000};
constexpr milliseconds kGather{100};                // an agent writes several lines at once
constexpr milliseconds kPollEvery{2'000};           // where not every folder can be watched
constexpr std::uint64_t kHeartbeatMs = 300'000;     // as of hooks: a quiet agent may think for long
constexpr std::string_view kNextGeneration = "~2";  // as of hooks
constexpr const char* kNewest = "/events?order=newest&limit=200";

double seconds_now() {
    return static_cast<double>(wall_now().time_since_epoch().count()) / 1'000.0;
}

std::string opening_with_policy(const StoredAbout& about, const std::string& parent) {
    Json body = opening_of(about, parent);
    body["policy"] = {{"heartbeat_interval_ms", kHeartbeatMs}};
    return dump(body);
}

/// How many of the first go into one request.
std::size_t batch_of(const std::vector<std::string>& reports) {
    std::size_t bytes = 0;
    std::size_t count = 0;
    while (count < reports.size() && count < kBatchMax) {
        bytes += reports[count].size();
        if (count > 0 && bytes > kBatchBytesMax) break;
        ++count;
    }
    return count;
}

/// True if the same request may succeed later. For failed replies.
bool retries(const HttpReply& reply) {
    return worth_retrying(reply) || is_of_another_program(reply);
}

bool is_of_transcript(const Json& session) {
    return plain_text(session["labels"], "adapter") == kTranscriptAdapter;
}

/// True if the agent's hooks report into the session, or have opened it.
bool has_hooks(const Json& session, const std::string& agent) {
    return session["adapter"].is_object() ||
           (!agent.empty() && plain_text(session["labels"], "adapter") == agent);
}

/// Whether the newest events of a session are not all from its file: the daemon knows of hooks only
/// since its start.
bool others_report(const Json& page) {
    const Json::List& events = page["events"].list();
    return std::any_of(events.begin(), events.end(), [](const Json& event) {
        const std::string& type = event.text_of("type");
        return (type == "message" || type == "tool.started" || type == "tool.finished") &&
               !event.text_of("event_id").starts_with(kTranscriptEvent);
    });
}

/// The id of the newest event from its file; empty: there is none.
std::string newest_id(const Json& page) {
    for (const Json& event : page["events"].list()) {
        const std::string& id = event.text_of("event_id");
        if (id.starts_with(kTranscriptEvent)) return id;
    }
    return {};
}

}  // namespace

bool is_supervised_in(const std::string& folder) {
    namespace fs = std::filesystem;
    constexpr std::size_t kEnvironmentMax = std::size_t{1} << 20;
    std::error_code error;
    for (fs::directory_iterator entry("/proc", error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::error_code unknown;  // of another user, or over
        if (fs::read_symlink(entry->path() / "cwd", unknown) != folder || unknown) continue;
        const auto environment = config::read_file(entry->path() / "environ", kEnvironmentMax);
        if (!environment) continue;
        const std::string all = std::string(1, '\0') + *environment;
        if (all.find(std::string("\0HEADWAY_SESSION=", 17)) != std::string::npos) return true;
    }
    return false;
}

Observer::Observer(Setup setup, Daemon& daemon)
    : setup_(std::move(setup)), daemon_(daemon), since_(seconds_now()), began_(steady_now()) {}

void Observer::run(int stop) {
    Backoff backoff;
    look_at_all();
    std::string agents;
    for (const std::string& agent : setup_.agents)
        agents += (agents.empty() ? "" : ", ") + agent;
    setup_.say("observes " + agents);
    SteadyTime next_look = steady_now() + (all_watched_ ? setup_.rescan : kPollEvery);
    for (;;) {
        if (steady_now() >= next_look) {
            look_at_all();
            next_look = steady_now() + (all_watched_ ? setup_.rescan : kPollEvery);
        }
        bool more = false;
        bool again = false;
        for (Observed* const one : by_age()) {
            if (!one->changed && one->due.empty() && !is_due(*one)) continue;
            if (more && one->in_copy) continue;  // what an older file holds is not its own
            const Step step = advance(*one);
            more = more || step == Step::kMore;
            again = again || step == Step::kRetry;
            if (again) break;  // so would the others
        }
        if (!again) backoff.reset();
        const auto rest = std::chrono::ceil<milliseconds>(next_due(next_look) - steady_now());
        const milliseconds pause = again  ? backoff.next()
                                   : more ? milliseconds{0}
                                          : std::max(rest, milliseconds{0});
        const StoreWatch::Seen seen = watch_.wait(pause, stop);
        if (seen.stop) return;
        take_changes(seen);
        if (seen.lost) next_look = steady_now();
        if (seen.files.empty() || again) continue;
        const StoreWatch::Seen rest_of_them = watch_.wait(kGather, stop);
        if (rest_of_them.stop) return;
        take_changes(rest_of_them);
        if (rest_of_them.lost) next_look = steady_now();
    }
}

/// A new file, or one that is not watched, or one whose change was missed.
void Observer::look_at_all() {
    FoundStores found = find_stores(setup_.environment, setup_.agents);
    all_watched_ = watch_.watch(found.folders);
    std::erase_if(found.files, [this](const StoreFile& file) {
        const double least = since_ - static_cast<double>(setup_.recent.count()) / 1'000.0;
        return static_cast<double>(file.changed) / 1e9 < least;
    });
    // The newest, where there are too many.
    std::sort(found.files.begin(), found.files.end(),
              [](const StoreFile& a, const StoreFile& b) { return a.changed > b.changed; });
    if (found.files.size() > kFollowedMax) found.files.resize(kFollowedMax);
    std::map<std::string, Observed> kept;
    for (StoreFile& file : found.files) {
        const std::string path = file.path.string();
        const auto known = files_.find(path);
        if (known == files_.end()) {
            kept.emplace(path, Observed{ObservedFile(std::move(file), since_)})
                .first->second.journal.take_from(began_);
            continue;
        }
        Observed& one = known->second;
        one.changed = one.changed || one.file.is_behind(file);
        kept.emplace(path, std::move(one));
    }
    files_ = std::move(kept);
}

void Observer::take_changes(const StoreWatch::Seen& seen) {
    for (const std::string& path : seen.files) {
        const auto known = files_.find(path);
        if (known != files_.end()) known->second.changed = true;
    }
}

Observer::Step Observer::advance(Observed& one) {
    if (one.standing == Standing::kLeft) {
        one.changed = false;
        return Step::kDone;
    }
    const bool full = one.held.is_full(steady_now());
    if (one.reports.empty() && one.due.empty() && !full) {
        const auto read = one.file.read(kReportsMax, one.reports);
        if (!read) return leave(one, read.error().detail);
        copied_.drop(one.file.named_about().id, one.reports, one.in_copy);
        if (!one.newest.empty()) skip_known(one);
    }
    if (!one.reports.empty()) return take_reports(one);
    if (is_due(one)) return look_at_hooks(one);
    if (!one.due.empty()) {
        const Step step = find_standing(one);
        if (step != Step::kDone || one.standing == Standing::kLeft) return step;
        return deliver(one, one.due);
    }
    if (full) return Step::kDone;  // the next look makes room
    if (!one.file.at_end()) return Step::kMore;
    // An observer before this one may have been ended in the middle of it.
    if (!one.looked) {
        const Step step = find_standing(one);
        one.looked = step != Step::kRetry;
        return step;
    }
    one.changed = one.catches_up = false;
    return Step::kDone;
}

Observer::Step Observer::take_reports(Observed& one) {
    if (const Step step = find_standing(one); step != Step::kDone) return step;
    if (one.standing == Standing::kLeft) return Step::kDone;
    if (!one.hooked) return deliver(one, one.reports);
    for (std::string& report : one.reports) {
        Json event = Json::parse(report).value_or(Json::object());
        HeldEvent held{event.text_of("type"), std::move(event["data"]), std::move(report)};
        held.other_ids = one.file.about().agent == "copilot";
        held.late = one.catches_up;
        one.held.add(std::move(held), steady_now());
    }
    one.reports.clear();
    return Step::kMore;
}

Observer::Step Observer::deliver(Observed& one, std::vector<std::string>& reports) {
    const std::size_t count = batch_of(reports);
    std::string body = "[";
    for (std::size_t i = 0; i < count; ++i)
        body += (i == 0 ? "" : ",") + reports[i];
    const HttpReply reply = daemon_.post_text(session_path(one.session, "/events"), body + "]");
    if (!reply.ok()) return is_refused(one, reply, count, reports);
    reports.erase(reports.begin(), reports.begin() + static_cast<std::ptrdiff_t>(count));
    return Step::kMore;
}

bool Observer::is_due(const Observed& one) {
    const auto look = one.held.next_look();
    return one.standing != Standing::kLeft && look && steady_now() >= *look;
}

/// When something is to be done without a change of a file, at the latest at `latest`.
SteadyTime Observer::next_due(SteadyTime latest) const {
    for (const auto& [path, one] : files_) {
        if (one.standing == Standing::kLeft) continue;
        latest = std::min(latest, one.held.next_look().value_or(latest));
    }
    return latest;
}

void Observer::begin_hooked(Observed& one) {
    if (std::exchange(one.hooked, true)) return;
    setup_.say("leaves " + one.session + " alone: it reports by itself");
}

/// One event of hooks shows no more than itself: the journal decides about each call.
Observer::Step Observer::look_at_hooks(Observed& one) {
    const SteadyTime now = steady_now();
    HookJournal::With with;
    with.note = [&one](const HookJournal::Told& told) { one.held.note(told.event, told.at); };
    with.left = [] { return kLookTimeout; };
    const HookJournal::Look look = one.journal.read(daemon_, one.session, with);
    if (look.outcome == HookJournal::Outcome::kRetry) return Step::kRetry;
    if (look.outcome == HookJournal::Outcome::kRefused)
        return leave(one, "its journal cannot be read");
    if (look.more) return Step::kMore;
    for (HeldEvent& event : one.held.take(now, false, false))
        one.due.push_back(std::move(event.report));
    one.held.looked(steady_now());
    if (one.held.silent() != one.stands_in) {
        one.stands_in = one.held.silent();
        setup_.say(one.stands_in ? "follows " + one.session + ": its hooks do not report"
                                 : "leaves " + one.session + " alone: it reports by itself again");
    }
    return Step::kMore;
}

/// A batch with an event that is refused goes one by one, so that one alone is lost.
Observer::Step Observer::is_refused(Observed& one, const HttpReply& reply, std::size_t sent,
                                    std::vector<std::string>& reports) {
    if (retries(reply)) return Step::kRetry;
    const Problem problem = problem_of(reply);
    if (problem.code == "session_ended") return leave(one, "the session has ended");
    if (reply.status == 401 || reply.status == 403 || reply.status == 404)
        return leave(one, problem.detail);
    for (std::size_t i = 0; i < sent; ++i) {
        const HttpReply single =
            daemon_.post_text(session_path(one.session, "/events"), reports.front());
        if (!single.ok() && retries(single)) return Step::kRetry;
        reports.erase(reports.begin());
    }
    return Step::kMore;
}

void Observer::name(Observed& one) {
    ObservedNames names = names_of(one.file.named_about());
    one.session = std::move(names.session);
    one.parent = std::move(names.parent);
}

/// Asked before each batch: hooks may begin at any time.
Observer::Step Observer::find_standing(Observed& one) {
    if (one.session.empty()) name(one);
    for (const std::string& session : {one.parent, one.session}) {
        if (session.empty()) continue;
        const HttpReply reply = daemon_.get(session_path(session));
        if (!reply.ok() && retries(reply)) return Step::kRetry;
        if (reply.status == 404 && session == one.parent) continue;
        if (reply.status == 404 && one.standing == Standing::kOurs)
            return leave(one, "the session was deleted");
        const std::vector<std::string>& reports = one.hooked ? one.due : one.reports;
        if (reply.status == 404) return reports.empty() ? Step::kDone : open_session(one);
        const Json about = body_json(reply).value_or(Json::object());
        if (!reply.ok()) return leave(one, problem_of(reply).detail);
        if (has_hooks(about, one.file.about().agent)) {
            begin_hooked(one);
        } else if (!is_of_transcript(about)) {
            return leave(one, "it reports by itself");
        }
        if (about["recorded"].is_boolean()) {  // its past is known: it goes on in the next session
            (session == one.session ? one.session : one.parent) += kNextGeneration;
            return Step::kMore;
        }
        if (session != one.session) continue;
        if (about["ended_at"].is_string()) return leave(one, "the session has ended");
        if (one.standing == Standing::kOurs) return Step::kDone;
        const Json newest = newest_events(session);
        if (others_report(newest)) begin_hooked(one);
        one.standing = Standing::kOurs;
        if (!is_of_transcript(about)) return Step::kDone;
        // Observed before: the daemon knows what it has got, and gets what it missed.
        const auto opened = parse_time(about.text_of("opened_at"));
        if (!opened) return Step::kDone;
        one.reports.clear();
        one.catches_up = true;
        if (!one.hooked) one.newest = newest_id(newest);
        one.journal.take_from(SteadyTime::min());
        one.file.start_over(
            std::min(since_, static_cast<double>(opened->time_since_epoch().count()) / 1'000.0));
        return Step::kMore;
    }
    return Step::kDone;
}

Observer::Step Observer::open_session(Observed& one) {
    const StoredAbout& about = one.file.about();
    if (is_supervised_in(about.project))
        return leave(one, "a supervised command works in its folder");
    const HttpReply reply =
        daemon_.put_text(session_path(one.session), opening_with_policy(about, one.parent));
    if (!reply.ok() && retries(reply)) return Step::kRetry;
    if (!reply.ok() && reply.status != 409) return leave(one, problem_of(reply).detail);
    one.standing = reply.ok() ? Standing::kOurs : Standing::kUnknown;  // another was faster
    if (reply.ok()) setup_.say("follows " + one.session);
    return reply.ok() ? Step::kDone : Step::kMore;
}

Json Observer::newest_events(const std::string& session) {
    const HttpReply reply = daemon_.get(session_path(session, kNewest));
    return body_json(reply).value_or(Json::object());
}

/// Nothing is skipped where that report is not in the file any more, or lies in the past.
void Observer::skip_known(Observed& one) {
    const std::string id = R"("event_id":")" + one.newest + '"';
    const auto known =
        std::find_if(one.reports.begin(), one.reports.end(),
                     [&id](const std::string& report) { return report.find(id) != report.npos; });
    const bool found = known != one.reports.end();
    one.reports.erase(one.reports.begin(), found ? known + 1 : known);
    if (!found && !one.file.at_end()) return;
    one.newest.clear();
    if (!found) one.file.start_over();
}

Observer::Step Observer::leave(Observed& one, const std::string& why) {
    one.standing = Standing::kLeft;
    one.changed = false;
    one.reports.clear();
    one.due.clear();
    one.held.clear();
    const std::string& name = one.session.empty() ? one.file.file().path.string() : one.session;
    setup_.say("leaves " + name + " alone: " + why);
    return Step::kDone;
}

}  // namespace headway::cli
