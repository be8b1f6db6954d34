// SPDX-License-Identifier: Apache-2.0
#include "core/redaction/sanitize.hpp"

#include <algorithm>
#include <array>

#include "core/base/assert.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

constexpr std::array<std::string_view, 13> kSecretNames{
    "password", "passwd",     "passphrase",    "secret", "token",      "api_key",    "apikey",
    "api-key",  "credential", "authorization", "cookie", "access_key", "private_key"};

/// After one of these, the rest of the line is the secret.
constexpr std::array<std::string_view, 2> kWholeLine{"authorization", "cookie"};

constexpr std::array<std::string_view, 16> kTokenStarts{
    "sk-",   "sk_live_", "sk_test_", "ghp_",  "gho_", "ghu_", "ghs_", "github_pat_",
    "glpat", "xoxb-",    "xoxp-",    "xoxa-", "AKIA", "ASIA", "AIza", "eyJ"};

/// Names whose values are user names; compared whole.
constexpr std::array<std::string_view, 4> kUserNames{"user", "username", "login", "account"};

/// Followed by a quoted name they name a user of a database; other roles are none.
constexpr std::array<std::string_view, 1> kRoleNames{"role"};

/// Names before `=1000(name)`, as `id` writes them.
constexpr std::array<std::string_view, 5> kIdNames{"uid", "gid", "groups", "euid", "egid"};

constexpr std::string_view kMail = "[mail]";
constexpr std::string_view kIp = "[ip]";
constexpr std::string_view kUser = "[user]";

constexpr std::size_t kTokenBytesMin = 16;  ///< shorter words of that shape are ordinary words

/// True in the words that matter here: names and numbers with dots and dashes in them.
bool in_dotted_word(char c) {
    return is_word(c) || c == '-' || c == '.';
}

bool ends_path(char c) {
    return is_space(c) || c == '"' || c == '\'' || c == '`' || c == ')' || c == ']' || c == '>' ||
           c == ',' || c == ';' || c == ':' || c == '|';
}

bool holds(std::string_view word, std::string_view name) {
    const auto found = std::search(word.begin(), word.end(), name.begin(), name.end(),
                                   [](char a, char b) { return lower(a) == b; });
    return found != word.end();
}

template <std::size_t N>
bool holds_any(std::string_view word, const std::array<std::string_view, N>& names) {
    return std::any_of(names.begin(), names.end(),
                       [word](std::string_view name) { return holds(word, name); });
}

/// Four numbers up to 255 with dots. Addresses of this machine are harmless.
bool is_ipv4(std::string_view word) {
    std::size_t parts = 0;
    if (word.starts_with("127.") || word == "0.0.0.0") return false;
    while (parts < 4) {
        std::size_t digits = 0;
        int number = 0;
        while (digits < word.size() && is_digit(word[digits]) && digits < 4)
            number = 10 * number + (word[digits++] - '0');
        if (digits == 0 || digits > 3 || number > 255) return false;
        word.remove_prefix(digits);
        if (++parts == 4) break;
        if (word.empty() || word.front() != '.') return false;
        word.remove_prefix(1);
    }
    return word.empty();
}

/// Length of the IPv6 address at the start of `text`, or 0. To exclude times and names with `::` it
/// needs a digit, and either eight groups or an empty one.
std::size_t ipv6_bytes(std::string_view text) {
    std::size_t end = 0;
    std::size_t colons = 0;
    std::size_t group = 0;
    bool digit = false;
    bool gap = false;
    constexpr std::size_t kLongest = 39;
    while (end < text.size() && end < kLongest && (is_hex(text[end]) || text[end] == ':')) {
        if (text[end] == ':') {
            gap = gap || (end > 0 && text[end - 1] == ':');
            ++colons;
            group = 0;
        } else if (++group > 4) {
            return 0;
        }
        digit = digit || is_digit(text[end]);
        ++end;
    }
    const bool cut = end < text.size() && in_dotted_word(text[end]);
    const bool whole = colons == 7 || (gap && colons >= 2 && colons < 7);
    HEADWAY_ASSERT(end <= kLongest);
    if (cut || !digit || !whole || text.substr(0, end) == "::1") return 0;
    return end;
}

bool is_token(std::string_view word) {
    if (word.size() < kTokenBytesMin) return false;
    return std::any_of(kTokenStarts.begin(), kTokenStarts.end(),
                       [word](std::string_view start) { return word.starts_with(start); });
}

/// Reads the text from left to right and writes the sanitized text.
class Sanitizer {
public:
    Sanitizer(std::string_view text, std::string_view workspace)
        : text_(text), workspace_(workspace), keeps_paths_(workspace == "/") {
        while (!workspace_.empty() && workspace_.back() == '/')
            workspace_.remove_suffix(1);
    }

