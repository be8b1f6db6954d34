// SPDX-License-Identifier: Apache-2.0
#include "cli/process/process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string_view>

#include "system/subprocess.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kOwnVariables = "HEADWAY_";
constexpr std::array<int, 7> kGuardedSignals{SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                                             SIGUSR1, SIGUSR2, SIGCHLD};

/// ".4711"; empty if it is no pipe.
std::string pipe_number(int descriptor) {
    struct stat about {};
    if (::fstat(descriptor, &about) != 0 || !S_ISFIFO(about.st_mode)) return {};
    return "." + std::to_string(about.st_ino);
}

void put(Process& process, const system::Started& started) {
    process.pid = started.pid;
    process.error = started.error;
}

}  // namespace

std::vector<int> inherited_descriptors() {
    constexpr int kDescriptorMax = 1'023;  // of a shell; above are servers' own
    std::vector<int> open;
    for (int number = STDERR_FILENO + 1; number <= kDescriptorMax; ++number) {
        const int flags = ::fcntl(number, F_GETFD);
        if (flags >= 0 && (flags & FD_CLOEXEC) == 0) open.push_back(number);
    }
    return open;
}

Process spawn_process(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment, const sigset_t& mask,
                      const std::vector<int>& inherited, const std::string& folder,
                      const std::string& names_output) {
    Process process;
    system::Pipe out;
    system::Pipe err;
    process.error = system::make_pipe(out);
    if (process.error == 0) process.error = system::make_pipe(err);
    if (process.error != 0) return process;
    std::map<std::string, std::string> variables = environment;
    if (const auto found = variables.find(names_output); found != variables.end())
        found->second += pipe_number(out.write.get());
    put(process, system::start({.argv = argv,
                                .environment = variables,
                                .streams = {system::kOurs, out.write.get(), err.write.get()},
                                .inherited = inherited,
                                .mask = mask,
                                .folder = folder}));
    if (process.error != 0) return process;
    process.out = std::move(out.read);
    process.err = std::move(err.read);
    return process;
}

bool run_reads_output(const std::map<std::string, std::string>& environment,
                      const std::string& url) {
    const auto run = environment.find("HEADWAY_RUN");
    const auto daemon = environment.find("HEADWAY_URL");
    if (run == environment.end() || daemon == environment.end()) return false;
    const std::string number = pipe_number(STDOUT_FILENO);
    return daemon->second == url && !number.empty() && run->second.ends_with(number);
}

Process spawn_between(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment, const sigset_t& mask,
                      const std::vector<int>& inherited) {
    Process process;
    system::Pipe in;
    system::Pipe out;
    process.error = system::make_pipe(in);
    if (process.error == 0) process.error = system::make_pipe(out);
    if (process.error != 0) return process;
    put(process, system::start({.argv = argv,
                                .environment = environment,
                                .streams = {in.read.get(), out.write.get(), system::kOurs},
                                .inherited = inherited,
                                .mask = mask}));
    if (process.error != 0) return process;
    process.in = std::move(in.write);
    process.out = std::move(out.read);
    return process;
}

std::map<std::string, std::string> without_own_variables(std::map<std::string, std::string> all) {
    std::erase_if(all, [](const auto& variable) {
        return variable.first.starts_with(kOwnVariables) && variable.first != "HEADWAY_CA_FILE";
    });
    return all;
}

void hide_own_variables() {
    ::prctl(PR_SET_DUMPABLE, 0);
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (!text.starts_with(kOwnVariables) || equals == text.npos) continue;
        ::explicit_bzero(*entry + equals + 1, text.size() - equals - 1);
    }
}

ExitStatus exit_status_of(int wait_status) {
    ExitStatus status;
    if (WIFSIGNALED(wait_status)) {
        status.signal = WTERMSIG(wait_status);
        status.code = 128 + status.signal;
    } else {
        status.code = WEXITSTATUS(wait_status);
    }
    return status;
}

SignalGuard::SignalGuard() {
    sigset_t set;
    sigemptyset(&set);
    sigemptyset(&ignored_);
    for (const int signal : kGuardedSignals) {
        struct sigaction action {};
        // A signal that is blocked comes even if it is ignored.
        const bool ignored = ::sigaction(signal, nullptr, &action) == 0 &&
                             (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_IGN;
        sigaddset(ignored && signal != SIGCHLD ? &ignored_ : &set, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &set, &outer_);
    fd_ = system::FileDescriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalGuard::~SignalGuard() {
    ::pthread_sigmask(SIG_SETMASK, &outer_, nullptr);
}

bool is_for_us_alone(const signalfd_siginfo& info) {
    return info.ssi_code <= 0 || (info.ssi_signo == SIGHUP && ::getsid(0) == ::getpid());
}

std::string ExitStatus::text() const {
    if (signal == 0) return "exit status " + std::to_string(code);
    const char* const name = ::sigdescr_np(signal);
    return "killed by signal " + std::to_string(signal) +
           (name == nullptr ? "" : " (" + std::string(name) + ")");
}

}  // namespace headway::cli
