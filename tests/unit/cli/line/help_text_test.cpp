// SPDX-License-Identifier: Apache-2.0
#include "cli/line/help_text.hpp"

#include <catch2/catch.hpp>

using headway::cli::wrap_help;

TEST_CASE("help: a long description goes on under where it began", "[cli]") {
    CHECK(wrap_help("  --url TEXT      the daemon, else HEADWAY_URL\n", 32) ==
          "  --url TEXT      the daemon,\n"
          "                  else\n"
          "                  HEADWAY_URL\n");
}

TEST_CASE("help: a long example can be copied, and continues four columns in", "[cli]") {
    CHECK(wrap_help("Example:\n  headway run --label team=night -- ./agent.sh\n", 34) ==
          "Example:\n"
          "  headway run --label team=night \\\n"
          "    -- ./agent.sh\n");
    CHECK(
        wrap_help("Examples:\n  headway run -- ./agent 'fix it'\n\n  no example any more\n", 30) ==
        "Examples:\n"
        "  headway run -- ./agent \\\n"
        "    'fix it'\n"
        "\n"
        "  no example any more\n");
    CHECK(wrap_help("Example:\n  jq -r '[.file, .verdict] | @tsv'\n", 20) ==
          "Example:\n"
          "  jq -r \\\n"
          "    '[.file, .verdict] | @tsv'\n");
    CHECK(wrap_help("  not an example, so a text\n", 20) == "  not an example, so\n    a text\n");
}

TEST_CASE("help: paragraphs are filled again, and what was short stays", "[cli]") {
    const std::string words =
        "Opens a session, passes standard input, output and signals through,\n"
        "and reports.\n";
    CHECK(wrap_help(words, 50) ==
          "Opens a session, passes standard input, output and\n"
          "signals through, and reports.\n");
    CHECK(wrap_help("Options:\nUsage: x\n\n\nExamples:\n", 50) ==
          "Options:\nUsage: x\n\nExamples:\n");
}

TEST_CASE("help: a word longer than the screen stays whole", "[cli]") {
    const std::string url = "http://127.0.0.1:7717/a/rather/long/path";
    CHECK(wrap_help("see " + url + " there\n", 20) == "see\n" + url + "\nthere\n");
    CHECK(wrap_help("  " + url + "\n", 20) == "  " + url + "\n");
}
