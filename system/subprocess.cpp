// SPDX-License-Identifier: Apache-2.0
#include "system/subprocess.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/base/assert.hpp"

namespace headway::system {
namespace {

constexpr int kCannotRun = 127;  // as of a shell

/// Arguments of exec: pointers into texts that it owns.
class Words {
public:
    explicit Words(std::vector<std::string> texts) : texts_(std::move(texts)) {
        pointers_.reserve(texts_.size() + 1);
        for (std::string& text : texts_)
            pointers_.push_back(text.data());
        pointers_.push_back(nullptr);
    }
    char* const* get() const { return pointers_.data(); }

private:
    std::vector<std::string> texts_;
    std::vector<char*> pointers_;
};

std::vector<std::string> variables_of(const Environment& environment) {
    std::vector<std::string> variables;
    variables.reserve(environment.size());
    for (const auto& [name, value] : environment)
        variables.emplace_back(name).append("=").append(value);
    return variables;
}

/// RAII for the two C structs of posix_spawn. `error` is the first of theirs.
class SpawnRules {
public:
    explicit SpawnRules(const Launch& launch) {
        note(posix_spawn_file_actions_init(&files_));
        note(posix_spawnattr_init(&attributes_));
        for (int to = 0; to < 3; ++to)
            set_stream(to, launch.streams[static_cast<std::size_t>(to)]);
        close_others(launch.inherited);
        if (!launch.folder.empty())
            note(posix_spawn_file_actions_addchdir_np(&files_, launch.folder.c_str()));
        set_signals(launch);
        if (launch.own_group) {
            note(posix_spawnattr_setpgroup(&attributes_, 0));
            flags_ |= POSIX_SPAWN_SETPGROUP;
        }
        note(posix_spawnattr_setflags(&attributes_, static_cast<short>(flags_)));
    }
    SpawnRules(const SpawnRules&) = delete;
    SpawnRules& operator=(const SpawnRules&) = delete;
    ~SpawnRules() {
        posix_spawnattr_destroy(&attributes_);
        posix_spawn_file_actions_destroy(&files_);
    }

    Started start(const char* program, char* const* words, char* const* variables) const {
        Started started;
        started.error = error_;
        if (error_ == 0)
            started.error =
                ::posix_spawnp(&started.pid, program, &files_, &attributes_, words, variables);
        if (started.error != 0) started.pid = -1;
        return started;
    }

private:
    void note(int error) {
        if (error_ == 0) error_ = error;
    }
    void set_stream(int to, int from) {
        if (from == kNowhere)
            note(posix_spawn_file_actions_addopen(&files_, to, "/dev/null", O_RDWR, 0));
        if (from >= 0) note(posix_spawn_file_actions_adddup2(&files_, from, to));
    }
    // All of them, whether they are open or not: another thread may open one meanwhile.
    void close_others(const std::vector<int>& inherited) {
        int next = STDERR_FILENO + 1;
        for (const int kept : inherited) {
            for (; next < kept; ++next)
                note(posix_spawn_file_actions_addclose(&files_, next));
            next = kept + 1;
        }
        note(posix_spawn_file_actions_addclosefrom_np(&files_, next));
    }
    void set_signals(const Launch& launch) {
        sigset_t defaults;
        sigemptyset(&defaults);
        sigaddset(&defaults, SIGPIPE);
        if (launch.default_signals) sigfillset(&defaults);
        note(posix_spawnattr_setsigdefault(&attributes_, &defaults));
        flags_ |= POSIX_SPAWN_SETSIGDEF;
        if (!launch.mask) return;
        note(posix_spawnattr_setsigmask(&attributes_, &*launch.mask));
        flags_ |= POSIX_SPAWN_SETSIGMASK;
    }

    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t attributes_{};
    int flags_ = 0;
    int error_ = 0;
};

/// Between fork and exec; only calls that are safe there.
[[noreturn]] void become(const Launch& launch, char* const* words, char* const* variables,
                         pid_t parent) {
    if (launch.mask) ::sigprocmask(SIG_SETMASK, &*launch.mask, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    if (launch.own_group) ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(0);  // it died before the line above
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int to = 0; to < 3; ++to) {
        const int from = launch.streams[static_cast<std::size_t>(to)];
        if (from != kOurs) ::dup2(from == kNowhere ? nowhere : from, to);
    }
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    ::execvpe(words[0], words, variables);
    ::_exit(kCannotRun);
}

/// posix_spawn cannot ask for a signal at the death of the parent.
Started fork_to(const Launch& launch, char* const* words, char* const* variables) {
    HEADWAY_ASSERT(launch.inherited.empty() && launch.folder.empty() && !launch.default_signals);
    const pid_t parent = ::getpid();
    Started started;
    started.pid = ::fork();
    if (started.pid == 0) become(launch, words, variables, parent);
    if (started.pid < 0) started.error = errno;
    // Here too: either process may come first.
    if (started.pid > 0 && launch.own_group) ::setpgid(started.pid, started.pid);
    return started;
}

}  // namespace

Started start(const Launch& launch) {
    HEADWAY_ASSERT(!launch.argv.empty());
    HEADWAY_ASSERT(std::is_sorted(launch.inherited.begin(), launch.inherited.end()));
    const Words words{launch.argv};
    const Words variables{variables_of(launch.environment.value_or(Environment{}))};
    char* const* const given = launch.environment ? variables.get() : environ;
    if (launch.ends_with_us) return fork_to(launch, words.get(), given);
    return SpawnRules{launch}.start(launch.argv.front().c_str(), words.get(), given);
}

sigset_t no_signals() {
    sigset_t none;
    sigemptyset(&none);
    return none;
}

std::optional<int> wait_for_end(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return std::nullopt;
    return status;
}

FileDescriptor above_standard(FileDescriptor file) {
    if (!file.open() || file.get() > STDERR_FILENO) return file;
    return FileDescriptor{::fcntl(file.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1)};
}

int make_pipe(Pipe& pipe) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
    FileDescriptor read{ends[0]};
    FileDescriptor write{ends[1]};
    pipe.read = above_standard(std::move(read));
    pipe.write = above_standard(std::move(write));
    return pipe.read.open() && pipe.write.open() ? 0 : EMFILE;
}

}  // namespace headway::system
