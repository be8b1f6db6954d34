// SPDX-License-Identifier: Apache-2.0
#include "cli/observe/copied_reports.hpp"

#include <functional>
#include <utility>

namespace headway::cli {
namespace {

std::uint64_t digest(std::string_view text) {
    return std::hash<std::string_view>{}(text);
}

}  // namespace

void CopiedReports::drop(std::string_view id, std::vector<std::string>& reports, bool& in_copy) {
    const std::uint64_t maker = digest(id);
    std::vector<std::string> own;
    for (std::string& report : reports) {
        const auto [known, is_new] = makers_.try_emplace(digest(report), maker);
        const bool is_same = !is_new && known->second != maker;
        if (is_new) order_.push_back(known->first);
        if (order_.size() > kRemembered) {
            makers_.erase(order_.front());
            order_.pop_front();
        }
        const bool is_use = report.find(R"("type":"heartbeat")") != report.npos;
        in_copy = is_same && (in_copy || !is_use);
        if (!in_copy) own.push_back(std::move(report));
    }
    reports = std::move(own);
}

}  // namespace headway::cli
