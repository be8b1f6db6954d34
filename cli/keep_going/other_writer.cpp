// SPDX-License-Identifier: Apache-2.0
#include "cli/keep_going/other_writer.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "agents/codex/rollout.hpp"
#include "cli/base/json.hpp"
#include "cli/process/proc_tree.hpp"
#include "cli/stores/store_database.hpp"
#include "system/file_descriptor.hpp"

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRegisterFilesMax = 2'000;
constexpr std::uintmax_t kRegisterBytesMax = 64 * 1024;

std::string text_in(const fs::path& file) {
    std::error_code ec;
    if (!fs::is_regular_file(fs::symlink_status(file, ec)) || ec) return {};
    if (fs::file_size(file, ec) > kRegisterBytesMax || ec) return {};
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

std::string number_text(const Json& value) {
    return value.is_string() ? value.text() : std::to_string(value.count());
}

std::string open_in_claude(const std::string& id, const AgentHomes& homes) {
    std::error_code ec;
    std::size_t looked_at = 0;
    for (fs::directory_iterator entry(homes.claude + "/sessions", ec), end; !ec && entry != end;
         entry.increment(ec)) {
        if (++looked_at > kRegisterFilesMax) break;
        if (entry->path().extension() != ".json") continue;  // a .key beside it is a secret
        const auto live = Json::parse(text_in(entry->path()));
        if (!live || live->text_of("sessionId") != id) continue;
        const std::uint64_t pid = live->count_of("pid");
        const std::string began = process_began(static_cast<std::int64_t>(pid));
        // It stays behind after kill -9, and another process may have the number since.
        const Json& known = (*live)["procStart"];
        const bool same = known.is_null() || number_text(known) == began;
        if (!began.empty() && same) return "process " + std::to_string(pid) + " of claude";
    }
    return {};
}

std::string open_in_codex(const std::string& id, const AgentHomes& homes) {
    const std::string path = homes.codex + "/thread-writer-locks/" + id + ".lock";
    const system::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file.open()) return {};
    if (::flock(file.get(), LOCK_SH | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? "a process of codex" : "";
    return {};  // what is closed is free again
}

/// The rows of the conversation. All conversations are in one file, whose size says nothing of one.
std::uint64_t bytes_of_rows(const std::string& conversation, const AgentHomes& homes) {
    if (!is_conversation(conversation) || homes.data.empty()) return 0;
    std::uint64_t bytes = 0;
    const StoredRowsTaker take{.begin = [](const StoredSessionRow&) {},
                               .row = [&](const StoredDataRow& row) { bytes += row.data.size(); },
                               .end = [] {}};
    // Before the end of its first step, Kilo writes what opencode writes; an id is in one of them.
    for (const char* const file : {"/opencode/opencode.db", "/kilo/kilo.db"})
        (void)read_store_database(homes.data + file, conversation, take, [] { return false; });
    return bytes;
}

}  // namespace

std::string open_elsewhere(const std::string& agent, const std::string& conversation,
                           const AgentHomes& homes) {
    if (!is_conversation(conversation)) return {};
    if (agent == "claude" && !homes.claude.empty()) return open_in_claude(conversation, homes);
    if (agent == "codex" && !homes.codex.empty()) return open_in_codex(conversation, homes);
    return {};
}

std::vector<std::string> stored_files(const std::string& agent, const std::string& conversation,
                                      const AgentHomes& homes) {
    constexpr std::size_t kShortId = 8;  // as Gemini names its files
    if (!is_conversation(conversation)) return {};
    if (agent == "pi") return files_below(homes.pi + "/sessions", "_" + conversation + ".jsonl");
    if (agent == "gemini")
        return files_below(homes.gemini + "/.gemini/tmp",
                           "-" + conversation.substr(0, kShortId) + ".jsonl");
    std::string file;
    if (agent == "claude") file = file_in_projects(homes.claude, "", conversation);
    if (agent == "codex") file = find_rollout(homes.codex, conversation);
    if (agent == "qwen") file = file_in_projects(homes.qwen, "chats/", conversation);
    if (agent == "copilot")
        file = homes.copilot + "/session-state/" + conversation + "/events.jsonl";
    return file.empty() ? std::vector<std::string>{} : std::vector{std::move(file)};
}

std::uint64_t stored_bytes(const std::string& agent, const std::string& conversation,
                           const AgentHomes& homes) {
    if (agent == "opencode" || agent == "kilo") return bytes_of_rows(conversation, homes);
    std::uint64_t bytes = 0;
    for (const std::string& file : stored_files(agent, conversation, homes)) {
        std::error_code ec;
        const std::uintmax_t size = fs::file_size(file, ec);
        if (!ec) bytes += size;
    }
    return bytes;
}

}  // namespace headway::cli
