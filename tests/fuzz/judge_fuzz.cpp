// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "api/judge/judge_answer.hpp"
#include "core/base/limits.hpp"
#include "core/redaction/secrets.hpp"
#include "tests/fuzz/bytes.hpp"

// A model may answer anything: none of it gets out of its bounds.

using namespace headway;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = tests::Bytes{data, size}.rest();
    constexpr std::array<std::uint64_t, 4> kShown{2, 3, 5, 80};
    const api::StatusAnswer status = api::read_status_answer(text, kShown);
    tests::require(status.answer.has_value() == status.error.empty());
    tests::require(status.confidence >= 0 && status.confidence <= 1);
    tests::require(status.reason.kept.size() <= core::limits::kJudgeReasonBytesMax);
    for (const std::uint64_t n : status.evidence)
        tests::require(n == 2 || n == 3 || n == 5 || n == 80);

    const api::EstimateAnswer estimate = api::read_estimate_answer(text);
    tests::require(estimate.percent.has_value() == estimate.error.empty());
    const double percent = estimate.percent.value_or(0);
    tests::require(percent >= 0 && percent <= 100);
    tests::require(estimate.blockers.size() <= core::limits::kJudgeBlockersMax);

    static const core::SecretFinder secrets;
    std::string redacted;
    const bool changed = secrets.append_redacted(redacted, text);
    tests::require(changed == (redacted != text));
    return 0;
}
