// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cli/base/console.hpp"
#include "cli/line/arguments.hpp"

namespace headway::cli {

struct Server;

/// One verb of the command line. Each has a file in `verbs/` that defines make_<verb>(), and a row
/// in verb_table.cpp.
class Verb {
public:
    Verb() = default;
    Verb(const Verb&) = delete;
    Verb& operator=(const Verb&) = delete;
    virtual ~Verb() = default;

    /// Declares the verb's arguments. Called once; values are stored in members of this object.
    virtual void declare(Arguments& arguments) = 0;
    /// Runs the verb; returns the exit code of the process.
    virtual int run(const Console& console, const Server& server) = 0;
};

/// A verb whose options a unit test can read after parsing.
template <class Options>
class VerbOf : public Verb {
public:
    Options options;
};

}  // namespace headway::cli
