// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "api/notify/formats.hpp"
#include "core/text/base64.hpp"
#include "core/text/text.hpp"

// RFC 5322 (the form), 2047 (words of headers), 2045 (quoted-printable), 3834 (Auto-Submitted).

namespace headway::api::notify {
namespace {

constexpr std::size_t kLineMax = 76;           // of RFC 2045, without its CRLF
constexpr std::size_t kWordBytesMax = 42;      // 56 in base64, 68 with "=?UTF-8?B?" and "?="
constexpr std::size_t kSubjectBytesMax = 200;  // which no list of mails shows whole
constexpr std::size_t kMailBytesMax = 60'000;

bool is_printable_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

/// Without what could end a header. Agents' texts have no such characters any more; this is where
/// it would matter.
std::string on_one_line(std::string_view text) {
    std::string line{text};
    std::replace_if(
        line.begin(), line.end(),
        [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
    return line;
}

std::string header_text(std::string_view words) {
    std::string line = on_one_line(core::shortened(words, kSubjectBytesMax));
    std::string text;
    std::string_view rest = line;
    // "=?" would be read as an encoded word.
    if (is_printable_ascii(line) && line.find("=?") == line.npos && line.size() <= kLineMax - 9)
        return line;
    while (!rest.empty()) {
        std::string_view word = core::cut_text(rest, kWordBytesMax);
        if (word.empty()) word = rest.substr(0, kWordBytesMax);  // no UTF-8
        text.append(text.empty() ? "" : "\r\n ");
        text.append("=?UTF-8?B?").append(core::to_base64(word)).append("?=");
        rest.remove_prefix(word.size());
    }
    return text;
}

/// "Tue, 24 Nov 2026 09:10:16 +0000"
std::string mail_date(core::Timestamp at) {
    using namespace std::chrono;
    constexpr std::array<const char*, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto day = floor<days>(at);
    const year_month_day date{day};
    const hh_mm_ss time{floor<std::chrono::seconds>(at - day)};
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d +0000",
                  kDays[weekday{day}.c_encoding()], static_cast<unsigned>(date.day()),
                  kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()));
    return text.data();
}

/// One line of the text as quoted-printable, with soft breaks.
void append_quoted(std::string& out, std::string_view line) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::size_t column = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (column + 3 > kLineMax - 1) {  // as wide as any byte may become
            out += "=\r\n";
            column = 0;
        }
        const auto byte = static_cast<unsigned char>(line[i]);
        const bool at_end = i + 1 == line.size();
        const bool ends_mail = byte == '.' && column == 0;  // a lone dot would
        const bool plain =
            (byte > ' ' && byte <= '~' && byte != '=' && !ends_mail) || (byte == ' ' && !at_end);
        if (plain) {
            out += line[i];
        } else {
            out.append({'=', kDigits[byte >> 4U], kDigits[byte & 15U]});
        }
        column += plain ? 1 : 3;
    }
    out += "\r\n";
}

std::string mail_body(const Letter& letter) {
    std::string text = letter.title + "\n";
    if (!letter.link.empty())
        text.append("\n").append(letter.link_words).append(": ").append(letter.link).append("\n");
    const std::string rest = plain_text(letter, kMailBytesMax);
    if (!rest.empty()) text.append("\n").append(rest).append("\n");
    std::string encoded;
    for (std::string_view left = text; !left.empty();) {
        const std::size_t end = std::min(left.find('\n'), left.size());
        append_quoted(encoded, left.substr(0, end));
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    return encoded;
}

}  // namespace

std::string email_text(const Letter& letter, std::string_view from,
                       std::span<const std::string> to) {
    std::string mail;
    const auto header = [&mail](std::string_view name, std::string_view text) {
        mail.append(name).append(": ").append(text).append("\r\n");
    };
    header("Date", mail_date(letter.at));
    header("From", "Headway <" + on_one_line(from) + ">");
    std::string addresses;
    for (const std::string& address : to)
        addresses.append(addresses.empty() ? "" : ",\r\n ").append(on_one_line(address));
    header("To", addresses);
    header("Subject", header_text(letter.title));
    header("Message-ID",
           "<" + on_one_line(letter.id) + on_one_line(from.substr(from.find('@'))) + ">");
    header("Auto-Submitted", "auto-generated");
    if (letter.urgency == Urgency::kUrgent) header("Importance", "high");
    header("MIME-Version", "1.0");
    header("Content-Type", "text/plain; charset=utf-8");
    header("Content-Transfer-Encoding", "quoted-printable");
    mail += "\r\n";
    return mail + mail_body(letter);
}

}  // namespace headway::api::notify
