// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/judgement/estimate_scores.hpp"
#include "storage/base/keys.hpp"

namespace headway::storage {

/// Estimates of progress and their scores: a part of the Store, with the same thread, transactions
/// and errors.
class EstimateTable {
public:
    virtual ~EstimateTable() = default;

    /// Stores the estimate until the end of its session; keeps at most the newest
    /// limits::kEstimatesKeptMax.
    virtual core::Result<> add_estimate(SessionKey key, const core::EstimateMade& estimate) = 0;
    /// Returns and removes the session's estimates, oldest first.
    virtual core::Result<std::vector<core::EstimateMade>> take_estimates(SessionKey key) = 0;
    /// Adds `score` to the stored score with the same source, model and decile. Models beyond
    /// limits::kEstimateModelsMax share the name "other".
    virtual core::Result<> add_estimate_score(const core::EstimateScore& score) = 0;
    virtual core::Result<std::vector<core::EstimateScore>> estimate_scores() = 0;
};

}  // namespace headway::storage
