// SPDX-License-Identifier: Apache-2.0
#include "core/detection/classify.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/names.hpp"

using namespace headway::core;

namespace {

using Purpose = CallKind;

/// A tool by its name alone.
struct NamedTool {
    const char* tool;
    Purpose kind;
};

/// A call of a shell with that command.
struct ShellLine {
    const char* command;
    Purpose kind;
};

void expect_kind(const ShellLine& line) {
    CAPTURE(line.command);
    CHECK(kind_of_call("bash", line.command) == line.kind);
    CHECK(kind_of_call("run", line.command) == line.kind);  // the command tells, not the tool
}

}  // namespace

TEST_CASE("classify: a tool is known by the words of its name", "[core]") {
    const NamedTool cases[] = {
        {"read_file", Purpose::kRead},
        {"ReadFile", Purpose::kRead},
        {"list-dir", Purpose::kRead},
        {"WebFetch", Purpose::kRead},
        {"browser.extract", Purpose::kRead},
        {"Grep", Purpose::kRead},
        {"write_file", Purpose::kEdit},
        {"str_replace_editor", Purpose::kEdit},
        {"MultiEdit", Purpose::kEdit},
        {"apply_patch", Purpose::kEdit},
        {"install_package", Purpose::kEdit},
        {"run_tests", Purpose::kVerify},
        {"runTests", Purpose::kVerify},
        {"ide-diagnostics", Purpose::kVerify},
        {"get_job_status", Purpose::kPoll},
        {"write_stdin", Purpose::kPoll},
        {"TaskOutput", Purpose::kPoll},
        {"wait_for_job", Purpose::kPoll},
        {"sleep", Purpose::kSleep},
        {"Sleep", Purpose::kSleep},
        {"noop", Purpose::kSleep},
        {"pause", Purpose::kSleep},
        {"git_commit", Purpose::kCommit},
        {"pushBranch", Purpose::kCommit},
        {"merge_pull", Purpose::kCommit},
        {"TodoWrite", Purpose::kPlan},
        {"update_plan", Purpose::kPlan},
        {"sequential_thinking", Purpose::kOther},
        {"think", Purpose::kPlan},
        {"scratchpad", Purpose::kPlan},
        {"deploy", Purpose::kOther},
        {"http", Purpose::kOther},
        {"", Purpose::kOther},
        {"___", Purpose::kOther},
    };
    for (const NamedTool& c : cases) {
        DYNAMIC_SECTION("'" << c.tool << "'") {
            CHECK(kind_of_call(c.tool, "") == c.kind);
        }
    }
}

TEST_CASE("classify: a text editor's command is a verb, no line of a shell", "[core]") {
    struct Editing {
        const char* tool;
        const char* command;
        Purpose kind;
    };
    const Editing cases[] = {
        {"str_replace_editor", "view", Purpose::kRead},
        {"str_replace_based_edit_tool", "str_replace", Purpose::kEdit},
        {"text_editor", "undo_edit", Purpose::kEdit},
        {"file_editor", "Create", Purpose::kEdit},
        {"developer__text_editor", "write", Purpose::kEdit},
        {"fs_write", "append", Purpose::kEdit},
        {"edit", "make it compile", Purpose::kEdit},
        {"workbench", "insert", Purpose::kEdit},
        {"workbench", "open", Purpose::kRead},
        {"editor", "a_verb_of_tomorrow", Purpose::kEdit},
    };
    for (const Editing& c : cases) {
        CAPTURE(c.tool, c.command);
        CHECK(kind_of_editing(c.tool, c.command, true) == c.kind);
    }
    CHECK(kind_of_editing("str_replace_editor", "view", false) == Purpose::kRead);
    for (const char* command : {"", "make test", "cat a.txt", "write"}) {
        CAPTURE(command);
        CHECK_FALSE(kind_of_editing("bash", command, true));
    }
    CHECK_FALSE(kind_of_editing("workbench", "write", false));
    CHECK_FALSE(kind_of_editing("workbench", "pytest -q", true));
    CHECK_FALSE(kind_of_editing("run_in_folder", "make", true));
}

TEST_CASE("classify: whole words count, parts of words do not", "[core]") {
    for (const char* tool : {"readiness", "planet", "testament", "editorial", "committee",
                             "sleepless", "statuses", "gettext"}) {
        CAPTURE(tool);
        CHECK(kind_of_call(tool, "") == Purpose::kOther);
    }
    // An abbreviation in capitals is one word with what follows it.
    CHECK(kind_of_call("HTTPGet", "") == Purpose::kOther);
    CHECK(kind_of_call("httpGet", "") == Purpose::kRead);
}

