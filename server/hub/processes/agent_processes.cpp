// SPDX-License-Identifier: Apache-2.0
#include "server/hub/processes/agent_processes.hpp"

#include <sys/stat.h>
#include <sys/statfs.h>

#include <charconv>
#include <fstream>
#include <string_view>
#include <utility>

#include "core/base/limits.hpp"

namespace headway::server {
namespace {

/// The number of the process in our PID namespace; empty: it is not in it, or has ended.
std::string number_of(int descriptor) {
    std::ifstream file{"/proc/self/fdinfo/" + std::to_string(descriptor)};
    constexpr std::string_view kLabel = "Pid:\t";
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(kLabel)) continue;
        line.erase(0, kLabel.size());
        return line.starts_with('-') || line == "0" ? std::string{} : line;
    }
    return {};
}

/// When it began, in clock ticks since the boot; empty where /proc does not say.
std::string start_of(const std::string& number) {
    std::ifstream file{"/proc/" + number + "/stat"};
    std::string stat;
    std::getline(file, stat);
    std::size_t at = stat.rfind(')');  // behind the name, which may hold anything
    if (at == std::string::npos) return {};
    constexpr int kBlanksBefore = 20;  // of field 22, from the end of the second on
    for (int i = 0; i < kBlanksBefore && at != std::string::npos; ++i)
        at = stat.find(' ', at + 1);
    return at == std::string::npos ? std::string{}
                                   : stat.substr(at + 1, stat.find(' ', at + 1) - at - 1);
}

/// Newer kernels have one inode for each process; in older ones all pidfds share one.
std::string inode_of(int descriptor) {
    constexpr decltype(std::declval<struct statfs>().f_type) kPidfs = 0x50494446;
    struct statfs system {};
    struct stat file {};
    if (::fstatfs(descriptor, &system) != 0 || system.f_type != kPidfs) return {};
    return ::fstat(descriptor, &file) == 0 ? std::to_string(file.st_ino) : std::string{};
}

}  // namespace

std::string AgentProcesses::key_of(const system::FileDescriptor& process) {
    if (std::string inode = inode_of(process.get()); !inode.empty()) return "inode " + inode;
    const std::string number = number_of(process.get());
    if (!number.empty()) return number + " " + start_of(number);
    return "unknown " + std::to_string(++unknown_);
}

bool AgentProcesses::offer(const ReplyTo& to, system::FileDescriptor process) {
    drop(to);
    if (!process.open()) return false;
    const std::string key = key_of(process);
    const auto known = followed_.find(key);
    if (known == followed_.end() && followed_.size() >= allowed_) return false;
    const bool full = known != followed_.end() &&
                      known->second->sessions.size() >= core::limits::kSessionsOfProcessMax;
    if (full) return false;
    auto& place = followed_[key];
    if (place == nullptr) {
        int number = 0;
        const std::string text = number_of(process.get());
        std::from_chars(text.data(), text.data() + text.size(), number);
        place =
            std::make_unique<Process>(Process{Descriptor{io_, process.release()}, {}, 0, number});
        follow(key, place->descriptor);
    }
    ++place->offers;
    offered_.emplace(to.connection, key);
    return true;
}

void AgentProcesses::bind(const ReplyTo& to, const std::string& session) {
    const auto offered = offered_.find(to.connection);
    if (offered == offered_.end()) return;
    const std::string key = std::move(offered->second);
    offered_.erase(offered);
    const auto process = followed_.find(key);
    if (process == followed_.end()) return gone_(session);  // it has ended meanwhile
    --process->second->offers;
    const auto before = keys_.find(session);
    if (before != keys_.end() && before->second != key) forget(session);
    process->second->sessions.insert(session);
    keys_[session] = key;
}

int AgentProcesses::number(const ReplyTo& to, const std::string& session) const {
    const auto offered = offered_.find(to.connection);
    const auto bound = keys_.find(session);
    if (offered == offered_.end() && bound == keys_.end()) return 0;
    const auto process =
        followed_.find(offered != offered_.end() ? offered->second : bound->second);
    return process == followed_.end() ? 0 : process->second->number;
}

void AgentProcesses::drop(const ReplyTo& to) {
    const auto offered = offered_.find(to.connection);
    if (offered == offered_.end()) return;
    const std::string key = std::move(offered->second);
    offered_.erase(offered);
    if (const auto process = followed_.find(key); process != followed_.end())
        --process->second->offers;
    leave(key);
}

void AgentProcesses::forget(const std::string& session) {
    const auto found = keys_.find(session);
    if (found == keys_.end()) return;
    const std::string key = std::move(found->second);
    keys_.erase(found);
    if (const auto process = followed_.find(key); process != followed_.end())
        process->second->sessions.erase(session);
    leave(key);
}

/// A process without a session is not followed any more.
void AgentProcesses::leave(const std::string& key) {
    const auto process = followed_.find(key);
    if (process == followed_.end()) return;
    if (process->second->sessions.empty() && process->second->offers == 0) followed_.erase(process);
}

void AgentProcesses::follow(const std::string& key, Descriptor& process) {
    process.async_wait(Descriptor::wait_read, [this, key](error_code ec) {
        if (!ec) ended(key);  // else it is not followed any more, or all of them are not
    });
}

void AgentProcesses::ended(const std::string& key) {
    const auto process = followed_.find(key);
    if (process == followed_.end()) return;
    const std::set<std::string> sessions = std::move(process->second->sessions);
    followed_.erase(process);
    for (const std::string& session : sessions)
        keys_.erase(session);
    for (const std::string& session : sessions)
        gone_(session);
}

}  // namespace headway::server
