// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/messages/acp_texts.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/acp/messages/acp_message.hpp"

namespace headway::cli {

std::string acp_file(const std::string& path) {
    return std::filesystem::path{path}.lexically_normal().string();
}

/// Where two requests with one id are open, nothing tells their replies apart.
void AcpTexts::from_agent(const Json& request) {
    if (!request.contains("id")) return;
    const std::string id = acp_id(request["id"]);
    if (const auto found = open_.find(id); found != open_.end()) {
        found->second.file.clear();
        ++found->second.replies;
        return;
    }
    blind_ = blind_ || open_.size() == kOpenMax;
    if (blind_) return;
    const Json& params = request["params"];
    const bool whole = request["method"] == "fs/read_text_file" && params["line"].is_null() &&
                       params["limit"].is_null();
    const std::string& path = params.text_of("path");
    open_[id].file = whole && path.starts_with('/') ? acp_file(path) : std::string{};
}

void AcpTexts::from_editor(const Json& reply) {
    const auto found = open_.find(acp_id(reply["id"]));
    if (found == open_.end()) return;
    std::string file = found->second.file;
    if (--found->second.replies == 0) open_.erase(found);
    const Json& text = reply["result"]["content"];
    if (file.empty() || !text.is_string()) return;
    std::erase_if(texts_, [&file](const auto& other) { return other.first == file; });
    texts_.emplace_back(std::move(file), text.text());
    std::size_t bytes = 0;
    for (const auto& [name, kept] : texts_)
        bytes += kept.size();
    for (; texts_.size() > kFilesMax || bytes > kBytesMax; texts_.pop_front())
        bytes -= texts_.front().second.size();
}

const std::string* AcpTexts::find(const std::string& path) const {
    const auto found = std::find_if(texts_.begin(), texts_.end(),
                                    [&path](const auto& text) { return text.first == path; });
    return found == texts_.end() ? nullptr : &found->second;
}

void AcpTexts::forget(const std::string& path) {
    for (auto& [id, open] : open_)
        if (open.file == path) open.file.clear();
    std::erase_if(texts_, [&path](const auto& text) { return text.first == path; });
}

}  // namespace headway::cli
