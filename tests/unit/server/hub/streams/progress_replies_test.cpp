// SPDX-License-Identifier: Apache-2.0
#include "server/hub/streams/progress_replies.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/make.hpp"

using namespace headway::server;
using namespace headway::tests;
using headway::core::SessionView;

namespace {

SessionView view_after(std::size_t calls) {
    Story story;
    for (std::size_t i = 0; i < calls; ++i)
        (void)story.report(tool_finished("c" + std::to_string(i)), 1000);
    return headway::core::view_of(story.session);
}

headway::api::ReadingTime reading_at(std::int64_t ms) {
    return {at(ms), at(0)};
}

std::string written_anew(const SessionView& view, std::int64_t ms) {
    std::string text;
    headway::api::append_progress(text, view, reading_at(ms));
    return text;
}

}  // namespace

TEST_CASE("progress replies: a kept text says the time of each reading", "[server]") {
    ProgressReplies replies;
    const SessionView view = view_after(1);
    for (const std::int64_t ms : {1'000, 4'200, 500, 900'000})
        CHECK(replies.of({&view, 1}, reading_at(ms)).body == written_anew(view, ms));
    const SessionView untouched = view_after(0);
    for (const std::int64_t ms : {0, 900'000})
        CHECK(replies.of({&untouched, 2}, reading_at(ms)).body == written_anew(untouched, ms));
}

TEST_CASE("progress replies: another version is another text, also in the same place", "[server]") {
    ProgressReplies replies;
    const SessionView before = view_after(1);
    const SessionView after = view_after(2);
    for (const std::uint64_t later :
         {std::uint64_t{2}, 1 + headway::core::limits::kProgressTextsMax}) {
        CHECK(replies.of({&before, 1}, reading_at(2'000)).body == written_anew(before, 2'000));
        CHECK(replies.of({&after, later}, reading_at(2'000)).body == written_anew(after, 2'000));
    }
    CHECK(replies.of({&before, 1}, reading_at(2'000)).body == written_anew(before, 2'000));
}