TEST_CASE("classify: of several words the least significant kind wins", "[core]") {
    CHECK(kind_of_call("write_plan", "") == Purpose::kPlan);
    CHECK(kind_of_call("read_status", "") == Purpose::kPoll);
    CHECK(kind_of_call("get_commit", "") == Purpose::kRead);
    CHECK(kind_of_call("commit_tests", "") == Purpose::kCommit);
    CHECK(kind_of_call("fix_build", "") == Purpose::kVerify);
    CHECK(kind_of_call("pause_job", "") == Purpose::kOther);  // a sleep is one word alone
}

TEST_CASE("classify: a tool whose name is a command is that command", "[core]") {
    CHECK(kind_of_call("make", "") == Purpose::kVerify);
    CHECK(kind_of_call("pytest", "") == Purpose::kVerify);
    CHECK(kind_of_call("npm test", "") == Purpose::kVerify);
    CHECK(kind_of_call("rm -rf build", "") == Purpose::kEdit);
    CHECK(kind_of_call("bash -c", "") == Purpose::kOther);
    CHECK(kind_of_call("bash", "") == Purpose::kOther);
    CHECK(kind_of_call("list of files", "") == Purpose::kRead);  // no command: its words
    CHECK(kind_of_call("makeover", "") == Purpose::kOther);
}

TEST_CASE("classify: a name of several words is no command, whatever joins them", "[core]") {
    CHECK(kind_of_call("wait-for-job", "") == kind_of_call("wait_for_job", ""));
    CHECK(kind_of_call("make-plan", "") == Purpose::kPlan);
    for (const char* poll : {"BashOutput", "bash_output", "get_terminal_output"})
        CHECK(kind_of_call(poll, "") == Purpose::kPoll);
}

TEST_CASE("classify: a script is a test by a whole word of its name", "[core]") {
    CHECK(kind_of_call("bash", "./run_tests.sh") == Purpose::kVerify);
    CHECK(kind_of_call("bash", "python tests/all.py") == Purpose::kVerify);
    CHECK(kind_of_call("bash", "./run_latest.sh") == Purpose::kOther);
    CHECK(kind_of_call("bash", "python contest.py") == Purpose::kOther);
}

TEST_CASE("classify: lines of a here document are content", "[core]") {
    CHECK(kind_of_call("bash", "cat > notes.md <<EOF\nmake sure it works\nEOF") == Purpose::kEdit);
    CHECK(kind_of_call("bash", "cat > a <<'END'\ngit commit often\nEND\npytest") ==
          Purpose::kVerify);
    CHECK(kind_of_call("bash", "grep x <<< y\nmake") == Purpose::kVerify);
    CHECK(kind_of_call("bash", "cat <<EOF\nmake") == Purpose::kOther);  // never closed
}

TEST_CASE("classify: programs whose second word builds or tests", "[core]") {
    for (const char* build : {"lake build", "mix test", "dune build 2>&1", "uv run pytest -q",
                              "poetry run ruff check", "terraform validate"})
        CHECK(kind_of_call("bash", build) == Purpose::kVerify);
    for (const char* other : {"psql test -c 'select 1'", "find tests -newer x", "git test",
                              "ls build", "mkdir test", "which check"})
        CHECK(kind_of_call("bash", other) != Purpose::kVerify);
}

TEST_CASE("classify: a shell is known by its command, whatever else its name says", "[core]") {
    CHECK(kind_of_call("read_shell", "rm -rf x") == Purpose::kEdit);
    CHECK(kind_of_call("run_tests", "ls") == Purpose::kOther);
    CHECK(kind_of_call("powershell", "git push") == Purpose::kCommit);
    CHECK(kind_of_call("todo", "pytest") == Purpose::kVerify);
}

TEST_CASE("classify: commands that measure the work", "[core]") {
    for (const char* command : {"pytest",
                                "pytest -x tests/a.py",
                                "make",
                                "make -j4",
                                "make check",
                                "ctest -R x",
                                "ninja -C b",
                                "tox",
                                "nox",
                                "jest",
                                "vitest run",
                                "mocha",
                                "tsc --noEmit",
                                "eslint .",
                                "ruff check",
                                "mypy src",
                                "flake8",
                                "pylint a",
                                "rspec",
                                "phpunit",
                                "gradle build",
                                "./gradlew test",
                                "mvn verify",
                                "cmake --build b",
                                "cargo test",
                                "cargo clippy",
                                "go vet ./...",
                                "npm test",
                                "npm run lint",
                                "bazel build //...",
                                "yarn test",
                                "pnpm build",
                                "dotnet test",
                                "python -m pytest",
                                "python3 -m unittest",
                                "npx jest",
                                "python tests/run.py",
                                "./run_tests.sh",
                                "bash scripts/test.sh",
                                "node test.js"})
        expect_kind({command, Purpose::kVerify});
    for (const char* command :
         {"makefile", "pytests", "cmake -B b", "cargo run", "go run .", "npm ls", "node app.js",
          "python main.py", "./run.sh", "cat test.py", "tsconfig"})
        expect_kind({command, Purpose::kOther});
}

