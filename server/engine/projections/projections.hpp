// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/engine/transaction/projection.hpp"

// Projections without state in memory. JudgeScheduler, WebhookScheduler and ExpectationProjection
// are projections too.

namespace headway::server {

/// Verdict, budget level and alarms of each session, for lists, counts and the overview.
class SessionProjection final : public Projection {
public:
    explicit SessionProjection(storage::Store& store) : store_(store) {}
    core::Result<> apply(const Appended& appended) override;
    bool takes_recorded() const override { return true; }

private:
    storage::Store& store_;
};

/// The approvals of all sessions, for the inbox.
class ApprovalProjection final : public Projection {
public:
    explicit ApprovalProjection(storage::Store& store) : store_(store) {}
    core::Result<> apply(const Appended& appended) override;

private:
    storage::Store& store_;
};

/// Estimates of progress, which are scored at the end of their session.
class EstimateProjection final : public Projection {
public:
    explicit EstimateProjection(storage::Store& store) : store_(store) {}
    core::Result<> apply(const Appended& appended) override;

private:
    storage::Store& store_;
};

/// The resources used by ended sessions, and the totals for the comparison with the old timers.
class UseProjection final : public Projection {
public:
    explicit UseProjection(storage::Store& store) : store_(store) {}
    core::Result<> apply(const Appended& appended) override;

private:
    storage::Store& store_;
};

}  // namespace headway::server
