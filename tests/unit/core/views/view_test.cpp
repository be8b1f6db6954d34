// SPDX-License-Identifier: Apache-2.0
#include "core/views/view.hpp"

#include <catch2/catch.hpp>

#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using headway::tests::at;

namespace {

SessionView view(Verdict verdict) {
    SessionView session_view;
    session_view.last_beat_at = at(0);
    session_view.heard_at = at(0);
    session_view.asked_interval = Millis{1'000};
    auto judgement = std::make_shared<Judgement>();
    judgement->verdict = verdict;
    session_view.judgement = judgement;
    session_view.ended = is_final(verdict);
    return session_view;
}

}  // namespace

TEST_CASE("view: alive means not ended and heard within two intervals", "[core]") {
    const Watch watch{at(0)};
    CHECK(is_alive(view(Verdict::kProgressing), at(1'999), watch));
    CHECK_FALSE(is_alive(view(Verdict::kProgressing), at(2'000), watch));
    CHECK_FALSE(is_alive(view(Verdict::kCompleted), at(1), watch));
}

TEST_CASE("view: an agent silent before a start is not alive until it is heard", "[core]") {
    const Watch started{at(60'000)};
    CHECK(is_alive(view(Verdict::kProgressing), at(60'001), started));
    CHECK_FALSE(is_alive(view(Verdict::kSilent), at(60'001), started));
}
