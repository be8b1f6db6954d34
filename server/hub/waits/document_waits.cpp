// SPDX-License-Identifier: Apache-2.0
#include "server/hub/waits/document_waits.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "core/approvals/approvals.hpp"

namespace headway::server {
namespace {

/// All documents of a session, as a subject. No document has an id with a space.
std::string documents_of(std::string_view session) {
    return "of " + std::string{session};
}

/// The first answer may name the session of an id that does not.
std::vector<std::string> subjects_of(const std::string& id) {
    const std::size_t session = id.find('?');  // of a check
    if (session != std::string::npos) return {id, documents_of(id.substr(session + 1))};
    const auto ref = core::parse_approval_id(id);
    return {id, documents_of(ref ? ref->session : "")};
}

/// Retry interval after a full queue.
constexpr core::Millis kAgain{100};

}  // namespace

core::Result<> DocumentWaits::add(const ReplyTo& to, std::string id, core::Timestamp deadline,
                                  const std::string& caller) {
    HEADWAY_CHECK(waits_.make_room(caller, 1, [this](const Place& place, const core::Error& error) {
        give_up(place, error);
    }));
    const Place place = waits_.place_of(to);
    waits_.add(place, {id}, Wait{id}, caller);
    waits_.wait_for(place, subjects_of(id));
    waits_.look_at(place, deadline);
    return {};
}

void DocumentWaits::give_up(const Place& place, const core::Error& error) {
    refuse_(waits_.reply_to(place), error);
    waits_.remove(place);  // a document that is on its way is dropped
}

bool DocumentWaits::keeps_waiting(const ReplyTo& to, bool pending, const std::string& id) {
    const Place place = waits_.place_of(to);
    Wait* const wait = waits_.find(place);
    if (wait == nullptr) return false;
    wait->asked = false;
    if (!pending || wait->last) {
        waits_.remove(place);
        return false;
    }
    if (id.empty() || id == wait->id) return true;
    wait->id = id;
    waits_.wait_for(place, subjects_of(id));
    return true;
}

void DocumentWaits::answered(const ReplyTo& to) {
    waits_.remove(waits_.place_of(to));
}

void DocumentWaits::notify(const std::string& id) {
    for (const Place& place : waits_.waiting_for(id))
        finish(place, waits_.at(place));
}

void DocumentWaits::look_again(const std::string& session) {
    for (const std::string& subject : {documents_of(session), documents_of("")}) {
        for (const Place& place : waits_.waiting_for(subject))
            query(place, waits_.at(place));
    }
}

void DocumentWaits::drop_connection(std::uint64_t connection) {
    for (const Place& place : waits_.of_connection(connection))
        waits_.remove(place);
}

void DocumentWaits::expire(core::Timestamp now) {
    for (const Place& place : waits_.due(now)) {
        Wait& wait = waits_.at(place);
        finish(place, wait);
        // The queue was full: try again soon.
        const bool again = !wait.last && now != core::kNever;
        waits_.look_at(place, again ? now + kAgain : core::kNever);
    }
}

void DocumentWaits::query(const Place& place, Wait& wait) {
    if (!wait.asked) wait.asked = ask_(waits_.reply_to(place), wait.id);
}

/// Queries the document that will be the answer. A query in flight suffices: its document is newer
/// than the change.
void DocumentWaits::finish(const Place& place, Wait& wait) {
    query(place, wait);
    wait.last = wait.asked;
}

}  // namespace headway::server
