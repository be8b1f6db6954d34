// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace headway::cli {

/// A process of ours that ends with us: it gets SIGTERM when we die, and when this is destroyed,
/// SIGKILL if it then takes longer than a few seconds. In a process group of its own, so that a
/// Ctrl-C reaches only us.
class Child {
public:
    /// Starts argv[0]; standard input is empty, and standard output and error go to `log`, unless
    /// that is empty. A program that cannot be started ends with status 127.
    Child(std::vector<std::string> argv, const std::string& log);
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child();

    /// True until it was seen to have ended.
    bool running();
    /// The status of waitpid(2), once it has ended.
    int status() const { return status_; }

private:
    pid_t pid_ = -1;
    int status_ = 0;
};

}  // namespace headway::cli
