// SPDX-License-Identifier: Apache-2.0
#include "cli/records/offline_judge.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "api/decode/decode.hpp"
#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"
#include "cli/records/journal_judge.hpp"
#include "cli/records/report_fields.hpp"
#include "core/session/session.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kRecordedLongest{static_cast<std::int64_t>(kRecordedSecondsMax) * 1'000};

core::Error at_line(std::size_t line, core::Error error) {
    if (!error.field.empty()) error.detail = error.field + " " + error.detail;
    error.detail = std::to_string(line) + ": " + error.detail;
    return error;
}

// The recording's clock as ours: it begins at the opening and never runs backwards.
class RecordingClock {
public:
    explicit RecordingClock(const Recording& recording) : zero_(recording.opened) {}

    core::Timestamp at(const RecordedEvent& event) {
        if (!event.seconds) return now_ += std::chrono::seconds{1};
        if (!zero_) zero_ = *event.seconds;
        const double passed = std::clamp(*event.seconds - *zero_, 0.0, kRecordedSecondsMax);
        now_ = std::max(now_, kRecordingZero + milliseconds{std::llround(passed * 1'000.0)});
        return now_;
    }

private:
    std::optional<double> zero_;
    core::Timestamp now_ = kRecordingZero;
};

void override_policy(core::PolicyOverride& policy, const core::PolicyOverride& by) {
    core::for_each_field<core::PolicyOverride>([&](const auto& field, std::size_t) {
        using Member = std::remove_cvref_t<decltype(by.*(field.member))>;
        if (by.*(field.member) != Member{}) policy.*(field.member) = by.*(field.member);
    });
}

}  // namespace

class EventJudge::Judge {
public:
    Judge(const JudgeOptions& options, core::SessionStarted about, core::Timestamp opened)
        : options_(options), opened_(opened), session_("recording"), heard_at_(opened) {
        context_.now = opened;
        context_.watch = opened;
        if (options.opinion) {
            rules_.primary = "judge";
            context_.judge = &rules_;
        }
        override_policy(about.policy, options.policy);
        session_.open(std::move(about), core::Policy{}, context_, out_);
        keep(0);
    }

    void report(core::Event event, core::Timestamp now, std::size_t line) {
        if (!event.event_id.empty() && !seen_.insert(event.event_id).second) {
            ++timeline_.duplicates;
            return;
        }
        if (!session_.admit({&event, 1})) {
            ++timeline_.refused;
            return;
        }
        ++timeline_.events;
        note_silence(now);
        if (const auto* call = std::get_if<core::ToolFinished>(&event.payload)) note_call(*call);
        context_.now = now;
        session_.report({&event, 1}, context_, out_);
        answer_checks();
        keep(line);
    }

    /// Acknowledges the newest advice to change the approach; nothing without one.
    void acknowledge(core::Timestamp now, std::size_t line) {
        const auto& issued = timeline_.directives;
        const auto newest = std::find_if(issued.rbegin(), issued.rend(), [](const Step& step) {
            return std::get<core::DirectiveIssued>(step.event.payload).kind ==
                   core::DirectiveKind::kChangeApproach;
        });
        if (newest == issued.rend()) return;
        core::Event event;
        event.payload =
            core::DirectiveAcknowledged{std::get<core::DirectiveIssued>(newest->event.payload).id};
        report(std::move(event), now, line);
    }

    const Timeline& timeline() const { return timeline_; }

    Timeline finish() {
        timeline_.last = *session_.judgement();
        return std::move(timeline_);
    }

private:
    void note_silence(core::Timestamp now) {
        const milliseconds passed = now - heard_at_;
        if (passed >= std::chrono::minutes{10} && !timeline_.quiet_10)
            timeline_.quiet_10 = timeline_.calls;
        if (passed >= std::chrono::minutes{30} && !timeline_.quiet_30)
            timeline_.quiet_30 = timeline_.calls;
        heard_at_ = now;
    }

    void note_call(const core::ToolFinished& call) {
        ++timeline_.calls;
        const core::Digest question =
            call.fingerprint ? call.fingerprint->question : core::digest_of(call.tool);
        row_ = question == question_ ? row_ + 1 : 1;
        question_ = question;
        if (row_ == 3 && !timeline_.same_3) timeline_.same_3 = timeline_.calls;
        if (row_ == 5 && !timeline_.same_5) timeline_.same_5 = timeline_.calls;
    }

    void answer_checks() {
        while (!session_.state().ended() && !session_.state().checks->pending.empty()) {
            core::CheckCompleted done;
            done.check_id = session_.state().checks->pending.front().check_id;
            done.answer = options_.opinion;
            done.evidence = {session_.state().n};
            done.confidence = 1;
            session_.complete_check(std::move(done), context_, out_);
        }
    }

    void keep(std::size_t line) {
        for (core::Event& event : out_) {
            const core::EventType type = core::type_of(event.payload);
            const bool verdict = type == core::EventType::kVerdictChanged;
            if (verdict || type == core::EventType::kDirectiveIssued) {
                auto& steps = verdict ? timeline_.verdicts : timeline_.directives;
                steps.push_back({event, line, timeline_.calls, event.at - opened_});
            }
            if (options_.keep_journal) {
                timeline_.journal.push_back({std::move(event), line, timeline_.calls});
            }
        }
        out_.clear();
    }

    const JudgeOptions& options_;
    const core::Timestamp opened_;
    core::Session session_;
    core::JudgeRules rules_;
    core::Context context_;
    std::vector<core::Event> out_;
    std::unordered_set<std::string> seen_;
    Timeline timeline_;
    core::Timestamp heard_at_;
    core::Digest question_;
    std::size_t row_ = 0;
};

EventJudge::EventJudge(const JudgeOptions& options, core::SessionStarted about,
                       core::Timestamp opened)
    : opened_(opened), judge_(std::make_unique<Judge>(options, std::move(about), opened)) {}

EventJudge::~EventJudge() = default;

void EventJudge::report(core::Event event, milliseconds at, std::size_t line) {
    judge_->report(std::move(event), moved_to(at), line);
}

void EventJudge::acknowledge(milliseconds at, std::size_t line) {
    judge_->acknowledge(moved_to(at), line);
}

core::Timestamp EventJudge::moved_to(milliseconds at) {
    now_ = std::clamp(at, now_, std::max(now_, kRecordedLongest));
    return opened_ + now_;
}

const Timeline& EventJudge::timeline() const {
    return judge_->timeline();
}

Timeline EventJudge::finish() {
    return judge_->finish();
}

core::Result<core::PolicyOverride> policy_of(const std::vector<std::string>& words) {
    std::vector<std::string> pairs;
    for (const std::string& word : words) {
        core::Profile profile{};
        pairs.push_back(core::parse_name(word, profile) ? "profile=" + word : word);
    }
    const auto data = build_data("", pairs);
    if (!data) return data.error();
    api::JsonDocument document;
    auto open = api::decode_open(document, dump({{"policy", *data}}));
    if (!open) {
        core::Error error = open.error();
        const std::size_t key = error.field.rfind('/');
        const std::string_view between = error.detail.starts_with("must ") ? " " : ": ";
        if (key != std::string::npos)
            error.detail = error.field.substr(key + 1).append(between).append(error.detail);
        return error;
    }
    return open->about.policy;
}

ReadFor reading_for(const JudgeOptions& options) {
    const bool as_it_was = options.policy == core::PolicyOverride{} && !options.opinion;
    return as_it_was ? ReadFor::kJudge : ReadFor::kJudgeAgain;
}

core::Result<Timeline> judge_recording(Recording recording, const JudgeOptions& options,
                                       api::JsonDocument& document) {
    if (!recording.journal.empty())
        return judge_journal(std::move(recording.journal), options.keep_journal);
    auto open = api::decode_open(document, recording.open);
    if (!open) return at_line(1, open.error());
    EventJudge judge(options, std::move(open->about));
    RecordingClock clock(recording);
    std::size_t unreadable = 0;
    bool timed = false;
    std::string first;
    for (RecordedEvent& recorded : recording.events) {
        timed = timed || recorded.seconds.value_or(0) > 0;
        if (recorded.acknowledges) {
            judge.acknowledge(clock.at(recorded) - kRecordingZero, recorded.line);
            continue;
        }
        if (!recorded.event && !options.lenient)
            return at_line(recorded.line, recorded.event.error());
        if (!recorded.event) {
            if (unreadable++ == 0) first = at_line(recorded.line, recorded.event.error()).detail;
            continue;
        }
        judge.report(*std::move(recorded.event), clock.at(recorded) - kRecordingZero,
                     recorded.line);
    }
    Timeline timeline = judge.finish();
    timeline.timed = timed;
    timeline.unreadable = unreadable;
    timeline.first_unreadable = std::move(first);
    return timeline;
}

}  // namespace headway::cli
