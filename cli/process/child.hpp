// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace headway::cli {

/// A process that ends with this one: it gets SIGTERM when this process dies or this object is
/// destroyed, then SIGKILL if it takes longer than a few seconds. It has its own process group, so
/// that Ctrl-C signals only this process.
class Child {
public:
    /// Starts argv[0]; standard input is empty, and standard output and error go to the file `log`,
    /// unless `log` is empty. A program that cannot be started ends with status 127.
    Child(std::vector<std::string> argv, const std::string& log);
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child();

    /// True until the process is found to have ended.
    bool running();
    /// The status of waitpid(2), after the end.
    int status() const { return status_; }

private:
    pid_t pid_ = -1;
    int status_ = 0;
};

}  // namespace headway::cli
