// SPDX-License-Identifier: Apache-2.0
#include "core/calls/command_parts.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace headway::core;

namespace {

std::vector<std::string> parts_of(std::string_view command) {
    const CommandParts parts{command};
    return {parts.begin(), parts.end()};
}

}  // namespace

TEST_CASE("command parts: a line is cut at its operators, not within quotes", "[core]") {
    using Parts = std::vector<std::string>;
    CHECK(parts_of("cd /x && make; ls | wc") == Parts{"cd /x", "make", "ls", "wc"});
    CHECK(parts_of("echo 'a; b' || true") == Parts{"echo 'a; b'", "true"});
    CHECK(parts_of("ls 2>&1") == Parts{"ls 2>&1"});
    CHECK(parts_of("cat <<EOF > f\nrm -rf x\nEOF\nls") == Parts{"cat <<EOF > f", "ls"});
    CHECK(parts_of(" ;; \n ").empty());
}

TEST_CASE("command parts: what stands before a command", "[core]") {
    CHECK(plain_command("sudo env FOO=1 timeout 5 make test") == "make test");
    CHECK(plain_command("while ! pgrep x") == "pgrep x");
    CHECK(plain_command("timeout") == "timeout");
    std::string buffer;
    CHECK(without_options("kubectl -n shop --v=2 get pods", buffer) == "kubectl get pods");
    CHECK(without_options("ls -l", buffer) == "ls -l");
    CHECK(without_options("git -C", buffer) == "git ");
}

TEST_CASE("command parts: where output goes", "[core]") {
    CHECK(redirects("echo a > f"));
    CHECK(redirects("echo a >>./f"));
    CHECK(redirects("echo a > \"$F\""));
    CHECK_FALSE(redirects("ls 2>&1"));
    CHECK_FALSE(redirects("ls >/dev/null"));
    CHECK_FALSE(redirects("jq '.a->.b'"));
}

TEST_CASE("command parts: comments for people are left out, content is not", "[core]") {
    CHECK(without_comments("make deploy # try 3") == "make deploy");
    CHECK(without_comments("# only this\nmake") == "\nmake");
    CHECK(without_comments("echo '# not one' \"# nor this\"") == "echo '# not one' \"# nor this\"");
    CHECK(without_comments("curl http://x/#part") == "curl http://x/#part");
    const char* const document = "cat > f <<EOF\n# a title\nEOF";
    CHECK(without_comments(document) == document);
}

TEST_CASE("command parts: a line of any shape is read to its end once", "[core]") {
    for (const char* part :
         {"timeout ", "FOO=1 ", "sudo ", "while ", "> ", "' ", "# ", "&& ", ";", "<<A "}) {
        std::string line;
        for (int i = 0; i < 2'000; ++i)
            line += part;
        std::string buffer;
        CHECK(without_comments(line).size() <= line.size());
        CHECK(without_documents(line, buffer).size() <= line.size() + 1);
        CHECK(parts_of(line).size() <= 2'000);
    }
}
