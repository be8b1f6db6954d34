// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "storage/sql/sql_tables.hpp"

// Messages to webhooks. Statements are prepared on demand: messages are rare compared to reports.

namespace headway::storage {
namespace {

using core::Result;

constexpr std::string_view kSelectMessage =
    "SELECT id,endpoint,message,type,session,n,at,tries,due_at,tried_at,dead_at,away,reason";

/// Conditions for the messages that a full queue gives up first, so that no agent can crowd out an
/// alarm, or a request that a person has to decide about, by ends and verdicts.
constexpr std::array<std::string_view, 3> kLeastUrgentFirst{
    " AND type NOT IN('approval.requested','approval.alarm')", " AND type<>'approval.alarm'", ""};

/// Conditions for the messages that a bounded list takes first, each without those before it.
constexpr std::array<std::string_view, 3> kMostUrgentFirst{
    " AND type='approval.alarm'", " AND type='approval.requested'",
    " AND type NOT IN('approval.requested','approval.alarm')"};

OutboxMessage message_of(const Statement& row) {
    OutboxMessage message;
    message.row = row.integer(0);
    message.endpoint = row.text(1);
    message.id = row.text(2);
    message.type = row.text(3);
    message.session = row.text(4);
    message.n = row.count(5);
    message.at = row.time(6);
    message.tries = static_cast<std::uint32_t>(row.integer(7));
    message.due_at = row.time(8);
    message.tried_at = row.time(9);
    message.dead_at = row.time(10);
    message.away = row.integer(11) != 0;
    message.reason = row.text(12);
    if (row.columns() > 13) message.body = row.text(13);
    return message;
}

}  // namespace

Result<> SqlOutbox::add_message(const OutboxMessage& message) {
    HEADWAY_TRY(Statement add,
                database_.prepare(
                    "INSERT INTO webhook_message(endpoint,message,type,session,n,at,tries,due_at,"
                    "tried_at,dead_at,away,reason,body) "
                    "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13)"));
    return add.bind(1, message.endpoint)
        .bind(2, message.id)
        .bind(3, message.type)
        .bind(4, message.session)
        .bind(5, static_cast<std::int64_t>(message.n))
        .bind(6, message.at)
        .bind(7, std::int64_t{message.tries})
        .bind(8, message.due_at)
        .bind(9, message.tried_at)
        .bind(10, message.dead_at)
        .bind(11, std::int64_t{message.away})
        .bind(12, message.reason)
        .bind(13, message.body)
        .run();
}

Result<std::optional<OutboxMessage>> SqlOutbox::next_message(std::string_view endpoint,
                                                             core::Timestamp now) {
    HEADWAY_TRY(Statement next,
                database_.prepare(std::string{kSelectMessage} +
                                  ",body FROM webhook_message WHERE endpoint=?1 AND dead_at=0 "
                                  "AND due_at<=?2 ORDER BY id LIMIT 1"));
    HEADWAY_TRY(const bool found, next.bind(1, endpoint).bind(2, now).step());
    if (!found) return std::optional<OutboxMessage>{};
    return std::optional{message_of(next)};
}

Result<std::vector<OutboxMessage>> SqlOutbox::due_messages(std::string_view endpoint,
                                                           core::Timestamp until, std::size_t limit,
                                                           std::size_t bytes_max) {
    std::vector<OutboxMessage> messages;
    std::size_t bytes = 0;
    for (const std::string_view urgent : kMostUrgentFirst) {
        if (messages.size() >= limit) break;
        HEADWAY_TRY(Statement due,
                    database_.prepare(std::string{kSelectMessage} +
                                      ",body FROM webhook_message WHERE endpoint=?1 AND dead_at=0 "
                                      "AND due_at<=?2" +
                                      std::string{urgent} + " ORDER BY id LIMIT ?3"));
        due.bind(1, endpoint)
            .bind(2, until)
            .bind(3, static_cast<std::int64_t>(limit - messages.size()));
        while (bytes < bytes_max) {
            HEADWAY_TRY(const bool found, due.step());
            if (!found) break;
            messages.push_back(message_of(due));
            bytes += messages.back().body.size();
        }
    }
    std::sort(messages.begin(), messages.end(),
              [](const OutboxMessage& a, const OutboxMessage& b) { return a.row < b.row; });
    return messages;
}

Result<std::optional<OutboxMessage>> SqlOutbox::last_away(std::string_view endpoint) {
    HEADWAY_TRY(Statement last,
                database_.prepare(std::string{kSelectMessage} +
                                  " FROM webhook_message WHERE endpoint=?1 AND dead_at=0 "
                                  "AND away=1 ORDER BY tried_at DESC,id LIMIT 1"));
    HEADWAY_TRY(const bool found, last.bind(1, endpoint).step());
    if (!found) return std::optional<OutboxMessage>{};
    return std::optional{message_of(last)};
}

Result<core::Timestamp> SqlOutbox::next_due(std::string_view endpoint) {
    HEADWAY_TRY(Statement next,
                database_.prepare("SELECT min(due_at) FROM webhook_message WHERE endpoint=?1 AND "
                                  "dead_at=0"));
    HEADWAY_TRY(const bool found, next.bind(1, endpoint).step());
    return found ? next.time(0) : core::kNever;  // NULL reads as 0
}

Result<core::Timestamp> SqlOutbox::next_urgent_due(std::string_view endpoint) {
    HEADWAY_TRY(Statement next,
                database_.prepare("SELECT min(due_at) FROM webhook_message WHERE endpoint=?1 AND "
                                  "dead_at=0 AND type IN('approval.requested','approval.alarm')"));
    HEADWAY_TRY(const bool found, next.bind(1, endpoint).step());
    return found ? next.time(0) : core::kNever;  // NULL reads as 0
}

Result<Removed> SqlOutbox::remove_message(std::int64_t row, std::string_view id) {
    HEADWAY_TRY(Statement remove,
                database_.prepare("DELETE FROM webhook_message WHERE id=?1 AND message=?2 "
                                  "RETURNING dead_at"));
    HEADWAY_TRY(const bool found, remove.bind(1, row).bind(2, id).step());
    if (!found) return Removed::kNothing;
    const Removed removed = remove.integer(0) == 0 ? Removed::kPending : Removed::kDead;
    HEADWAY_CHECK(remove.step());  // to its end
    return removed;
}

Result<> SqlOutbox::delay_message(std::int64_t row, std::string_view id,
                                  const OutboxFailure& failure, core::Timestamp due_at) {
    HEADWAY_TRY(Statement delay,
                database_.prepare("UPDATE webhook_message SET tries=?3,tried_at=?4,away=?5,"
                                  "reason=?6,due_at=?7 WHERE id=?1 AND message=?2 AND dead_at=0"));
    return delay.bind(1, row)
        .bind(2, id)
        .bind(3, std::int64_t{failure.tries})
        .bind(4, failure.at)
        .bind(5, std::int64_t{failure.away})
        .bind(6, failure.reason)
        .bind(7, due_at)
        .run();
}

Result<bool> SqlOutbox::bury_message(std::int64_t row, std::string_view id,
                                     const OutboxFailure& failure) {
    HEADWAY_TRY(Statement bury,
                database_.prepare("UPDATE webhook_message SET tries=?3,tried_at=?4,away=?5,"
                                  "reason=?6,dead_at=?4 WHERE id=?1 AND message=?2 AND dead_at=0"));
    HEADWAY_CHECK(bury.bind(1, row)
                      .bind(2, id)
                      .bind(3, std::int64_t{failure.tries})
                      .bind(4, failure.at)
                      .bind(5, std::int64_t{failure.away})
                      .bind(6, failure.reason)
                      .run());
    HEADWAY_TRY(const std::uint64_t buried, changed());
    return buried > 0;
}

/// Rows that the last statement has changed.
Result<std::uint64_t> SqlOutbox::changed() {
    HEADWAY_TRY(const std::int64_t rows, database_.changes());
    return rows < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(rows);
}

Result<std::uint64_t> SqlOutbox::bury_oldest(std::string_view endpoint, std::uint64_t count,
                                             core::Timestamp at, std::string_view reason) {
    std::uint64_t buried = 0;
    for (const std::string_view least : kLeastUrgentFirst) {
        if (buried == count) break;
        HEADWAY_TRY(
            Statement bury,
            database_.prepare("UPDATE webhook_message SET dead_at=?3,reason=?4 WHERE id IN("
                              "SELECT id FROM webhook_message WHERE endpoint=?1 AND dead_at=0" +
                              std::string{least} + " ORDER BY id LIMIT ?2)"));
        HEADWAY_CHECK(bury.bind(1, endpoint)
                          .bind(2, static_cast<std::int64_t>(count - buried))
                          .bind(3, at)
                          .bind(4, reason)
                          .run());
        HEADWAY_TRY(const std::uint64_t more, changed());
        buried += more;
    }
    return buried;
}

Result<std::uint64_t> SqlOutbox::drop_dead(std::string_view endpoint, std::uint64_t keep) {
    HEADWAY_TRY(
        Statement dead,
        database_.prepare("SELECT COUNT(*) FROM webhook_message WHERE endpoint=?1 AND dead_at>0"));
    HEADWAY_CHECK(dead.bind(1, endpoint).step());
    const std::uint64_t all = dead.count(0);
    HEADWAY_CHECK(dead.step());  // to its end
    std::uint64_t dropped = 0;
    for (const std::string_view least : kLeastUrgentFirst) {
        if (all <= keep + dropped) break;
        HEADWAY_TRY(Statement drop,
                    database_.prepare("DELETE FROM webhook_message WHERE id IN(SELECT id FROM "
                                      "webhook_message WHERE endpoint=?1 AND dead_at>0" +
                                      std::string{least} + " ORDER BY id LIMIT ?2)"));
        HEADWAY_CHECK(
            drop.bind(1, endpoint).bind(2, static_cast<std::int64_t>(all - keep - dropped)).run());
        HEADWAY_TRY(const std::uint64_t more, changed());
        dropped += more;
    }
    return dropped;
}

Result<> SqlOutbox::hurry_messages(std::string_view endpoint, core::Timestamp now) {
    HEADWAY_TRY(Statement hurry,
                database_.prepare("UPDATE webhook_message SET due_at=?2 WHERE endpoint=?1 AND "
                                  "dead_at=0 AND due_at>?2 AND away=1"));
    return hurry.bind(1, endpoint).bind(2, now).run();
}

Result<std::uint64_t> SqlOutbox::revive_oldest(std::string_view endpoint, std::uint64_t count,
                                               core::Timestamp now) {
    HEADWAY_TRY(Statement revive,
                database_.prepare("UPDATE webhook_message SET dead_at=0,tries=0,due_at=?3,away=0 "
                                  "WHERE id IN(SELECT id FROM webhook_message WHERE endpoint=?1 "
                                  "AND dead_at>0 ORDER BY id LIMIT ?2)"));
    HEADWAY_CHECK(
        revive.bind(1, endpoint).bind(2, static_cast<std::int64_t>(count)).bind(3, now).run());
    return changed();
}

Result<bool> SqlOutbox::revive_message(std::string_view endpoint, std::string_view id,
                                       core::Timestamp now) {
    HEADWAY_TRY(Statement revive,
                database_.prepare("UPDATE webhook_message SET dead_at=0,tries=0,due_at=?3,away=0 "
                                  "WHERE endpoint=?1 AND dead_at>0 AND message=?2"));
    HEADWAY_CHECK(revive.bind(1, endpoint).bind(2, id).bind(3, now).run());
    HEADWAY_TRY(const std::uint64_t revived, changed());
    return revived > 0;
}

Result<std::vector<OutboxMessage>> SqlOutbox::list_messages(std::string_view endpoint, bool dead,
                                                            std::int64_t after, std::size_t limit) {
    HEADWAY_TRY(Statement list, database_.prepare(std::string{kSelectMessage} +
                                                  " FROM webhook_message WHERE endpoint=?1 AND " +
                                                  (dead ? "dead_at>0" : "dead_at=0") +
                                                  " AND id>?2 ORDER BY id LIMIT ?3"));
    list.bind(1, endpoint).bind(2, after).bind(3, static_cast<std::int64_t>(limit));
    std::vector<OutboxMessage> messages;
    while (true) {
        HEADWAY_TRY(const bool found, list.step());
        if (!found) return messages;
        messages.push_back(message_of(list));
    }
}

Result<std::vector<OutboxEndpoint>> SqlOutbox::outbox_endpoints() {
    HEADWAY_TRY(Statement list,
                database_.prepare(
                    "SELECT name,target,disabled_at,removed_at,delivered,failed,died,dropped,"
                    "succeeded_at,failed_at,failure,"
                    "(SELECT count(*) FROM webhook_message WHERE endpoint=name AND dead_at=0),"
                    "(SELECT count(*) FROM webhook_message WHERE endpoint=name AND dead_at>0) "
                    "FROM webhook_endpoint ORDER BY name"));
    std::vector<OutboxEndpoint> endpoints;
    while (true) {
        HEADWAY_TRY(const bool found, list.step());
        if (!found) return endpoints;
        OutboxEndpoint& endpoint = endpoints.emplace_back();
        endpoint.name = list.text(0);
        endpoint.target = list.text(1);
        endpoint.disabled_at = list.time(2);
        endpoint.removed_at = list.time(3);
        endpoint.delivered = list.count(4);
        endpoint.failed = list.count(5);
        endpoint.died = list.count(6);
        endpoint.dropped = list.count(7);
        endpoint.succeeded_at = list.time(8);
        endpoint.failed_at = list.time(9);
        endpoint.failure = list.text(10);
        endpoint.pending = list.count(11);
        endpoint.dead = list.count(12);
    }
}

Result<> SqlOutbox::save_outbox_endpoint(const OutboxEndpoint& endpoint) {
    HEADWAY_TRY(Statement save,
                database_.prepare("INSERT INTO webhook_endpoint(name,target,disabled_at,removed_at,"
                                  "delivered,failed,died,dropped,succeeded_at,failed_at,failure) "
                                  "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11) ON CONFLICT(name) DO "
                                  "UPDATE SET target=excluded.target,"
                                  "disabled_at=excluded.disabled_at,removed_at=excluded.removed_at,"
                                  "delivered=excluded.delivered,failed=excluded.failed,"
                                  "died=excluded.died,dropped=excluded.dropped,"
                                  "succeeded_at=excluded.succeeded_at,"
                                  "failed_at=excluded.failed_at,failure=excluded.failure"));
    return save.bind(1, endpoint.name)
        .bind(2, endpoint.target)
        .bind(3, endpoint.disabled_at)
        .bind(4, endpoint.removed_at)
        .bind(5, static_cast<std::int64_t>(endpoint.delivered))
        .bind(6, static_cast<std::int64_t>(endpoint.failed))
        .bind(7, static_cast<std::int64_t>(endpoint.died))
        .bind(8, static_cast<std::int64_t>(endpoint.dropped))
        .bind(9, endpoint.succeeded_at)
        .bind(10, endpoint.failed_at)
        .bind(11, endpoint.failure)
        .run();
}

Result<> SqlOutbox::forget_outbox_endpoint(std::string_view name) {
    for (const char* sql : {"DELETE FROM webhook_message WHERE endpoint=?1",
                            "DELETE FROM webhook_endpoint WHERE name=?1"}) {
        HEADWAY_TRY(Statement forget, database_.prepare(sql));
        HEADWAY_CHECK(forget.bind(1, name).run());
    }
    return {};
}

}  // namespace headway::storage
