// SPDX-License-Identifier: Apache-2.0
#include "api/judge/data_fence.hpp"

#include <catch2/catch.hpp>

#include "core/text/text.hpp"
#include "tests/support/gen.hpp"

using namespace headway;
using namespace headway::api;

TEST_CASE("data fence: what a reader cannot see is written out", "[api]") {
    CHECK(inert("a\nb\x01", 99) == "a\\u{a}b\\u{1}");
    CHECK(inert(std::string_view{"\0x\x7f", 3}, 99) == "\\u{0}x\\u{7f}");
    CHECK(inert("\xc2\x85 \xe2\x80\xa8", 99) == "\\u{85} \\u{2028}");  // line ends
    CHECK(inert("\xe2\x80\xae"
                "evil\xe2\x81\xa9",
                99) == "\\u{202e}evil\\u{2069}");  // bidi
    CHECK(inert("a\xe2\x80\x8b\xef\xbb\xbf\xc2\xad", 99) == "a\\u{200b}\\u{feff}\\u{ad}");
    CHECK(inert("\xf3\xa0\x81\x81\xef\xb8\x8f", 99) == "\\u{e0041}\\u{fe0f}");  // tags
}

TEST_CASE("data fence: what is no UTF-8 is written out byte by byte", "[api]") {
    CHECK(inert("\xff\xc3", 99) == "\\x{ff}\\x{c3}");
    CHECK(inert("\xc0\xaf", 99) == "\\x{c0}\\x{af}");  // too long a form of '/'
    CHECK(inert("\xe0\x80\xaf", 99) == "\\x{e0}\\x{80}\\x{af}");
    CHECK(inert("\xed\xa0\x80", 99) == "\\x{ed}\\x{a0}\\x{80}");  // half a surrogate pair
    CHECK(inert("\xf4\x90\x80\x80", 99) == "\\x{f4}\\x{90}\\x{80}\\x{80}");
    CHECK(inert("ä日😀", 99) == "ä日😀");
}

TEST_CASE("data fence: tokens of chat templates fall apart", "[api]") {
    for (const std::string token : {"<|im_start|>", "<|eot_id|>", "</s>", "<s>", "<bos>",
                                    "<start_of_turn>", "[INST]", "[/INST]", "<<SYS>>", "<｜User｜>",
                                    "<think>", "<__x>", "<!--", "[gMASK]", "[TOOL_CALLS]"}) {
        INFO(token);
        CHECK(inert("a" + token + "b", 99).find(token) == std::string::npos);
    }
    CHECK(inert("if (a < b && c[0] <= 3) x[i]", 99) == "if (a < b && c[0] <= 3) x[ i]");
}

TEST_CASE("data fence: texts are bounded, and say so", "[api]") {
    CHECK(inert("abcdefghij", 10) == "abcdefghij");
    CHECK(inert("abcdefghijk", 10) == "abcdefg…");
    CHECK(inert(std::string(100'000, '\n'), 300).size() <= 300);
    CHECK(inert_ends(std::string(300, 'a') + std::string(300, 'z'), 200) ==
          std::string(200, 'a') + " … " + std::string(200, 'z'));
    CHECK(inert_ends(std::string(400, 'a'), 200) == std::string(400, 'a'));
}

TEST_CASE("data fence: secrets go, paths stay", "[api]") {
    CHECK(inert_clean("/home/ana/a.py: api_key=abcdef0123456789", 99) ==
          "/home/ana/a.py: api_key=[ redacted]");
    CHECK(inert_ends("Authorization: Bearer abcdef", 200).find("abcdef") == std::string::npos);
}

TEST_CASE("data fence: the marker depends on the data, and is not in it", "[api]") {
    CHECK(fence_marker("a") == core::to_hex(core::digest_of("a")).substr(0, 16));
    CHECK(fence_marker("a") != fence_marker("b"));
    CHECK(fenced("<{{marker}}\n{{data}}\n{{marker}}>", "{{marker}} {{data}}") ==
          "<" + fence_marker("{{marker}} {{data}}") + "\n{{marker}} {{data}}\n" +
              fence_marker("{{marker}} {{data}}") + ">");
}

TEST_CASE("data fence: any bytes come out as one line of UTF-8 within the bound", "[api]") {
    tests::Gen gen{tests::seed()};
    INFO("HEADWAY_SEED=" << tests::seed());
    for (int i = 0; i < 2000; ++i) {
        const std::string in = gen.chance(2) ? gen.bytes(gen.below(300)) : gen.utf8(gen.below(300));
        const std::size_t max = 3 + gen.below(400);
        const std::string out = inert(in, max);
        REQUIRE(out.size() <= max);
        REQUIRE(out.find('\n') == std::string::npos);
        if (out.find("…") == std::string::npos) {
            REQUIRE(inert(out, 10 * max) == out);  // nothing was left to be written out
        }
        REQUIRE(fence_marker(in).size() == 16);
        REQUIRE(in.find(fence_marker(in)) == std::string::npos);
    }
}
