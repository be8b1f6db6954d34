// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <utility>

#include "api/hooks/texts/mutation.hpp"
#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Edits of comments as a hook sees them.

using namespace headway::tests::catalogue;
using headway::core::Verdict;

namespace {

/// An edit of a file as the hooks of Claude Code report it: with the file before it.
Call hooked_edit(std::string_view path, std::string_view file, std::string_view before,
                 std::string_view after) {
    std::vector<headway::core::Mutation> mutated;
    headway::api::hooks::add_edited(mutated, std::string{path}, file, {before, after});
    return edit(path, before, after).mutates(path, mutated.at(0).digest);
}

/// An edit of one of many parts of a file; those before it are edited already.
Call part_edit(std::string_view path, std::string_view before, std::string_view after, int part) {
    std::string file;
    for (int i = 0; i < 50; ++i)
        file += with(i < part ? after : before, i);
    return hooked_edit(path, file, with(before, part), with(after, part));
}

/// The same without the file, as Copilot's hooks report it.
Call partial_edit(std::string_view path, std::string_view before, std::string_view after) {
    std::vector<headway::core::Mutation> mutated;
    headway::api::hooks::add_edited(mutated, std::string{path}, std::nullopt, {before, after});
    Call one = call("edit", R"({"path":)" + quoted(path) + R"(,"old_str":)" + quoted(before) +
                                R"(,"new_str":)" + quoted(after) + "}");
    for (const headway::core::Mutation& file : mutated)
        one.mutates(path, file.digest);
    return one.result("done");
}

Call hooked_write(std::string_view path, std::string_view content) {
    std::vector<headway::core::Mutation> mutated;
    headway::api::hooks::add_written(mutated, std::string{path}, content);
    return write_file(path, content).mutates(path, mutated.at(0).digest);
}

}  // namespace

TEST_CASE("edits of comments that a hook reports are no progress") {
    Agent agent{Hook::kDigests};
    for (int i = 0; i < 20; ++i) {
        const std::string before = with("# try {}", i);
        agent
            .does(hooked_edit("a.py", "x = 1\n" + before + "\nprint(x)\n", before,
                              with("# try {}", i + 1)))
            .does(bash("python a.py").result("1"));
    }
    expect_stuck(agent);

    Agent adds{Hook::kDigests};
    std::string file = "print(x)\n";
    for (int i = 0; i < 20; ++i) {
        const std::string after = with("// because of {}\n", i) + "print(x)";
        adds.does(hooked_edit("a.js", file, "print(x)", after))
            .does(bash("node a.js").result("ERROR: boom"));
        file = with("// because of {}\n", i) + file;
    }
    expect_stuck(adds);

    Agent writes{Hook::kDigests};
    for (int i = 0; i < 20; ++i)
        writes.does(hooked_write("a.html", with("<!-- version {} -->\n<p>Hello</p>\n", i)))
            .does(bash("node render.js").result("Hello"));
    expect_stuck(writes);
}

TEST_CASE("a look at the file between edits of its comments and a run is no progress either") {
    for (const auto& [hook, look] :
         {std::pair{Hook::kDigests, read_file("a.py")}, std::pair{Hook::kDigests, bash("cat a.py")},
          std::pair{Hook::kDigests, bash("cd src && git diff")},
          std::pair{Hook::kFinished, read_file("a.py")}}) {
        Agent agent{hook};
        for (int i = 0; i < 40; ++i) {
            const std::string before = with("# set to {}", i);
            const std::string after = with("# set to {}", i + 1);
            agent.does(hooked_edit("a.py", "x = 1\n" + before + "\nprint(x)\n", before, after))
                .does(Call{look}.result("x = 1\n" + after + "\nprint(x)\n"))
                .does(bash("python a.py").result("ERROR: boom"));
        }
        expect_stuck(agent);
    }
}

TEST_CASE("edits of code beside comments, and of prose, are progress as a hook reports them") {
    Agent code{Hook::kDigests};
    for (int i = 0; i < 20; ++i)
        code.does(hooked_edit("a.py", with("x = {}  # try\n", i), with("x = {}", i),
                              with("x = {}", i + 1)))
            .does(bash("python a.py").result("1"));
    expect_progress(code);

    Agent prose{Hook::kDigests};
    for (int i = 0; i < 20; ++i)
        prose
            .does(hooked_edit("README.md", with("# Part {}\n", i), with("# Part {}", i),
                              with("# Part {}", i + 1)))
            .does(bash("mkdocs build").result("INFO - Documentation built"));
    expect_progress(prose);

    Agent documents{Hook::kDigests};
    for (int i = 0; i < 30; ++i)
        documents.does(hooked_edit(with("src/part_{}.py", i), "def f():\n    pass\n",
                                   "def f():", "# Does nothing yet.\ndef f():"));
    expect_progress(documents);
}

TEST_CASE(
    "comments between edits of code are no return to an earlier content, whatever is reported") {
    for (const Hook hook : {Hook::kDigests, Hook::kFinished}) {
        Agent agent{hook, R"({"profile":"strict"})"};
        for (int i = 0; i < 3; ++i)
            agent.does(partial_edit("a.py", with("x = {}", i), with("x = {}", i + 1)))
                .does(partial_edit("a.py", with("# set {}", i), with("# set {}", i + 1)));
        INFO(agent.trace());
        CHECK_FALSE(agent.ever(Verdict::kSuspect));
    }
}

TEST_CASE("documentation that is added to one file, with a lint behind each part, is progress") {
    struct Style {
        const char* path;
        const char* bare;
        const char* documented;
    };
    const Style styles[] = {
        {"a.ts", "function f{}();\n", "/** Part {}. */\nfunction f{}();\n"},
        {"a.rs", "fn f{}();\n", "/// Part {}.\nfn f{}();\n"},
        {"a.go", "func f{}()\n", "// f{} is a part.\nfunc f{}()\n"},
        {"a.py", "def f{}():\n    x\n", "def f{}():\n    \"\"\"Part {}.\"\"\"\n    x\n"}};
    for (const Style& style : styles) {
        for (const Hook hook : {Hook::kDigests, Hook::kFinished}) {
            Agent agent{hook};
            for (int i = 0; i < 40; ++i)
                agent.does(part_edit(style.path, style.bare, style.documented, i))
                    .does(bash("npm run lint").result("> lint\n> eslint .\n"));
            INFO(style.path);
            expect_progress(agent);
        }
    }
}

TEST_CASE(
    "comments that are added one by one, with a green check behind each, are no loop for long") {
    for (const Hook hook : {Hook::kDigests, Hook::kFinished}) {
        Agent agent{hook};
        for (int i = 0; i < 30; ++i)
            agent.does(part_edit("a.py", "x = {}\n", "# Part {}.\nx = {}\n", i))
                .does(bash("pytest -q").result(pytest_green(12)));
        expect_never_stuck(agent);
        for (int i = 0; i < 30; ++i)
            agent.does(bash("pytest -q").result(pytest_green(12)));
        expect_stuck(agent);
    }
}

TEST_CASE("comments that are edited behind red checks are a loop") {
    for (const Hook hook : {Hook::kDigests, Hook::kFinished}) {
        Agent agent{hook};
        for (int i = 0; i < 12; ++i) {
            const std::string before = with("# set to {}", i);
            agent
                .does(hooked_edit("a.py", before + "\nx = 1\n", before, with("# set to {}", i + 1)))
                .does(bash("pytest -q").fails(pytest_red(1, 11, "assert 3 == 4")));
        }
        expect_stuck(agent);
    }
}