TEST_CASE("classify: commands that change files or versions", "[core]") {
    for (const char* command :
         {"mv a b",       "cp a b",         "rm x",          "mkdir d",     "touch f",
          "tee f",        "patch -p1",      "chmod +x f",    "chown a f",   "ln -s a b",
          "unzip a",      "tar xf a",       "pip install x", "npm i x",     "apt-get install x",
          "git apply p",  "git checkout a", "git restore a", "git stash",   "git add .",
          "git reset",    "git clone u",    "yarn add x",    "go mod tidy", "sed -i s/a/b/ f",
          "perl -p -i f", "echo a > f",     "cat >> f <<E",  "ls > out.txt"})
        expect_kind({command, Purpose::kEdit});
    for (const char* command : {"git commit -m x", "git push", "git merge a", "git rebase main"})
        expect_kind({command, Purpose::kCommit});
    for (const char* command : {"rmdir d", "cpp a", "sed s/a/b/ f", "ls > /dev/null", "ls 2>&1",
                                "git log", "git diff", "gitk"})
        expect_kind({command, Purpose::kOther});
}

TEST_CASE("classify: the most significant part of a line decides", "[core]") {
    const ShellLine cases[] = {
        {"cd /x && make && git commit -m y", Purpose::kCommit},
        {"git push; rm x", Purpose::kCommit},
        {"rm -rf build && make", Purpose::kVerify},
        {"make | tail -3", Purpose::kVerify},
        {"cat a.txt; mv a b", Purpose::kEdit},
        {"cd x; export A=1; pytest", Purpose::kVerify},
        {"sleep 5 && make", Purpose::kVerify},
        {"sleep 5; rm x", Purpose::kEdit},
        {"set -e\nmake\n", Purpose::kVerify},
        {"echo start > log && ls", Purpose::kEdit},
        {"echo 'make && rm x'", Purpose::kOther},
        {"sudo rm x", Purpose::kEdit},
        {"sudo time make", Purpose::kVerify},
        {"cd /x", Purpose::kOther},
        {";;; &&", Purpose::kOther},
    };
    for (const ShellLine& line : cases)
        expect_kind(line);
}

TEST_CASE("classify: a sleep is one only if it is alone", "[core]") {
    for (const char* command : {"sleep 5", "wait", "cd x && sleep 5", "echo hi; sleep 5",
                                "sleep 5; sleep 6", "time sleep 5"})
        expect_kind({command, Purpose::kSleep});
    expect_kind({"sleep 5; ls", Purpose::kOther});
    expect_kind({"sleepy", Purpose::kOther});
}

TEST_CASE("classify: a question to a service is a poll unless the line does more", "[core]") {
    for (const char* command : {"kubectl get pods", "gh run view 1 | tail -2", "docker ps",
                                "sleep 30 && squeue -u me", "systemctl is-active nginx"})
        expect_kind({command, Purpose::kPoll});
    expect_kind({"docker ps && make", Purpose::kVerify});
    expect_kind({"kubectl get pods > pods.txt", Purpose::kEdit});
    expect_kind({"docker rm x", Purpose::kOther});
}

TEST_CASE("classify: the path of a command is its last word that looks like one", "[core]") {
    const std::pair<const char*, const char*> cases[] = {
        {"cat src/a.c", "src/a.c"},
        {"cp a.c b/c.c", "b/c.c"},
        {"make > out.log", "out.log"},
        {"cat ./x -n", "./x"},
        {"ls /etc", "/etc"},
        {"sed -i s/a/b/ f.py", "f.py"},
        {"cat a.c | wc -l", "a.c"},
        {"grep 'a.b' x", ""},  // quoted: no path
        {"ls --dir=a/b", ""},  // an option
        {"sleep 0.5", ""},     // a number
        {"make all", ""},      // no part of a path
        {"  cat\ta.c\n", "a.c"},
        {"", ""},
    };
    for (const auto& [command, path] : cases) {
        DYNAMIC_SECTION("'" << command << "'") {
            CHECK(path_in_command(command) == path);
        }
    }
    const std::string longest = "/" + std::string(254, 'x');
    CHECK(path_in_command("cat " + longest) == longest);
    CHECK(path_in_command("cat a.c " + longest + "x") == "a.c");
}

TEST_CASE("classify: a command of one word repeated without end is read once", "[core]") {
    for (const char* part : {"sudo ", "time ", "&& ", "; ", "a/b ", "make;", "> "}) {
        CAPTURE(part);
        std::string line;
        for (int i = 0; i < 2'000; ++i)
            line += part;
        CHECK(kind_of_call("bash", line) != Purpose::kCommit);
        CHECK(path_in_command(line).size() <= 3);
    }
}
