// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/traces/trace.hpp"

namespace headway::tests {

/// A repository as a programmer sees it through tools: what files hold, which tests are red, what
/// git says. Every call changes it as the real one would.
class Workspace {
public:
    struct Options {
        std::size_t files = 20;
        bool shell = false;         ///< everything goes through one shell tool
        bool digests = true;        ///< edits say what they left
        bool red_is_error = false;  ///< a red test run is reported as a failed call
        bool quiet_edits = false;   ///< edits answer "ok", formatters nothing
    };

    Workspace(Gen& gen, Recorder& recorder, Options options);

    std::size_t files() const { return files_.size(); }
    std::size_t red() const { return red_.size(); }

    Call read(std::size_t file);
    /// Worth reading: changed since it was read, or read long ago.
    bool stale(std::size_t file) const;
    Call list() const;
    /// Search for a word that exists, or for one that does not.
    Call search(bool found);
    /// Leaves a content that the file never had.
    Call edit(std::size_t file);
    /// The text to replace is not there (any more).
    Call failed_edit(std::size_t file);
    Call test();
    Call build();
    Call format();
    Call status() const;
    Call diff() const;
    Call commit();

    /// New requirements: so many tests are red.
    void break_tests(std::size_t count);
    /// An edit made so many of them green.
    void fix_tests(std::size_t count);
    /// Another one is red than before.
    void move_failure();

    void say(const Call& call) { recorder_.call(call); }

private:
    struct File {
        std::string path;
        std::uint64_t version = 0;
        bool dirty = false;
        std::uint64_t read_version = 0;
        std::size_t read_at = 0;  ///< calls made by then
    };

    Call shell(std::string command, std::string output) const;
    std::string symbol(std::size_t file) const;
    std::string test_output();

    Gen& gen_;
    Recorder& recorder_;
    Options options_;
    std::vector<File> files_;
    std::vector<std::uint64_t> red_;  ///< numbers of the red tests
    std::uint64_t tests_ = 0;
    std::uint64_t next_test_ = 0;
    std::uint64_t commits_ = 0;
    std::uint64_t searches_ = 0;
    std::uint64_t edits_ = 0;
    std::string shell_name_;
};

}  // namespace headway::tests
