// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

// Faults at a chosen statement of those that this program sends to PostgreSQL, counted from 1. The
// program is linked with wrappers around libpq (tests/CMakeLists.txt), so that the connection is
// the daemon's own and the answers are the server's own. One thread.

namespace headway::tests {

struct PostgresBreak {
    enum class Kind : std::uint8_t {
        kCutBefore,  ///< the server does not get the statement
        kCutAfter,   ///< the server has run it, its answer is lost
        kSilence,    ///< it is run, and no answer comes in time
        kEnded,      ///< 57P01: an administrator ends the connection instead
        kRefused,    ///< the server raises `state` instead
        kCutAtEnd,   ///< it is run and answered, the end of the pipeline is lost
    };
    Kind kind = Kind::kCutBefore;
    std::string state = {};  ///< SQLSTATE
    /// The same statement fails this many times in a row.
    std::uint64_t times = 1;
};

class PostgresBreaks {
public:
    /// At the `nth` statement from now.
    static void strike(std::uint64_t nth, PostgresBreak what);
    /// At the next statement that begins so.
    static void strike(std::string sql, PostgresBreak what);
    /// Nothing is struck any more, and the next statement is the first.
    static void mend();
    static bool struck();
    /// Statements since mend().
    static const std::vector<std::string>& sent();
    /// Each that this program has sent.
    static const std::set<std::string>& texts();
    /// While one lives, nothing is counted or struck: what the test itself asks.
    struct Aside {
        Aside();
        Aside(const Aside&) = delete;
        Aside& operator=(const Aside&) = delete;
        ~Aside();
    };
    /// For refused commits, in a schema of the test's own: the server refuses one only for what the
    /// transaction has done.
    static std::string refusal();
};

}  // namespace headway::tests
