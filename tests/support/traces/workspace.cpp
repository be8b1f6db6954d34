// SPDX-License-Identifier: Apache-2.0
#include "tests/support/traces/workspace.hpp"

namespace headway::tests {
Workspace::Workspace(Gen& gen, Recorder& recorder, Options options)
    : gen_(gen), recorder_(recorder), options_(options) {
    static constexpr std::string_view kFolders[] = {"src/", "lib/", "app/models/", "pkg/api/"};
    static constexpr std::string_view kShells[] = {"bash", "Bash", "shell", "run_terminal_cmd"};
    const std::string folder{gen_.pick(kFolders)};
    shell_name_ = gen_.pick(kShells);
    for (std::size_t i = 0; i < options_.files; ++i)
        files_.push_back(
            {folder + "part_" + std::to_string(i) + ".py", gen_.below(1'000), false, 0, 0});
    tests_ = 20 + gen_.below(200);
}

Call Workspace::shell(std::string command, std::string output) const {
    Call call;
    call.tool = shell_name_;
    call.args = "{\"command\":" + quoted(command) + ",\"timeout\":120}";
    call.result = quoted(output);
    return call;
}

std::string Workspace::symbol(std::size_t file) const {
    return "handle_" + std::to_string(file) + "_" + std::to_string(files_[file].version % 7);
}

bool Workspace::stale(std::size_t file) const {
    const File& f = files_[file];
    return f.read_at == 0 || f.read_version != f.version || recorder_.calls() > f.read_at + 12;
}

Call Workspace::read(std::size_t file) {
    File& f = files_[file];
    f.read_version = f.version;
    f.read_at = recorder_.calls() + 1;
    const std::string text = "# " + f.path + "\ndef " + symbol(file) +
                             "(value):\n    limit = " + std::to_string(f.version) +
                             "\n    return check(value, limit)\n";
    if (options_.shell) return shell("cat " + f.path, text);
    Call call;
    call.tool = "read_file";
    call.args = "{\"path\":" + quoted(f.path) + "}";
    call.result = quoted(text);
    return call;
}

Call Workspace::list() const {
    std::string text;
    for (const File& file : files_)
        text += file.path + "\n";
    return shell("ls -1 " + files_[0].path.substr(0, files_[0].path.rfind('/')), text);
}

Call Workspace::search(bool found) {
    const std::size_t file = gen_.index(files_.size());
    // No programmer searches for the same word twice in a row.
    const std::string word = found ? symbol(file) + "_" + std::to_string(++searches_)
                                   : "missing_" + std::to_string(++searches_);
    const std::string text = found ? files_[file].path + ":2:def " + word + "(value):\n" : "";
    if (options_.shell) return shell("grep -rn '" + word + "' .", text);
    Call call;
    call.tool = "grep";
    call.args = "{\"pattern\":" + quoted(word) + ",\"path\":\".\"}";
    call.result = quoted(found ? text : "No matches found");
    return call;
}

Call Workspace::edit(std::size_t file) {
    File& f = files_[file];
    f.version = 1'000 + ++edits_;
    f.dirty = true;
    const std::string line = "    limit = " + std::to_string(f.version);
    if (options_.shell) {
        if (gen_.chance(3)) {
            return shell("cat > " + f.path + " <<'EOF'\ndef handle(value):\n" + line + "\nEOF", "");
        }
        return shell("sed -i 's/limit = .*/limit = " + std::to_string(f.version) + "/' " + f.path,
                     "");
    }
    Call call;
    call.tool = "edit_file";
    call.args = "{\"path\":" + quoted(f.path) +
                ",\"old_string\":\"    limit = \",\"new_string\":" + quoted(line) + "}";
    call.result = quoted(options_.quiet_edits ? "ok" : "The file " + f.path + " has been updated.");
    if (options_.digests)
        call.mutated = {{f.path, "sha-" + std::to_string(file) + "-" + std::to_string(f.version)}};
    return call;
}

Call Workspace::failed_edit(std::size_t file) {
    const std::string& path = files_[file].path;
    const std::string guess = "limit = guess " + std::to_string(++searches_);
    if (options_.shell) {
        Call call = shell("git apply fix_" + std::to_string(searches_) + ".patch",
                          "error: patch failed: " + path + ":3\nerror: patch does not apply\n");
        call.ok = false;
        call.error = "exit code 1";
        return call;
    }
    Call call;
    call.tool = "edit_file";
    call.args =
        "{\"path\":" + quoted(path) + ",\"old_string\":" + quoted(guess) + ",\"new_string\":\"x\"}";
    call.ok = false;
    call.error = "old_string not found in " + path;
    return call;
}

std::string Workspace::test_output() {
    std::string text = "collected " + std::to_string(tests_) + " items\n";
    for (std::uint64_t test : red_) {
        text += "FAILED tests/test_parts.py::test_case_" + std::to_string(test) +
                " - AssertionError: expected " + std::to_string(test * 7 % 100) + "\n";
    }
    const std::string passed =
        std::to_string(tests_ - red_.size()) + " passed in " + recorder_.volatile_seconds();
    return text + (red_.empty() ? passed : std::to_string(red_.size()) + " failed, " + passed) +
           "\n";
}

Call Workspace::test() {
    Call call = shell("python -m pytest tests/test_parts.py -q", test_output());
    call.ms = 2'000 + static_cast<std::int64_t>(gen_.below(20'000));
    if (red_.empty() || !options_.red_is_error) return call;
    call.ok = false;
    call.error = "exit code 1";
    return call;
}

Call Workspace::build() {
    return shell("make -j4", "make: Nothing to be done for 'all'.\nFinished in " +
                                 recorder_.volatile_seconds() + "\n");
}

Call Workspace::format() {
    return shell("black -q .", "");
}

Call Workspace::status() const {
    std::string text = "On branch main\n";
    for (const File& file : files_) {
        if (file.dirty) text += "\tmodified:   " + file.path + "\n";
    }
    if (text.size() < 20) text += "nothing to commit, working tree clean\n";
    return shell("git status", text);
}

Call Workspace::diff() const {
    std::string text;
    for (const File& file : files_) {
        if (file.dirty)
            text += "+++ b/" + file.path + "\n+    limit = " + std::to_string(file.version) + "\n";
    }
    return shell("git diff", text);
}

Call Workspace::commit() {
    for (File& file : files_)
        file.dirty = false;
    ++commits_;
    return shell("git commit -am 'Step " + std::to_string(commits_) + "'",
                 "[main " + std::to_string(0xabc123 + commits_ * 7'919) + "] Step " +
                     std::to_string(commits_) + "\n");
}

void Workspace::break_tests(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        red_.push_back(++next_test_);
    tests_ += count;
}

void Workspace::fix_tests(std::size_t count) {
    while (count-- > 0 && !red_.empty())
        red_.erase(red_.begin() + static_cast<std::ptrdiff_t>(gen_.index(red_.size())));
}

void Workspace::move_failure() {
    if (!red_.empty()) red_[gen_.index(red_.size())] = ++next_test_;
}

}  // namespace headway::tests