    std::string run() {
        while (at_ < text_.size()) {
            const std::size_t before = at_;
            step();
            HEADWAY_ASSERT(at_ > before && at_ <= text_.size());
        }
        return std::move(out_);
    }

private:
    char here() const { return text_[at_]; }
    std::string_view rest() const { return text_.substr(at_); }
    bool after_word() const { return at_ > 0 && in_dotted_word(text_[at_ - 1]); }

    void step() {
        if (rest().starts_with("-----BEGIN")) {
            key_block();
        } else if (rest().starts_with("://")) {
            authority();
        } else if (!keeps_paths_ && !after_word() && starts_path()) {
            path();
        } else if (const std::size_t bytes = after_word() ? 0 : ipv6_bytes(rest()); bytes != 0) {
            out_ += kIp;
            at_ += bytes;
        } else if (in_dotted_word(here())) {
            word();
        } else {
            plain();
        }
    }

    /// White space becomes one blank, so the result is one line.
    void plain() {
        const char c = text_[at_++];
        if (!is_space(c) && static_cast<unsigned char>(c) >= 0x20) {
            out_.push_back(c);
        } else if (!out_.empty() && out_.back() != ' ') {
            out_.push_back(' ');
        }
    }

    void key_block() {
        const std::size_t end = text_.find("-----END", at_);
        const std::size_t line = end == std::string_view::npos ? end : text_.find('\n', end);
        at_ = std::min(line, text_.size());
        out_ += kRedacted;
    }

    /// In a URL, the text before an @ is a name and a password.
    void authority() {
        out_ += "://";
        at_ += 3;
        const std::size_t end = std::min(rest().find_first_of("/?# \t\n\"'"), rest().size());
        const std::string_view host = rest().substr(0, end);
        const std::size_t sign = host.rfind('@');
        at_ += end;
        const std::size_t port = std::min(host.find(':'), host.size());
        if (sign == std::string_view::npos && is_ipv4(host.substr(0, port))) {
            out_ += kIp;
            out_ += host.substr(port);
        } else if (sign == std::string_view::npos) {
            out_ += host;
        } else {
            out_ += kRedacted;
            out_ += host.substr(sign);
        }
        // The path of a URL is not a local path; its query may hold a token.
        while (at_ < text_.size() && !is_space(here()) && here() != '?')
            out_.push_back(text_[at_++]);
    }

    bool starts_path() const {
        const std::string_view from = rest();
        const bool drive = from.size() > 3 && from[1] == ':' && from[2] == '\\' &&
                           lower(from[0]) >= 'a' && lower(from[0]) <= 'z';
        return drive || from.starts_with("~/") ||
               (from.size() > 1 && from[0] == '/' && in_dotted_word(from[1]));
    }

    void path() {
        std::size_t end = at_ + 2;  // past the colon of a drive letter
        while (end < text_.size() && !ends_path(text_[end]))
            ++end;
        const std::string_view whole = text_.substr(at_, end - at_);
        at_ = end;
        const bool inside = !workspace_.empty() && whole.starts_with(workspace_) &&
                            (whole.size() == workspace_.size() || whole[workspace_.size()] == '/');
        if (inside) {
            out_ += whole.size() == workspace_.size() ? std::string_view{"."}
                                                      : whole.substr(workspace_.size() + 1);
            return;
        }
        const std::size_t last = whole.find_last_of("/\\");
        out_ += "…/";
        out_ += is_home(whole.substr(0, last)) ? kUser : whole.substr(last + 1);
    }

    /// True if the entries of this folder are named after users.
    static bool is_home(std::string_view folder) {
        return folder == "/home" || folder == "/Users" || folder.ends_with(":\\Users");
    }

    void word() {
        std::size_t end = at_;
        while (end < text_.size() && in_dotted_word(text_[end]))
            ++end;
        const std::string_view word = text_.substr(at_, end - at_);
        at_ = end;
        if (is_token(word)) {
            out_ += kRedacted;
            return;
        }
        if (is_ipv4(word)) {
            out_ += kIp;
            return;
        }
        if (address(word)) return;
        out_ += word;
        if (is_one_of(word, kUserNames) ||
            (is_one_of(word, kRoleNames) && rest().starts_with(" \""))) {
            user();
            return;
        }
        if (is_one_of(word, kIdNames)) {
            numbered_names();
            return;
        }
        if (holds(word, "bearer")) {
            value(false);
        } else if (holds_any(word, kSecretNames)) {
            assignment(holds_any(word, kWholeLine));
        }
    }

