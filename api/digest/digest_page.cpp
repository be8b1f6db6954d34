// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "api/digest/digest.hpp"
#include "api/digest/digest_sums.hpp"
#include "core/budgets/budget.hpp"
#include "core/budgets/expectations.hpp"
#include "core/text/text.hpp"
#include "core/text/visible.hpp"
#include "core/views/view.hpp"

namespace headway::api {
namespace {

using Section = DigestPage::Section;

constexpr std::size_t kLinesMax = 30;
/// Lines of one session in a section: many more would hide the others.
constexpr std::size_t kLinesOfSessionMax = 3;
constexpr std::size_t kTextBytesMax = 300;
/// So that the reason behind it is still in a notification, whose lines are short.
constexpr std::size_t kGoalBytesMax = 80;
constexpr std::chrono::hours kDay{24};

/// On one line: goals and reasons often have several, and an escaped line end is hard to read.
std::string shown(std::string_view text, std::size_t bytes_max = kTextBytesMax) {
    std::string line;
    for (const char c : text) {
        const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
        if (!blank) {
            line += c;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    if (line.ends_with(' ')) line.pop_back();
    return core::shortened(core::visible(line), bytes_max);
}

/// A person knows a session by its goal; its id is what commands take.
std::string named(std::string_view session, std::string_view goal) {
    const std::string text = shown(goal, kGoalBytesMax);
    return text.empty() ? shown(session) : shown(session) + " (" + text + ")";
}

std::string named(const DigestRow& row) {
    return named(row.id, row.goal);
}

/// "budget exhausted"
std::string words_of(std::string_view name) {
    std::string words{name};
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
}

std::string with_reason(std::string text, std::string_view reason) {
    return reason.empty() ? text : text + ": " + shown(reason);
}

/// "1,140,000"
std::string grouped(std::uint64_t count) {
    std::string digits = std::to_string(count);
    for (std::size_t at = digits.size(); at > 3; at -= 3)
        digits.insert(at - 3, 1, ',');
    return digits;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    return grouped(count) + " " + std::string{count == 1 ? one : many};
}

std::string money_text(const core::DigestUse& use) {
    const bool silent = use.calls > 0 && use.tokens == 0;
    if (use.cost_micros == 0 && (use.unpriced > 0 || silent)) return "cost not known";
    const std::uint64_t cents = (use.cost_micros + 5'000) / 10'000;
    const std::uint64_t rest = cents % 100;
    return (use.unpriced > 0 ? "at least $" : "$") + std::to_string(cents / 100) +
           (rest < 10 ? ".0" : ".") + std::to_string(rest);
}

std::string use_text(const core::DigestUse& use) {
    if (use.calls > 0 && use.tokens == 0 && use.cost_micros == 0)
        return counted(use.calls, "call", "calls") + ", tokens not reported";
    return counted(use.calls, "call", "calls") + ", " + counted(use.tokens, "token", "tokens") +
           ", " + money_text(use);
}

std::string agent_text(const core::AgentInfo& agent) {
    return shown(agent.name.empty() ? agent.type : agent.name);
}

/// Within a day of the digest's end without the date, which its heading has.
std::string at_text(const DigestDocument& digest, core::Timestamp at) {
    std::string text = core::minute_text(at);
    if (at <= digest.until && digest.until - at < kDay) text.erase(0, text.find(' ') + 1);
    return text;
}

std::string need_text(const Need& need) {
    switch (need.kind) {
        case NeedKind::kApproval:
            if (need.risk == core::Risk::kCritical) return "critical approval";
            return need.risk == core::Risk::kHigh ? "high-risk approval" : "approval";
        case NeedKind::kOverBudget:
            return "near its budget";
        case NeedKind::kWaiting:
            return "waits in vain";
        case NeedKind::kFanOut:
            return "too many sub-agents";
        default:
            return std::string{name_of(need.kind)};
    }
}

/// A completed part of another session's work: its end alone is no news.
bool is_completed_part(const DigestRow& row) {
    return row.facts.outcome == core::Outcome::kCompleted && !row.parent.empty();
}

/// So many lines, and how many more there are.
Section bounded(Section section) {
    if (section.lines.size() <= kLinesMax) return section;
    const std::size_t more = section.lines.size() - kLinesMax;
    section.lines.resize(kLinesMax);
    section.lines.push_back("and " + std::to_string(more) + " more");
    return section;
}

std::string more_text(std::string_view session, std::size_t more) {
    return shown(session) + ", and " + std::to_string(more) + " more";
}

/// Sessions that ended, and how they ended, except completed parts of others.
struct EndedCount {
    std::uint64_t all = 0;
    std::uint64_t completed = 0;
    std::uint64_t failed() const { return all - completed; }
};

EndedCount count_ended(const DigestDocument& digest) {
    EndedCount count;
    for (const DigestRow& row : digest.rows) {
        if (!row.facts.outcome || is_completed_part(row)) continue;
        ++count.all;
        if (row.facts.outcome == core::Outcome::kCompleted) ++count.completed;
    }
    return count;
}

/// The first ones of each session, in their order, and how many more it has.
Section needs_section(const DigestDocument& digest) {
    Section section{"Needs you", {}, "Nothing waits for a person."};
    // A login that failed has ended its session: no request waits, and a person is needed.
    if (const std::uint64_t failed = count_ended(digest).failed(); failed > 0) {
        section.empty = "Nothing waits for a person, but " +
                        counted(failed, "session has", "sessions have") +
                        " ended without completing: see below.";
    }
    std::map<std::string_view, std::size_t> of_session;
    for (const Need& need : digest.needs)
        ++of_session[need.session];
    std::map<std::string_view, std::size_t> shown_of;
    for (const Need& need : digest.needs) {
        const std::size_t place = shown_of[need.session]++;
        if (place == kLinesOfSessionMax)
            section.lines.push_back(more_text(need.session, of_session[need.session] - place));
        if (place >= kLinesOfSessionMax) continue;
        std::string line = named(need.session, need.goal) + ", " + need_text(need) + " since " +
                           at_text(digest, need.since);
        section.lines.push_back(with_reason(std::move(line), need.reason));
    }
    if (digest.needs_total > digest.needs.size() && !section.lines.empty())
        section.lines.push_back(std::to_string(digest.needs_total) + " in all");
    return section;
}

Section ended_section(const DigestDocument& digest) {
    Section section{"Ended", {}, "No session ended."};
    std::uint64_t parts = 0;
    for (const bool completed : {false, true}) {
        for (const DigestRow& row : digest.rows) {
            const auto& outcome = row.facts.outcome;
            if (!outcome || (*outcome == core::Outcome::kCompleted) != completed) continue;
            if (is_completed_part(row)) {
                ++parts;
                continue;
            }
            std::string line = named(row) + ", " + words_of(core::name_of(*outcome)) + " at " +
                               at_text(digest, row.facts.ended_at);
            const std::string agent = agent_text(row.agent);
            if (!agent.empty()) line += ", " + agent;
            line += ", " + use_text(row.facts.use);
            section.lines.push_back(with_reason(std::move(line), row.facts.end_reason));
        }
    }
    section = bounded(std::move(section));
    if (parts > 0)
        section.lines.push_back(counted(parts, "sub-agent", "sub-agents") + " completed");
    return section;
}

/// Requests of agents about which there is no decision to make any more.
Section decided_section(const DigestDocument& digest) {
    Section section{"Decided", {}, "No request was decided."};
    for (const DigestRow& row : digest.rows) {
        const core::DigestDecisions& decided = row.facts.decided;
        std::string text;
        for (const auto& [count, words] :
             {std::pair{decided.approved, " approved"}, std::pair{decided.rejected, " rejected"},
              std::pair{decided.answered, " answered"},
              std::pair{decided.expired_approved, " approved because it expired"},
              std::pair{decided.expired_rejected, " rejected because it expired"}})
            if (count > 0) text += (text.empty() ? "" : ", ") + grouped(count) + words;
        if (!text.empty()) section.lines.push_back(named(row) + ": " + text);
    }
    return section;
}

Section resumed_section(const DigestDocument& digest) {
    Section section{"Resumed", {}, "No agent was resumed."};
    for (const DigestRow& row : digest.rows) {
        if (row.facts.resumes.empty()) continue;
        const core::DigestResume& last = row.facts.resumes.back();
        std::string line = named(row) + ", " + counted(row.facts.resumed, "time", "times") +
                           ", last at " + at_text(digest, last.at);
        section.lines.push_back(with_reason(std::move(line), last.why));
    }
    return section;
}

Section waiting_section(const DigestDocument& digest) {
    Section section{"Waiting", {}, "No session waits."};
    for (const DigestRow& row : digest.rows) {
        if (!row.open || row.verdict != core::Verdict::kWaiting) continue;
        const std::string& why = row.phase.starts_with("waiting until") ? row.phase : row.reason;
        section.lines.push_back(with_reason(named(row), why));
    }
    return section;
}

Section loops_section(const DigestDocument& digest) {
    Section section{"Loops", {}, "No session was stuck."};
    for (const DigestRow& row : digest.rows) {
        const auto& loops = row.facts.loops;
        const std::size_t left_out = loops.size() - std::min(loops.size(), kLinesOfSessionMax);
        for (std::size_t i = left_out; i < loops.size(); ++i) {
            const core::DigestLoop& loop = loops[i];
            std::string line = named(row) + ", " +
                               (loop.over.empty() ? "still stuck" : words_of(loop.over)) +
                               ", from " + at_text(digest, loop.at) + ", " + use_text(loop.spent) +
                               (loop.whole ? " since it began" : " since its last progress");
            section.lines.push_back(with_reason(std::move(line), loop.reason));
        }
        if (left_out > 0) section.lines.push_back(more_text(row.id, left_out));
    }
    return section;
}

Section silence_section(const DigestDocument& digest) {
    Section section{"Longest silence", {}, "No session reported twice."};
    const DigestRow* row = longest_silence(digest);
    if (row == nullptr) return section;
    const auto ms = static_cast<std::uint64_t>(row->facts.silence.count());
    section.lines.push_back(named(*row) + ", for " + core::duration_text(ms) + " from " +
                            at_text(digest, row->facts.silent_from));
    return section;
}

void add_sums(Section& section, std::string_view what, const DigestSums& sums) {
    for (const DigestSum& sum : sums) {
        const std::string name = sum.name.empty() ? "unnamed" : shown(sum.name);
        section.lines.push_back(std::string{what} + " " + name + ": " +
                                counted(sum.sessions, "session", "sessions") + ", " +
                                use_text(sum.use));
    }
}

Section use_section(const DigestDocument& digest) {
    Section section{"Tokens and money", {}, "No session reported anything."};
    if (digest.rows.empty()) return section;
    section.lines.push_back("all: " + counted(digest.rows.size(), "session", "sessions") + ", " +
                            use_text(total_of(digest)));
    add_sums(section, "agent", sums_by_agent(digest));
    add_sums(section, "model", sums_by_model(digest));
    add_sums(section, "label", sums_by_label(digest));
    return section;
}

std::string digest_title(const DigestDocument& digest) {
    const EndedCount ended = count_ended(digest);
    std::uint64_t resumed = 0;
    std::uint64_t loops = 0;
    for (const DigestRow& row : digest.rows) {
        resumed += row.facts.resumed;
        loops += row.facts.loops.size();
    }
    std::string title =
        counted(digest.needs_total, "needs you", "need you") + ", " + grouped(ended.all) + " ended";
    if (ended.failed() > 0) title += " (" + grouped(ended.failed()) + " not completed)";
    if (resumed > 0) title += ", " + counted(resumed, "resume", "resumes");
    if (loops > 0) title += ", " + counted(loops, "loop", "loops");
    return title + ", " + money_text(total_of(digest));
}

}  // namespace

DigestRow digest_row(const core::Session& session, const core::DigestSession& facts,
                     core::Timestamp until) {
    const core::SessionState& state = session.state();
    DigestRow row;
    row.id = session.id();
    row.agent = state.about.agent;
    row.parent = state.about.parent;
    row.labels = state.about.labels;
    row.goal = goal_line(state);
    row.open = !state.ended();
    row.verdict = state.judgement->verdict;
    row.reason = state.judgement->reason;
    row.phase = state.phase;
    row.facts = facts;
    const core::Timestamp heard = std::max(facts.heard_at, state.last_beat_at);
    if (row.open && heard != core::kNever && until - heard > facts.silence) {
        row.facts.silence = until - heard;
        row.facts.silent_from = heard;
    }
    return row;
}

DigestPage digest_page(const DigestDocument& digest) {
    DigestPage page;
    page.title = digest_title(digest);
    page.span = core::minute_text(digest.since) + " to " + core::minute_text(digest.until);
    if (digest.partial) page.span += " (more happened than is read here)";
    page.sections = {bounded(needs_section(digest)),   ended_section(digest),
                     bounded(decided_section(digest)), bounded(resumed_section(digest)),
                     bounded(waiting_section(digest)), bounded(loops_section(digest)),
                     silence_section(digest),          bounded(use_section(digest))};
    return page;
}

}  // namespace headway::api
