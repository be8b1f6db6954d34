// SPDX-License-Identifier: Apache-2.0
#include "agents/codex/rollout.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/lines/line_words.hpp"
#include "hook/text/answers.hpp"
#include "hook/text/bytes.hpp"

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kEndBytes = 1024 * 1024;
constexpr std::size_t kRecordBytesMax = 256 * 1024 * 1024;
constexpr std::size_t kLinesMax = 4'096;     // behind the last turn's start there are far fewer
constexpr std::size_t kEntriesMax = 20'000;  // years of sessions
constexpr std::size_t kThreadBytesMax = 64;
constexpr double kAllUsed = 100;

/// "usage_limit_exceeded", or {"http_connection_failed":{"http_status_code":401}}.
void add_class(const Json& info, Json& error) {
    if (info.is_string()) error["class"] = info.text();
    if (info.members().empty()) return;
    const auto& [name, about] = *info.members().begin();
    error["class"] = name;
    const Json& status = std::as_const(about)["http_status_code"];
    if (status_of(status)) error["status"] = status;
}

/// The windows of the plan that are used up: it goes on when the last of them resets.
std::uint64_t reset_of(const Json& limits) {
    std::uint64_t reset = 0;
    for (const char* name : {"primary", "secondary"}) {
        const Json& window = limits[name];
        if (window["used_percent"].number() < kAllUsed) continue;
        reset = std::max(reset, window.count_of("resets_at"));
    }
    return reset;
}

/// A stop that no time ends: the workspace has no credit, or has reached its spend cap.
bool needs_money(const Json& limits) {
    return limits.text_of("rate_limit_reached_type").starts_with("workspace_") ||
           limits.flag_of("spend_control_reached");
}

/// The newest names first: folders are named by year, month and day. Links are not followed.
std::vector<fs::path> children(const fs::path& folder, std::size_t& left, bool folders) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator entry{folder, error}, end; !error && entry != end && left > 0;
         entry.increment(error)) {
        --left;
        std::error_code unknown;
        const fs::file_status status = entry->symlink_status(unknown);
        if (folders ? fs::is_directory(status) : fs::is_regular_file(status))
            found.push_back(entry->path());
    }
    std::sort(found.begin(), found.end(), std::greater<>{});
    return found;
}

bool is_thread(std::string_view thread) {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-';
    };
    return !thread.empty() && thread.size() <= kThreadBytesMax &&
           std::all_of(thread.begin(), thread.end(), fits);
}

}  // namespace

void add_stop_in_rollout(std::string_view end_of_rollout, Json& error) {
    std::optional<std::uint64_t> reset;
    bool money = false;
    const Json* stop = nullptr;
    Json ended;
    for (std::size_t lines = 0; !end_of_rollout.empty() && lines < kLinesMax; ++lines) {
        const std::string_view text = hook::take_last_line(end_of_rollout);
        if (text.find("\"event_msg\"") == text.npos) continue;
        const std::optional<Json> line = Json::parse(text);
        if (!line) continue;
        const Json& payload = std::as_const(*line)["payload"];
        const std::string& type = payload.text_of("type");
        if (type == "task_started") break;
        const Json& limits = payload["rate_limits"];
        if (type == "token_count" && !reset && limits.is_object()) {
            reset = reset_of(limits);
            money = needs_money(limits);
        }
        if (type == "task_complete" && stop == nullptr) {
            ended = payload["error"];
            stop = &ended;
        }
    }
    if (stop == nullptr || stop->empty()) return;
    add_class((*stop)["codex_error_info"], error);
    if (error["class"] != "usage_limit_exceeded") return;
    if (reset.value_or(0) == 0) {
        if (money) error["class"] = "billing_error";
        return;
    }
    AgentLine timed;
    ToldError told_error{"limit"};
    told_error.retry_at_s = reset;
    add_error(timed, told_error);
    const Json& data = timed.events.front().data;
    if (data.contains("retry_at")) error["retry_at"] = data["retry_at"];
}

std::string find_rollout(const std::string& codex_home, std::string_view thread) {
    if (codex_home.empty() || !is_thread(thread)) return {};
    const std::string ending = "-" + std::string{thread} + ".jsonl";
    std::size_t left = kEntriesMax;
    for (const fs::path& year : children(fs::path{codex_home} / "sessions", left, true)) {
        for (const fs::path& month : children(year, left, true)) {
            for (const fs::path& day : children(month, left, true)) {
                for (const fs::path& file : children(day, left, false)) {
                    if (file.filename().string().ends_with(ending)) return file.string();
                }
            }
        }
    }
    return {};
}

LineTokens total_in_rollout(std::string_view end_of_rollout) {
    for (std::size_t lines = 0; !end_of_rollout.empty() && lines < kLinesMax; ++lines) {
        const std::string_view text = hook::take_last_line(end_of_rollout);
        if (text.find("\"token_count\"") == text.npos) continue;
        const std::optional<Json> line = Json::parse(text);
        if (!line) continue;
        const Json& payload = std::as_const(*line)["payload"];
        const Json& total = payload["info"]["total_token_usage"];
        if (payload["type"] != "token_count" || total.empty()) continue;
        return tokens_inside(total.count_of("input_tokens"), total.count_of("cached_input_tokens"),
                             total.count_of("cache_write_input_tokens"),
                             total.count_of("output_tokens"),
                             total.count_of("reasoning_output_tokens"));
    }
    return {};
}

LineTokens total_of_rollout(const std::string& path) {
    return total_in_rollout(hook::tail_of(path, kEndBytes));
}

std::string folder_of_rollout(const std::string& path) {
    std::string folder;
    std::ifstream file{path};
    std::size_t left = kRecordBytesMax;
    for (std::string line; std::getline(file, line) && line.size() < left; left -= line.size()) {
        if (line.find("\"turn_context\"") == line.npos) continue;
        const std::optional<Json> turn = Json::parse(line);
        if (turn && turn->text_of("type") == "turn_context")
            folder = std::as_const(*turn)["payload"].text_of("cwd");
    }
    return folder;
}

void add_stop_of_rollout(const std::string& path, Json& error) {
    add_stop_in_rollout(hook::tail_of(path, kEndBytes), error);
}

}  // namespace headway::cli
