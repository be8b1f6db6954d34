// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/messages/acp_head.hpp"

#include <utility>

#include "cli/acp/messages/acp_message.hpp"
#include "cli/base/json.hpp"
#include "core/text/words.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kTokenBytesMax = 1'024;
constexpr std::size_t kNamesMax = 64;
constexpr std::string_view kBlankBytes = " \t\r\n";
// Some readers skip a byte order mark as well.
constexpr std::string_view kBeginBytes = " \t\r\n\xEF\xBB\xBF";

bool is_blank(char c) {
    return kBlankBytes.find(c) != kBlankBytes.npos;
}

}  // namespace

void AcpMembers::feed(std::string_view text) {
    for (const char c : text)
        take(c);
}

void AcpMembers::begin(char c) {
    if (kBeginBytes.find(c) != kBeginBytes.npos) return;
    begun_ = true;
    object_ = c == '{';
}

void AcpMembers::take(char c) {
    head_.braces = head_.braces || c == '{';
    if (!begun_) return begin(c);
    if (!object_) {
        head_.odd = head_.odd || c == '{';
    } else if (over_) {
        head_.odd = head_.odd || !is_blank(c);
        head_.whole = head_.whole && is_blank(c);
    } else if (quoted_) {
        keep(c);
        // Some readers end a line there.
        head_.odd = head_.odd || static_cast<unsigned char>(c) < ' ';
        quoted_ = c != '"' || escaped_;
        escaped_ = c == '\\' && !escaped_;
        behind_text_ = !quoted_;
    } else if (is_blank(c)) {
        take_blank(c);
    } else {
        take_mark(c);
    }
}

void AcpMembers::take_blank(char c) {
    head_.odd = head_.odd || c == '\r';
    if (!token_.empty() && token_.back() != ' ') keep(' ');
}

/// Texts that follow each other, and marks that JSON does not have, may have another order for
/// others: some readers have comments, and other quotes.
void AcpMembers::take_mark(char c) {
    constexpr std::string_view kMarks = "{}[],:\"+-.";
    constexpr std::string_view kBehindText = "}],:";
    const bool known = core::is_letter(c) || core::is_digit(c) || kMarks.find(c) != kMarks.npos;
    const bool follows =
        !std::exchange(behind_text_, false) || kBehindText.find(c) != kBehindText.npos;
    head_.odd = head_.odd || !known || !follows;
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
    over_ = depth_ == 0 && closes && !cut_;
    head_.whole = over_;
}

void AcpMembers::keep(char c) {
    if (depth_ > 0) return;
    cut_ = cut_ || token_.size() == kTokenBytesMax;
    if (!cut_) token_ += c;
}

/// Readers take the first or the last of two members with one name; some take any letters' case.
void AcpMembers::name() {
    const auto read = Json::parse(std::exchange(token_, {}));
    const bool known = !std::exchange(cut_, false) && read && read->is_string();
    name_ = known ? read->text() : std::string{};
    const std::string plain = core::lower(name_);
    const bool taken = names_.size() == kNamesMax || !names_.insert(plain).second;
    const bool other = plain != name_ && (plain == "method" || plain == "params" || plain == "id");
    head_.odd = head_.odd || !known || taken || other;
    head_.reply = head_.reply || name_ == "result" || name_ == "error";
    // A second id makes all unknown.
    if (plain == "id") ++ids_;
    if (ids_ > 1) head_.id.clear();
}

void AcpMembers::value() {
    const auto read = Json::parse(std::exchange(token_, {}));
    const std::string name = std::exchange(name_, {});
    const bool known = !std::exchange(cut_, false) && read;
    head_.odd = head_.odd || (name == "method" && !known);
    if (!known) return;
    if (name == "method") head_.method = read->text();
    head_.request = head_.request || !head_.method.empty();
    if (name == "id" && ids_ == 1) head_.id = acp_id(*read);
}

AcpHead acp_head(std::string_view begin) {
    AcpMembers members;
    members.feed(begin);
    return members.head();
}

}  // namespace headway::cli
