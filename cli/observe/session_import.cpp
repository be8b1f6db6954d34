// SPDX-License-Identifier: Apache-2.0
#include "cli/observe/session_import.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "cli/base/clock.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/client_options.hpp"
#include "cli/views/event_line.hpp"

namespace headway::cli {

void sort_for_history(std::vector<StoredSession>& sessions) {
    const auto order = [](const StoredSession& stored) {
        const ScannedSession& one = *stored.session;
        return std::make_tuple(one.began, !one.about.parent.empty(),
                               std::string_view(one.about.id));
    };
    std::sort(sessions.begin(), sessions.end(),
              [&](const StoredSession& a, const StoredSession& b) { return order(a) < order(b); });
}

bool may_run(const StoredSession& stored, double now) {
    double changed = stored.session->ended;
    // A database changes with any of its sessions.
    const StoreFormat* const format = stored.file->format;
    if (format == nullptr || format->shape != StoreShape::kDatabase)
        changed = std::max(changed, static_cast<double>(stored.file->changed) / 1e9);
    return changed > now - kMayRunSeconds;
}

SessionImport::Result SessionImport::run(const std::vector<StoredSession>& sessions) {
    std::set<std::string> done;
    for (const StoredSession& stored : sessions) {
        result_.stopped = setup_.stop();
        if (result_.stopped || result_.failure) break;
        // A resumed session may have several files, and its first is the one that was seen.
        if (!done.insert(names_of(stored.session->about).session).second) {
            leave_out("another file has the same session");
        } else if (stored.session->began <= 0) {
            leave_out("no line has a time");
        } else if (may_run(stored, setup_.now)) {
            leave_out("changed within 15 minutes: it may still run");
        } else {
            take(stored);
        }
        setup_.step();
    }
    return std::move(result_);
}

void SessionImport::take(const StoredSession& stored) {
    const std::string session = names_of(stored.session->about).session;
    const std::optional<Has> has = look(session);
    if (!has) return;
    if (*has == Has::kAll) {
        ++result_.known;
        return;
    }
    refused_.clear();
    was_known_ = false;
    const RecordedParts::Send send_part = [&](const std::string& part) {
        return send(session, part);
    };
    RecordedParts parts(*stored.session, send_part);
    if (setup_.dry_run) return try_to_begin(parts);
    const auto read = read_reports(*stored.file, stored.session->about.id,
                                   [&parts](const StoredLine& line, const StoredAbout& about) {
                                       return parts.take(line, about);
                                   });
    const bool sent = refused_.empty() && !was_known_ && !result_.failure;
    if (!read && sent) return leave_out(read.error().detail);
    const bool complete = sent && parts.finish();
    if (result_.failure) return;
    if (was_known_) {
        ++result_.known;
    } else if (!refused_.empty()) {
        leave_out(refused_);
    } else if (!complete) {
        leave_out("nothing happened in it");
    } else {
        ++result_.added;
        result_.events += parts.events();
        if (parts.cut()) ++result_.cut;
    }
}

/// The daemon checks the beginning, and stores nothing.
void SessionImport::try_to_begin(RecordedParts& parts) {
    const bool taken = parts.begin();
    if (result_.failure) return;
    if (was_known_) {
        ++result_.known;
    } else if (!taken) {
        leave_out(refused_);
    } else {
        ++result_.added;
    }
}

/// Nothing: the import has failed.
std::optional<SessionImport::Has> SessionImport::look(const std::string& session) {
    HttpReply reply = persist([&] { return daemon_.get(session_path(session)); });
    if (reply.status == 404 && problem_of(reply).code == "unknown_session") return Has::kNothing;
    // A token may write and not read; the reply to the first part tells.
    if (reply.status == 403) return Has::kPart;
    if (!reply.ok()) {
        result_.failure = std::move(reply);
        return std::nullopt;
    }
    const Json about = body_json(reply).value_or(Json::object());
    if (plain_text(about, "id") != session) return fail_with_stranger(std::move(reply));
    // An import before this one was ended in the middle of it.
    const bool part = about["recorded"].is_boolean() && !about["ended_at"].is_string();
    return part ? Has::kPart : Has::kAll;
}

/// Another server replies at this address: explained as one that has no such route.
std::nullopt_t SessionImport::fail_with_stranger(HttpReply&& reply) {
    reply.status = 404;
    reply.body.clear();
    result_.failure = std::move(reply);
    return std::nullopt;
}

bool SessionImport::send(const std::string& session, const std::string& part) {
    const std::string path =
        session_path(session, setup_.dry_run ? "/recorded?dry_run=true" : "/recorded");
    HttpReply reply = persist([&] { return daemon_.post_text(path, part); });
    if (reply.ok()) {
        const Json taken = body_json(reply).value_or(Json::object());
        if (plain_text(taken, "session") != session) {
            (void)fail_with_stranger(std::move(reply));
            return false;
        }
        was_known_ = taken["ended"] == Json(true) && taken["accepted"].number() == 0;
        return !was_known_;
    }
    const Problem problem = problem_of(reply);
    was_known_ = problem.code == "session_exists" || problem.code == "session_ended";
    if (was_known_) return false;
    if (problem.code == "unknown_session") {
        refused_ = "it was forgotten in the meantime";
    } else if (problem.code == "forbidden" && problem.field == "id") {
        refused_ = problem.detail;  // an agent may have named it so that the others stay out
    } else if (problem.code == "invalid_field") {
        refused_ = "its beginning or an event " + problem.detail;
    } else {
        result_.failure = std::move(reply);
    }
    return false;
}

/// Tries for a while where a later try may succeed.
template <class Request>
HttpReply SessionImport::persist(const Request& request) {
    const SteadyTime until = steady_now() + kReconnect;
    Backoff backoff;
    for (;;) {
        HttpReply reply = request();
        const bool first_contact = result_.added + result_.known == 0 && !reply.answered();
        if (reply.ok() || !worth_retrying(reply) || first_contact) return reply;
        if (setup_.stop() || steady_now() >= until) return reply;
        std::this_thread::sleep_for(backoff.next());
    }
}

}  // namespace headway::cli
