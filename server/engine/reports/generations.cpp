// SPDX-License-Identifier: Apache-2.0
#include "server/engine/reports/generations.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/limits.hpp"

namespace headway::server {
namespace {

using core::Result;

std::string generation(const std::string& session, int number) {
    return number == 1 ? session : session + "~" + std::to_string(number);
}

/// True if the generation after this one has a name that requests can address.
bool has_next(const std::string& session, int number) {
    return number < kGenerationsMax &&
           generation(session, number + 1).size() <= core::limits::kIdBytesMax;
}

/// The newest generation that is known, or 0: its names are doubled until one is unknown, then
/// halved, since only the newest has to be loaded. One that is open in memory is the newest.
Result<int> newest_known(Reader& reader, const std::string& session) {
    int known = 0;
    int unknown = kGenerationsMax + 1;
    while (unknown - known > 1) {
        const bool doubles = unknown > kGenerationsMax;
        const int number =
            doubles ? std::clamp(2 * known, 1, kGenerationsMax) : known + (unknown - known) / 2;
        const std::string id = generation(session, number);
        HEADWAY_TRY(const bool here, reader.knows(id));
        if (here) reader.look_at(id);
        (here ? known : unknown) = number;
        if (here && reader.is_open_in_memory(id)) break;
    }
    return known;
}

}  // namespace

Result<std::string> in_force(Reader& reader, const std::string& session, Begins begins) {
    HEADWAY_TRY(const int number, newest_known(reader, session));
    if (number == 0) return session;
    std::string id = generation(session, number);
    if (begins == Begins::kNever || !has_next(session, number)) return id;
    HEADWAY_TRY(const Resident* found, reader.find(id));
    if (found == nullptr) return id;
    const core::SessionState& state = found->session.state();
    if (!state.ended() && !state.about.recorded) return id;  // of the past, but not complete
    const bool goes_on = begins == Begins::kAnew || !was_stopped(state);
    return goes_on ? generation(session, number + 1) : id;
}

std::string next_generation(const std::string& session, const std::string& now) {
    int number = 1;
    if (now != session) {
        const std::string_view digits = std::string_view{now}.substr(session.size() + 1);
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    }
    return has_next(session, number) ? generation(session, number + 1) : now;
}

Result<> open_implicitly(Transaction& transaction, const std::string& session,
                         core::SessionStarted about, const Resident* before, Takes takes) {
    about.implicit = true;
    if (before != nullptr && takes == Takes::kAll)
        (void)take_rules(before->session.state(), transaction.settings().policy, about);
    std::vector<core::Event>& events = transaction.events();
    Beginning begun{session, std::move(about), true};
    begun.takes = takes;
    HEADWAY_TRY(Resident * resident, begin_after(transaction, before, std::move(begun), events));
    return transaction.append(*resident, events);
}

}  // namespace headway::server
