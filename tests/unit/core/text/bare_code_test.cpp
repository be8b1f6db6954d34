// SPDX-License-Identifier: Apache-2.0
#include "core/text/bare_code.hpp"

#include <catch2/catch.hpp>

using headway::core::code_of_file;
using headway::core::differ_in_looks_only;

namespace {

struct EditedFile {
    const char* path;
    const char* before;
    const char* after;
};

}  // namespace

TEST_CASE("bare code: edits of comments and white space are of looks only", "[core]") {
    const EditedFile cases[] = {
        {"a.py", "# 1", "# 2"},
        {"a.py", "x = 1", "x  =  1"},
        {"a.py", "f()", "# why\nf()"},
        {"a.py", "f()\n", "f()  # why\r\n\n"},
        {"a.py", "s = 'it\\'s' # a", "s = 'it\\'s'"},
        {"a.py", "s = \"\"\"it's\n\"\"\"\n# a", "s = \"\"\"it's\n\"\"\"\n# b"},
        {"a.js", "f(); // old", "f(); // new"},
        {"a.js", "s = `\n// ${x}`; // old", "s = `\n// ${x}`;"},
        {"d/a.ts", "/* a\n b */\nint x;", "/* it's */\nint x;"},
        {"a.css", "a { color: red; /* a */\n}", "a { color: red;\n}"},
        {"a.go", "func f() {\n\t// a\n}", "func f() {\n\t// b\n}"},
        {"a.sql", "select 1 -- a\n;", "select 1\n;"},
        {"a.html", "<p>a</p> <!-- b\n -->\n", "<p>a</p>\n"},
    };
    for (const EditedFile& c : cases) {
        DYNAMIC_SECTION(c.path << ": " << c.before << " / " << c.after) {
            CHECK(differ_in_looks_only(c.before, c.after, c.path));
        }
    }
}

TEST_CASE("bare code: all that may be code, text or documentation is content", "[core]") {
    const EditedFile cases[] = {
        {"a.py", "x = 1", "x = 2"},
        {"a.py", "same", "same"},
        {"a.py", "x = a // 2", "x = a // 3"},
        {"a.py", "s = '# a'", "s = '# b'"},
        {"a.py", "s = \"a \\\n # a\"", "s = \"a \\\n # b\""},
        {"a.py", "CSS = \"\"\"\n.a { color: #fff; }\"\"\"",
         "CSS = \"\"\"\n.a { color: #e63946; }\"\"\""},
        {"a.py", "P = '''\n# Role: tester\n'''", "P = '''\n# Role: author\n'''"},
        {"a.py", "x = f()", "x = f()  # type: ignore"},
        {"a.py", "if x:\n  f()", "if x:\n    f()"},
        {"a.rb", "t = <<~A\n #{name}\nA", "t = <<~A\n #{title}\nA"},
        {"a.sh", "VAR = 1", "VAR=1"},
        {"a.sh", "[ \"$a\" = \"b\"]", "[ \"$a\" = \"b\" ]"},
        {"a.sh", "rm -rf a b", "rm -rf ab"},
        {"a.sh", "cat <<EOF\n# a\nEOF", "cat <<EOF\n# b\nEOF"},
        {"a.sh", "n=${#a[@]} P=\"You are\n# a\n\"", "n=${#a[@]} P=\"You are\n# b\n\""},
        {"a.sh", "m=\"$(f \"a # b\")\"", "m=\"$(f \"a # c\")\""},
        {"a.ts", "s = `a ${x ? `b\n // c` : 1}`", "s = `a ${x ? `b\n // d` : 1}`"},
        {"a.yaml", "key: a b", "key: ab"},
        {"a.yaml", "key: |\n  # a", "key: |\n  # b"},
        {"a.php", "<style>.a { color: #fff }", "<style>.a { color: #eee }"},
        {"a.js", "s.replace(/^\\w+:\\/\\//, 'a')", "s.replace(/^\\w+:\\/\\//, 'b')"},
        {"a.js", "f()", "// eslint-disable-next-line\nf()"},
        {"a.js", "f(/* a */ x)", "f(/* b */ x)"},
        {"a.js", "glob(src/*);\ng()", "glob(src/*);\nh()"},
        {"a.js", "function f() {}", "/** Does f. */\nfunction f() {}"},
        {"a.jsx", "<p>a//b</p>", "<p>a//c</p>"},
        {"a.jsx", "<p>Don't</p>\n{`\n// a`}", "<p>Don't</p>\n{`\n// b`}"},
        {"a.scss", "url(//cdn/a.png)", "url(//cdn/b.png)"},
        {"a.rs", "fn f() {}", "/// Does f.\nfn f() {}"},
        {"a.rs", "s = r#\"\n// a\"#", "s = r#\"\n// b\"#"},
        {"a.cpp", "s = R\"(\n// a)\"", "s = R\"(\n// b)\""},
        {"a.c", "#include <a>", "#include <b>"},
        {"a.go", "func f() {}", "// f does.\nfunc f() {}"},
        {"a.go", "/* int a; */\nimport \"C\"", "/* int b; */\nimport \"C\""},
        {"a.sql", "/*! a */", "/*! b */"},
        {"a.lua", "s = [[\n-- a]]", "s = [[\n-- b]]"},
        {"README.md", "# Set-up", "# Use"},
        {"Makefile", "# a  b", "# a b"},
        {"", "# 1", "# 2"},
    };
    for (const EditedFile& c : cases) {
        DYNAMIC_SECTION(c.path << ": " << c.before << " / " << c.after) {
            CHECK_FALSE(differ_in_looks_only(c.before, c.after, c.path));
        }
    }
}

TEST_CASE("bare code: the code of a file keeps its lines and their indentation", "[core]") {
    CHECK(code_of_file("a.py", "#!/bin/x\n\n# one\nif x:  # two\n    s = '# \\' no'\n  \n") ==
          "#!/bin/x\nif x:\n    s = '# \\' no'\n");
    CHECK(code_of_file("a.sh", "echo $# ${x#y} # z") == "echo $# ${x#y}\n");
    CHECK(code_of_file("a.py", "# only\n").empty());
    for (const char* other : {"README.md", "data.csv", "Makefile"})
        CHECK(code_of_file(other, "# a  b\n\n") == "# a  b\n\n");
}
