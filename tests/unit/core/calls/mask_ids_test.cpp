// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "core/calls/mask.hpp"

using namespace headway::core;

namespace {

std::string masked_answer(std::string_view text) {
    std::string out;
    append_masked(out, text);
    return out;
}

using Pair = std::pair<const char*, const char*>;

}  // namespace

TEST_CASE("mask: an id that a tool makes up for each answer makes no answer new", "[mask]") {
    const Pair cases[] = {
        {"uid=1_0 RootWebArea \"Shop\"\n  uid=1_1 button \"Buy\"",
         "uid=27_0 RootWebArea \"Shop\"\n  uid=27_1 button \"Buy\""},
        {"- button \"Buy\" [ref=s2e12]", "- button \"Buy\" [ref=s13e12]"},
        {"Error 500. Request id: req_a8Sd7fKj2Lq9Zx", "Error 500. Request id: req_Zq1Lm4Np8Rt6Yw"},
        {"failed (Request ID: 8F3KQ2M1ZB0CD4)", "failed (Request ID: XB77Q0LMA91K23)"},
        {"AccessDenied: no, RequestId: 8F3KQ2M1, HostId: q1W2e3R4t5Y6u7I8o9P0aSdF/+g= end",
         "AccessDenied: no, RequestId: 1ZB0CD4X, HostId: zX1cV2bN3m4A5s6D7f8G9hJk/+l= end"},
        {"see req_1a2B3c4D5e6F7g8H", "see req_9z8Y7x6W5v4U3t2S"},
        {"{\"message\":\"x\",\"request_id\":\"abc123def\"} request_id=abc123def",
         "{\"message\":\"x\",\"request_id\":\"fed321cba\"} request_id=fed321cba"},
        {"HTTP/2 500\ndate: Mon, 30 Nov 2026 10:00:11 GMT\nx-amz-cf-id: aB3dE6gH9jK2mN5p==\n"
         "etag: \"9f8e7d6c5b4a3210\"\n\n{\"message\":\"Internal\"}",
         "HTTP/2 500\ndate: Mon, 30 Nov 2026 10:07:12 GMT\nx-amz-cf-id: qQ3wW6eE9rR2tT5y==\n"
         "etag: \"0123a4b5c6d7e8f9\"\n\n{\"message\":\"Internal\"}"},
        {"HTTP/1.1 200 OK\r\nETag: W/\"9f8e7d6c5b4a\"\r\n\r\nhello",
         "HTTP/1.1 200 OK\r\nETag: W/\"1a2b3c4d5e6f\"\r\n\r\nhello"},
        {"HTTP/2 403\ncf-ray: 8f3a2b1c0d9e8f7a-FRA\n"
         "set-cookie: __cf_bm=aB3dE6gH9jK2mN5pQ8sT; path=/\n\nno",
         "HTTP/2 403\ncf-ray: 1a2b3c4d5e6f7a8b-FRA\n"
         "set-cookie: __cf_bm=zZ9yY8xX7wW6vV5uU4tT; path=/\n\nno"},
        {"< x-request-id: f00ba4b4z1\n< server: x", "< x-request-id: b4zf00ba42\n< server: x"},
        {"x-vercel-id: fra1::iad1-a1b2c3d4e5f6a7b8", "x-vercel-id: fra1::iad1-b8a7f6e5d4c3b2a1"},
        {"<script nonce=\"aB3dE6gH9j\">a()</script>", "<script nonce=\"Zz9yY8xX7w\">a()</script>"},
        {"Dropped refs/stash@{0} (9f8e7d6c5b4a32100123a4b5c6d7e8f90a1b2c3d)",
         "Dropped refs/stash@{0} (0123a4b5c6d7e8f99f8e7d6c5b4a32100a1b2c3e)"},
        {"https://b.s3.x/a?X-Amz-Date=20261130T100000Z&X-Amz-Signature=9f8e7d6c5b4a3210ab",
         "https://b.s3.x/a?X-Amz-Date=20261130T100700Z&X-Amz-Signature=0123a4b5c6d7e8f9ba"},
        {"script-src 'nonce-aB3dE6gH9j'", "script-src 'nonce-Zz9yY8xX7w'"},
    };
    for (const auto& [one, other] : cases) {
        CAPTURE(one);
        CHECK(masked_answer(one) == masked_answer(other));
        CHECK(masked_answer(one) != one);
    }
}