    template <std::size_t N>
    static bool is_one_of(std::string_view word, const std::array<std::string_view, N>& names) {
        return std::any_of(names.begin(), names.end(), [word](std::string_view name) {
            return word.size() == name.size() && holds(word, name);
        });
    }

    /// `uid=1000(ann)`, `groups=1000(ann),27(sudo)`.
    void numbered_names() {
        if (at_ == text_.size() || here() != '=') return;
        do {
            out_.push_back(text_[at_++]);
            while (at_ < text_.size() && is_digit(here()))
                out_.push_back(text_[at_++]);
            if (at_ == text_.size() || here() != '(') return;
            const std::size_t end = text_.find(')', at_);
            if (end == std::string_view::npos) return;
            out_.append("(").append(kUser).append(")");
            at_ = end + 1;
        } while (at_ < text_.size() && here() == ',' && at_ + 1 < text_.size() &&
                 is_digit(text_[at_ + 1]));
    }

    /// `name@host.tld`, and the `name@host:` of a shell; not `package@version`.
    bool address(std::string_view name) {
        if (at_ >= text_.size() || here() != '@') return false;
        std::size_t end = at_ + 1;
        while (end < text_.size() && (in_dotted_word(text_[end]) && text_[end] != '_'))
            ++end;
        std::string_view host = text_.substr(at_ + 1, end - at_ - 1);
        while (host.ends_with('.'))
            host.remove_suffix(1);
        if (host.empty() || is_digit(host.front()) || name.empty()) return false;
        const bool shell = end < text_.size() && text_[end] == ':';
        if (host.find('.') == std::string_view::npos && !shell) return false;
        at_ += 1 + host.size();
        out_ += host.find('.') == std::string_view::npos ? kUser : kMail;
        return true;
    }

    /// `user=ann`, `"username": "ann"`, `for user "ann"`.
    void user() {
        std::size_t from = at_;
        if (from < text_.size() && (text_[from] == '"' || text_[from] == '\'')) ++from;
        while (from < text_.size() && text_[from] == ' ')
            ++from;
        const bool assigned = from < text_.size() && (text_[from] == ':' || text_[from] == '=');
        if (assigned) ++from;
        while (assigned && from < text_.size() && text_[from] == ' ')
            ++from;
        const bool quoted = from < text_.size() && (text_[from] == '"' || text_[from] == '\'');
        if (!assigned && (!quoted || from == at_)) return;
        if (quoted) ++from;
        const std::string_view ends = quoted ? "\n\"'" : " \t\n\"',;&)}]";
        const std::size_t end = std::min(text_.find_first_of(ends, from), text_.size());
        if (end == from) return;
        out_ += text_.substr(at_, from - at_);
        out_ += kUser;
        at_ = end;
    }

    /// `name = value`, `"name": "value"`, `name: value`.
    void assignment(bool whole_line) {
        std::size_t from = at_;
        if (from < text_.size() && (text_[from] == '"' || text_[from] == '\'')) ++from;
        while (from < text_.size() && text_[from] == ' ')
            ++from;
        if (from == text_.size() || (text_[from] != ':' && text_[from] != '=')) return;
        out_ += text_.substr(at_, from + 1 - at_);
        at_ = from + 1;
        value(whole_line);
    }

    void value(bool whole_line) {
        while (at_ < text_.size() && (here() == ' ' || here() == '"' || here() == '\''))
            out_.push_back(text_[at_++]);
        if (rest().starts_with(kRedacted)) {  // already removed
            out_ += kRedacted;
            at_ += kRedacted.size();
            return;
        }
        const std::size_t from = at_;
        const std::string_view ends = whole_line ? "\n\"'" : " \t\n\"',;&)}]";
        at_ = std::min(text_.find_first_of(ends, at_), text_.size());
        if (at_ > from) out_ += kRedacted;
    }

    std::string_view text_;
    std::string_view workspace_;
    bool keeps_paths_;
    std::size_t at_ = 0;
    std::string out_;
};

}  // namespace

std::string sanitized(std::string_view text, std::string_view workspace, std::size_t bytes_max) {
    // Secrets are searched beyond the end of the result, but not far beyond.
    constexpr std::size_t kLookedAt = 4096;
    std::string clean = Sanitizer{cut_text(text, kLookedAt), workspace}.run();
    if (clean.size() <= bytes_max) return clean;
    constexpr std::string_view kMore = "…";
    HEADWAY_ASSERT(bytes_max >= kMore.size());
    clean = std::string{cut_text(clean, bytes_max - kMore.size())}.append(kMore);
    HEADWAY_ASSERT(clean.size() <= bytes_max);
    return clean;
}

}  // namespace headway::core
