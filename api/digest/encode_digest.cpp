// SPDX-License-Identifier: Apache-2.0
#include "api/digest/digest.hpp"
#include "api/digest/digest_sums.hpp"
#include "api/json/json_writer.hpp"
#include "core/budgets/budget.hpp"

namespace headway::api {
namespace {

void write_digest_use(JsonWriter& json, const core::DigestUse& use) {
    json.member("calls", use.calls);
    json.member("tokens", use.tokens);
    json.key("cost_usd");
    if (use.cost_micros == 0 && use.unpriced > 0) {
        json.null();
    } else {
        json.value(core::dollars(use.cost_micros));
    }
    json.member("unpriced_tokens", use.unpriced);
}

void write_sums(JsonWriter& json, std::string_view name, const DigestSums& sums) {
    json.key(name);
    json.open_array();
    for (const DigestSum& sum : sums) {
        json.open_object();
        json.member("name", sum.name);
        json.member("sessions", sum.sessions);
        write_digest_use(json, sum.use);
        json.close_object();
    }
    json.close_array();
}

void write_ended(JsonWriter& json, const DigestRow& row) {
    json.open_object();
    json.member("session", row.id);
    json.member("outcome", row.facts.outcome);
    json.member("at", row.facts.ended_at);
    json.member("reason", row.facts.end_reason);
    json.member("agent", row.agent);
    json.member("goal", row.goal);
    member_or_null(json, "parent", row.parent);
    write_digest_use(json, row.facts.use);
    json.close_object();
}

void write_loops(JsonWriter& json, const DigestRow& row) {
    for (const core::DigestLoop& loop : row.facts.loops) {
        json.open_object();
        json.member("session", row.id);
        json.member("goal", row.goal);
        json.member("at", loop.at);
        json.member("reason", loop.reason);
        json.key("over");
        if (loop.over.empty()) {
            json.null();
        } else {
            json.value(loop.over);
        }
        write_digest_use(json, loop.spent);
        json.close_object();
    }
}

void write_resumes(JsonWriter& json, const DigestRow& row) {
    for (const core::DigestResume& resume : row.facts.resumes) {
        json.open_object();
        json.member("session", row.id);
        json.member("goal", row.goal);
        json.member("at", resume.at);
        json.member("reason", resume.why);
        json.close_object();
    }
}

void write_decided(JsonWriter& json, const DigestRow& row) {
    const core::DigestDecisions& decided = row.facts.decided;
    if (decided == core::DigestDecisions{}) return;
    json.open_object();
    json.member("session", row.id);
    json.member("goal", row.goal);
    json.member("approved", decided.approved);
    json.member("rejected", decided.rejected);
    json.member("answered", decided.answered);
    json.member("expired_approved", decided.expired_approved);
    json.member("expired_rejected", decided.expired_rejected);
    json.close_object();
}

void write_waiting(JsonWriter& json, const DigestRow& row) {
    if (!row.open || row.verdict != core::Verdict::kWaiting) return;
    json.open_object();
    json.member("session", row.id);
    json.member("goal", row.goal);
    json.member("reason", row.reason);
    json.member("phase", row.phase);
    json.close_object();
}

template <class Write>
void write_rows(JsonWriter& json, std::string_view name, const DigestDocument& digest,
                Write write) {
    json.key(name);
    json.open_array();
    for (const DigestRow& row : digest.rows)
        write(json, row);
    json.close_array();
}

void write_silence(JsonWriter& json, const DigestDocument& digest) {
    json.key("longest_silence");
    const DigestRow* row = longest_silence(digest);
    if (row == nullptr) return json.null();
    json.open_object();
    json.member("session", row->id);
    json.member("from", row->facts.silent_from);
    json.member("ms", row->facts.silence.count());
    json.close_object();
}

}  // namespace

void append_digest(std::string& out, const DigestDocument& digest) {
    JsonWriter json{out};
    json.open_object();
    json.member("since", digest.since);
    json.member("until", digest.until);
    json.member("partial", digest.partial);
    json.member("sessions", static_cast<std::uint64_t>(digest.rows.size()));
    write_rows(json, "ended", digest, [](JsonWriter& to, const DigestRow& row) {
        if (row.facts.outcome) write_ended(to, row);
    });
    json.key("needs_you");
    json.open_array();
    for (const Need& need : digest.needs) {
        std::string text;
        append_need(text, need);
        json.raw(text);
    }
    json.close_array();
    json.member("needs_you_total", digest.needs_total);
    write_rows(json, "decided", digest, write_decided);
    write_rows(json, "resumed", digest, write_resumes);
    write_rows(json, "waiting", digest, write_waiting);
    write_rows(json, "loops", digest, write_loops);
    write_silence(json, digest);
    json.key("used");
    json.open_object();
    write_digest_use(json, total_of(digest));
    json.close_object();
    write_sums(json, "by_agent", sums_by_agent(digest));
    write_sums(json, "by_model", sums_by_model(digest));
    write_sums(json, "by_label", sums_by_label(digest));
    json.close_object();
}

}  // namespace headway::api
