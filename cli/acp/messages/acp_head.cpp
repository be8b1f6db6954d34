// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/messages/acp_head.hpp"

#include <utility>

#include "cli/acp/messages/acp_message.hpp"
#include "cli/base/json.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kTokenBytesMax = 1'024;
// Some readers skip a byte order mark as well.
constexpr std::string_view kBlankBytes = " \t\r\n\xEF\xBB\xBF";

}  // namespace

void AcpMembers::feed(std::string_view text) {
    for (const char c : text)
        take(c);
}

void AcpMembers::begin(char c) {
    if (kBlankBytes.find(c) != kBlankBytes.npos) return;
    begun_ = true;
    head_.object = c == '{';
    head_.list = c == '[';
    over_ = !head_.object;
}

void AcpMembers::take(char c) {
    if (!begun_) return begin(c);
    if (over_) return;
    if (quoted_) {
        keep(c);
        quoted_ = c != '"' || escaped_;
        escaped_ = c == '\\' && !escaped_;
        return;
    }
    quoted_ = c == '"';
    const bool opens = c == '{' || c == '[';
    const bool closes = c == '}' || c == ']';
    if (depth_ > 0 || opens) {
        cut_ = true;
        depth_ += opens ? 1 : 0;
        depth_ -= closes ? 1 : 0;
    } else if (c == ':') {
        name();
    } else if (c == ',' || c == '}') {
        value();
    } else {
        keep(c);
    }
    over_ = over_ || (depth_ == 0 && closes && !cut_);
}

void AcpMembers::keep(char c) {
    if (depth_ > 0) return;
    cut_ = cut_ || token_.size() == kTokenBytesMax;
    if (!cut_) token_ += c;
}

void AcpMembers::name() {
    const auto read = Json::parse(std::exchange(token_, {}));
    name_ = read && !std::exchange(cut_, false) ? read->text() : std::string{};
    head_.reply = head_.reply || name_ == "result" || name_ == "error";
}

void AcpMembers::value() {
    const auto read = Json::parse(std::exchange(token_, {}));
    const std::string name = std::exchange(name_, {});
    if (std::exchange(cut_, false) || !read) return;
    if (name == "method") head_.method = read->text();
    head_.request = head_.request || !head_.method.empty();
    if (name == "id") head_.id = acp_id(*read);
}

AcpHead acp_head(std::string_view begin) {
    AcpMembers members;
    members.feed(begin);
    return members.head();
}

}  // namespace headway::cli