TEST_CASE("mask: other elements, pages, items and counts stay different", "[mask]") {
    const Pair cases[] = {
        {"uid=1_1 button \"Buy\"", "uid=1_2 button \"Buy\""},
        {"uid=1_1 button \"Buy\"", "uid=1_1 button \"Sell\""},
        {"uid=1000", "uid=1001"},
        {"uid=1_x7", "uid=2_x7"},
        {"[ref=s2e12]", "[ref=s2e13]"},
        {"[ref=e12]", "[ref=e13]"},
        {"[ref=s2]", "[ref=s3]"},
        {"ref=s2024edition", "ref=s2025edition"},
        {"request id: 17", "request id: 18"},
        {"request id 123456789", "request id 123456780"},
        {"user id: ab12cd34", "user id: ab12cd35"},
        {"host id: web12a", "host id: web13a"},
        {"HostId: i-0abc123", "HostId: i-0abc124"},
        {"pull request idea: x12345", "pull request idea: x12346"},
        {"req_a1", "req_a2"},
        {"x-user-id: u12345", "x-user-id: u12346"},
        {"x-count: 9", "x-count: 8"},
        {"HTTP/2 200\netag: \"9f8e7d6c5b4a3210\"\n", "HTTP/2 200\netag: \"0123a4b5c6d7e8f9\"\n"},
        {"HTTP/2 200\netag: \"9f8e7d6c5b4a3210\"\n\none",
         "HTTP/2 200\netag: \"9f8e7d6c5b4a3210\"\n\ntwo"},
        {"set-cookie: theme=dark7; path=/", "set-cookie: theme=light7; path=/"},
        {"set-cookie: a=aB3dE6gH9jK2mN5pQ8sT; path=/",
         "set-cookie: b=aB3dE6gH9jK2mN5pQ8sT; path=/"},
        {"HTTP/2 200\ncf-ray: 8f3a2b1c0d9e8f7a-FRA\n",
         "HTTP/2 403\ncf-ray: 8f3a2b1c0d9e8f7a-FRA\n"},
        {"content-length: 12", "content-length: 13"},
        {"HEAD is at (9f8e7d6c5b4a3210)", "HEAD is at (0123a4b5c6d7e8f9)"},
        {"https://b.s3.x/a?X-Amz-Date=20261130T100000Z",
         "https://b.s3.x/b?X-Amz-Date=20261130T100000Z"},
        {"x-amz-version-id: ab", "x-amz-version-id: ac"},
        {"commit 9f8e7d6c5b4a3210", "commit 0123a4b5c6d7e8f9"},
        {"nonce=7", "nonce=8"},
        {"9 failed", "8 failed"},
        {"page-x12345", "page-x12346"},
    };
    for (const auto& [one, other] : cases) {
        CAPTURE(one);
        CHECK(masked_answer(one) != masked_answer(other));
    }
}

TEST_CASE("mask: an adversarial text of ids is masked in one pass", "[mask]") {
    // A megabyte of each; a search that is not linear would exceed the test's time limit.
    constexpr std::size_t kBytes = 1U << 20;
    for (const std::string piece :
         {"uid=1", "uid=1_", "ref=s1", "req_", "request id: ", "id:id:", "etag: \"aaaa1111\"\n",
          "x-a-id: ", "set-cookie: a=", "nonce=\"", "a=a=", ": : ", "d d d ", "-", "req_a-"}) {
        std::string text;
        while (text.size() < kBytes)
            text += piece;
        CHECK(!masked_answer(text).empty());
    }
}
