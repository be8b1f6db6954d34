// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/scanned_session.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <variant>

#include "cli/base/text.hpp"
#include "core/meters/prices.hpp"
#include "core/text/text.hpp"

namespace headway::cli {
namespace {

constexpr double kStoredSecondsMax = 1e10;  // the year 2286

std::optional<double> cost_of_use(const StoredUse& use) {
    static const core::Prices kPrices{};
    const auto price = core::price_of(kPrices, use.model);
    if (!price) return std::nullopt;
    core::Usage usage;
    usage.input_tokens = use.tokens.input;
    usage.cached_tokens = use.tokens.cached;
    usage.cache_write_tokens = use.tokens.cache_write;
    usage.output_tokens = use.tokens.output;
    usage.reasoning_tokens = use.tokens.reasoning;
    return core::cost_of(*price, usage);
}

}  // namespace

void SessionScan::take(StoredLine& stored, std::size_t line) {
    // Before agents were, or so late that it is no time.
    if (stored.seconds && !(*stored.seconds > 0 && *stored.seconds < kStoredSecondsMax))
        stored.seconds.reset();
    if (stored.seconds) pass(*stored.seconds);
    for (core::Event& event : stored.events) {
        if (const auto* call = std::get_if<core::ToolFinished>(&event.payload))
            note_call(*call, stored.seconds.value_or(0));
        report(std::move(event), line);
    }
    if (stored.use) add_use(*stored.use);
}

ScannedSession SessionScan::finish(const StoredAbout& about, std::size_t open_calls) {
    session_.about = about;
    for (std::string* word : {&session_.about.id, &session_.about.parent, &session_.about.project,
                              &session_.about.model, &session_.about.version})
        if (word->size() > kStoredWordBytesMax) *word = cut_bytes(*word, kStoredWordBytesMax);
    session_.open_calls = open_calls;
    session_.lines = lines;
    session_.broken = broken;
    session_.timeline = judge().finish();
    session_.last = session_.timeline.last;
    return std::move(session_);
}

std::string broken_lines_of(const ScannedSession& session) {
    return std::to_string(session.broken) + " of " + std::to_string(session.lines) +
           (session.lines == 1 ? " line" : " lines") +
           (session.broken == 1 ? " is damaged" : " are damaged");
}

std::string not_understood(const ScannedSession& session) {
    return session.file + ": holds no session that is understood; " + broken_lines_of(session);
}

void SessionScan::pass(double seconds) {
    if (session_.began == 0) session_.began = session_.ended = seconds;
    const double passed = seconds - session_.ended;
    if (passed <= 0) return;
    session_.ended = seconds;
    if (passed > kGapSeconds) return;
    session_.worked += passed;
    if (session_.stuck) session_.worked_after_stuck += passed;
}

void SessionScan::note_call(const core::ToolFinished& call, double seconds) {
    // A fork copies the time with the id. By itself an id says little: some servers number them.
    const std::string key = call.call_id + " " + std::to_string(std::llround(seconds * 1'000));
    const std::uint64_t digest = core::digest_of(key).low & ~std::uint64_t{1};
    session_.calls.push_back(digest | (call.ok ? 0 : 1));
    if (call.error && call.error->error_class == "denied") ++session_.refused;
}

EventJudge& SessionScan::judge() {
    if (!judge_) {
        const std::chrono::milliseconds began{std::llround(session_.began * 1'000)};
        judge_.emplace(options_, core::SessionStarted{},
                       session_.began > 0 ? core::Timestamp{began} : kRecordingZero);
    }
    return *judge_;
}

void SessionScan::report(core::Event event, std::size_t line) {
    const double since = session_.ended - session_.began;
    const auto at = std::chrono::milliseconds{std::llround(since * 1'000)};
    judge().report(std::move(event), at, line);
    const auto& verdicts = judge().timeline().verdicts;
    for (; seen_ < verdicts.size(); ++seen_)
        note(std::get<core::VerdictChanged>(verdicts[seen_].event.payload));
}

void SessionScan::note(const core::VerdictChanged& verdict) {
    auto* alarm = verdict.to == core::Verdict::kStuck     ? &session_.stuck
                  : verdict.to == core::Verdict::kBlocked ? &session_.blocked
                                                          : nullptr;
    if (alarm == nullptr || *alarm) return;
    *alarm = ScannedAlarm{judge().timeline().calls, session_.ended, verdict.reason};
}

void SessionScan::add_use(const StoredUse& use) {
    const std::uint64_t answer = core::digest_of(use.answer).low;
    const CountedUse counted{answer,         use.tokens.sum(),    cost_of_use(use),
                             session_.ended, place_of(use.model), session_.stuck.has_value()};
    // Each part of an answer is a line with its use so far.
    const bool again = !session_.uses.empty() && session_.uses.back().answer == answer;
    if (!again) {
        session_.uses.push_back(counted);
    } else if (counted.tokens > session_.uses.back().tokens) {
        session_.uses.back() = counted;
    }
}

std::uint32_t SessionScan::place_of(const std::string& text) {
    const std::string model{cut_bytes(text, kStoredWordBytesMax)};
    const auto known = places_.find(model);
    if (known != places_.end()) return known->second;
    if (session_.models.size() >= kModelsMax) {
        if (session_.models.size() == kModelsMax) session_.models.emplace_back(kOtherModels);
        return kModelsMax;
    }
    const auto place = static_cast<std::uint32_t>(session_.models.size());
    session_.models.push_back(model);
    places_.emplace(model, place);
    return place;
}

}  // namespace headway::cli
