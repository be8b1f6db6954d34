// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>

#include "api/json/json_document.hpp"
#include "core/values/watch.hpp"
#include "server/engine/base/commit_times.hpp"
#include "server/engine/base/known_answers.hpp"
#include "server/engine/base/settings.hpp"
#include "server/engine/base/stats.hpp"
#include "server/engine/cluster/cluster.hpp"
#include "server/engine/residents/hook_channels.hpp"
#include "server/engine/residents/session_tree.hpp"
#include "server/engine/residents/sessions.hpp"
#include "server/engine/transaction/days.hpp"
#include "storage/store/store.hpp"

namespace headway::server {

class BackupCopy;
class JudgeScheduler;
class VerdictHour;
class WebhookScheduler;

/// Logs each damaged session once.
class DamageLog {
public:
    explicit DamageLog(EngineReport report) : report_(std::move(report)) {}
    void say(storage::SessionKey session, const std::string& line) {
        say_once(said_, session, line);
    }
    /// Logs harmless damage of a session once, separately from say().
    void say_harmless(storage::SessionKey session, const std::string& line) {
        say_once(said_harmless_, session, line);
    }

private:
    using Said = std::unordered_set<storage::SessionKey>;
    static constexpr std::size_t kSaidMax = 1'000;  ///< further sessions are not logged

    void say_once(Said& record, storage::SessionKey session, const std::string& line) {
        if (record.size() < kSaidMax && record.insert(session).second) report_(true, line);
    }

    EngineReport report_;
    Said said_;
    Said said_harmless_;
};

/// State that belongs to the engine and is used by its readers, transactions and started
/// operations. Engine thread only.
struct EngineContext {
    storage::Store& store;
    const Clock& clock;
    const core::Watch& watch;
    EngineSettings& settings;
    Sessions& sessions;
    SessionTree& tree;
    JudgeScheduler& judges;
    WebhookScheduler& webhooks;
    HookChannels& channels;
    BackupCopy& backup;
    const CommitTimes& commits;
    DamageLog& damage;
    DaysHeld& days;
    Cluster* cluster;             ///< null while no other daemon writes to the store
    api::JsonDocument& document;  ///< parses the arguments of approvals
    EngineStats& stats;           ///< figures as of the last commit
    const VerdictHour& hour;
    /// True if nothing can be written any more, or from a failed commit until the sessions are in
    /// memory again.
    bool unavailable = false;
    KnownAnswers answers = {};
};

}  // namespace headway::server
