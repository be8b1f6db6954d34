// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace headway::tests {

/// The stand-in for a model server, tests/integration/support/llm_server.py, as a process that ends
/// with this object (or with the test, since its standard input ends then).
class LlmServer {
public:
    explicit LlmServer(bool tls = false) : tls_(tls) {
        int in[2];
        int out[2];
        if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) fail("pipe");
        std::vector<std::string> words{
            HEADWAY_PYTHON, "-I", HEADWAY_SOURCE_DIR "/tests/integration/support/llm_server.py"};
        if (tls) words.emplace_back("--tls");
        std::vector<char*> argv;
        for (std::string& word : words)
            argv.push_back(word.data());
        argv.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, in[0], 0);
        posix_spawn_file_actions_adddup2(&actions, out[1], 1);
        const int failed = ::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        ::close(in[0]);
        ::close(out[1]);
        to_ = in[1];
        from_ = out[0];
        if (failed != 0) fail("posix_spawn");
        port_ = read_line();
        if (tls) certificate_ = read_line();
    }
    LlmServer(const LlmServer&) = delete;
    LlmServer& operator=(const LlmServer&) = delete;
    ~LlmServer() {
        ::close(to_);
        ::close(from_);
        int status = 0;
        ::waitpid(pid_, &status, 0);
    }

    /// The value for base_url.
    std::string url() const {
        return (tls_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + port_ + "/v1";
    }
    int port() const { return std::stoi(port_); }
    /// PEM file of its certificate, with TLS.
    const std::string& certificate() const { return certificate_; }

private:
    [[noreturn]] static void fail(const std::string& what) {
        throw std::runtime_error("cannot start the model server: " + what);
    }

    std::string read_line() const {
        std::string line;
        char byte = 0;
        while (::read(from_, &byte, 1) == 1 && byte != '\n')
            line.push_back(byte);
        if (line.empty()) fail("it said nothing");
        return line;
    }

    bool tls_;
    pid_t pid_ = -1;
    int to_ = -1;
    int from_ = -1;
    std::string port_;
    std::string certificate_;
};

}  // namespace headway::tests
