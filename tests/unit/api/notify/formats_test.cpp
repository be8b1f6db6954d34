// SPDX-License-Identifier: Apache-2.0
#include "api/notify/formats.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/text/base64.hpp"
#include "tests/support/make.hpp"

using namespace headway::api::notify;
using headway::tests::at;
using Document = nlohmann::json;

namespace {

const std::string kHostile =
    "x\r\nBcc: a@b <!channel> <@U1> @everyone @here `rm` **b** [l](https://e) ||s|| "
    "\xe2\x80\xae\xff &amp; https://evil.example # h =?UTF-8?Q?a?=";

/// A session's own texts, through the one way that texts take.
Letter letter_about(const std::string& reason, const std::string& goal = "mend it") {
    const std::string body = Document{
        {"type", "verdict.changed"},
        {"data",
         {{"agent", "coder"},
          {"goal", goal},
          {"reason", reason},
          {"event",
           {{"to", "stuck"}}}}}}.dump(-1, ' ', false, Document::error_handler_t::replace);
    const Notice notice = read_notice({"verdict.changed", "night-7", 4, body}, "https://h.example");
    Letter letter = compose({&notice, 1}, false, "https://h.example");
    letter.id = "msg_1";
    letter.at = at(0);
    return letter;
}

Letter letter_about_many(std::size_t count, const std::string& session = "night-") {
    std::vector<Notice> notices;
    for (std::size_t i = 0; i < count; ++i) {
        notices.push_back(read_notice({"verdict.changed", session + std::to_string(i), 4,
                                       R"({"data":{"event":{"to":"stuck"}}})"},
                                      "https://h.example"));
    }
    Letter letter = compose(notices, true, "https://h.example");
    letter.id = "msg_2";
    return letter;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t i = text.find(part); i != text.npos; i = text.find(part, i + 1))
        ++count;
    return count;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::size_t begin = 0;
    for (std::size_t end = text.find("\r\n"); end != text.npos; end = text.find("\r\n", begin)) {
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 2;
    }
    REQUIRE(begin == text.size());
    return lines;
}

}  // namespace

TEST_CASE("slack: blocks, a plain fallback and one link of ours", "[api]") {
    CHECK(slack_body(letter_about("same edit")) ==
          R"({"text":"night-7 is stuck","mrkdwn":false,"unfurl_links":false,"unfurl_media":false,)"
          R"("blocks":[{"type":"header","text":{"type":"plain_text","text":"night-7 is stuck",)"
          R"("emoji":false}},{"type":"section","text":{"type":"plain_text",)"
          R"("text":"Reason: same edit\nAgent: coder\nGoal: mend it","emoji":false}},)"
          R"({"type":"section","text":{"type":"mrkdwn",)"
          R"("text":"<https://h.example/#/session/night-7?n=4|Show the session>",)"
          R"("verbatim":true}}]})");
}

TEST_CASE("slack: no text of an agent calls anybody", "[api]") {
    const Document body = Document::parse(slack_body(letter_about(kHostile, kHostile)));
    for (const Document& block : body["blocks"]) {
        const std::string text = block["text"]["text"];
        if (block["text"]["type"] == "plain_text") continue;  // which has no markup
        CHECK(text == "<https://h.example/#/session/night-7?n=4|Show the session>");
    }
    const Document many = Document::parse(slack_body(letter_about_many(3, "<!channel>&")));
    CHECK(many["blocks"][1]["text"]["type"] == "plain_text");
    CHECK(many["blocks"][2]["text"]["text"] ==
          "<https://h.example/#/session/%3C%21channel%3E%260?n=4|1>  "
          "<https://h.example/#/session/%3C%21channel%3E%261?n=4|2>  "
          "<https://h.example/#/session/%3C%21channel%3E%262?n=4|3>");
    CHECK(many["text"].get<std::string>().find('<') == std::string::npos);
}

TEST_CASE("slack: however much there is, it fits", "[api]") {
    const Document body = Document::parse(slack_body(letter_about_many(500)));
    const std::string items = body["blocks"][1]["text"]["text"];
    CHECK(items.starts_with("1. night-0 is stuck\n2. night-1 is stuck\n"));
    CHECK(items.ends_with("20. night-19 is stuck\nand 480 more"));
    for (const Document& block : body["blocks"])
        CHECK(block["text"]["text"].get<std::string>().size() <= 3000);
    const std::string header = body["blocks"][0]["text"]["text"];
    CHECK(header == "500 more: 500 stuck");
}

TEST_CASE("discord: text, no mentions, no embeds", "[api]") {
    const Document body = Document::parse(discord_body(letter_about("same edit")));
    CHECK(body["allowed_mentions"] == Document{{"parse", Document::array()}});
    CHECK(body["flags"] == 4);
    CHECK(body["content"] ==
          "**night\\-7 is stuck**\nReason: same edit\nAgent: coder\nGoal: mend it\n"
          "[Show the session](<https://h.example/#/session/night-7?n=4>)");
}

TEST_CASE("discord: markup of an agent is text", "[api]") {
    const std::string content = Document::parse(discord_body(letter_about(kHostile)))["content"];
    for (const char* marked : {"\\@everyone", "\\`rm\\`", "\\*\\*b\\*\\*", "\\]\\(", "\\|\\|s",
                               "https\\://evil\\.example"})
        CHECK(content.find(marked) != content.npos);
    CHECK(occurrences(content, "](") == 1);  // our own link
    CHECK(occurrences(content, "https://") == 1);
}

TEST_CASE("discord: at most 2,000 characters, and the link is always there", "[api]") {
    for (const std::string& text : {std::string(100'000, '*'), std::string(100'000, 'x')}) {
        const std::string content =
            Document::parse(discord_body(letter_about(text, text)))["content"];
        CHECK(content.size() <= 2000);
        CHECK(content.ends_with("[Show the session](<https://h.example/#/session/night-7?n=4>)"));
    }
    const std::string many = Document::parse(discord_body(letter_about_many(500)))["content"];
    CHECK(many.size() <= 2100);  // "•" is one character
    CHECK(many.find(" more\n[Show the overview]") != many.npos);
}

TEST_CASE("ntfy: JSON with topic, priority and a link", "[api]") {
    CHECK(ntfy_body(letter_about("same edit"), "alerts") ==
          R"({"topic":"alerts","title":"night-7 is stuck",)"
          R"("message":"Reason: same edit\nAgent: coder\nGoal: mend it","priority":4,)"
          R"("click":"https://h.example/#/session/night-7?n=4"})");
    const Document hostile =
        Document::parse(ntfy_body(letter_about(kHostile + std::string(100'000, 'y')), "alerts"));
    CHECK(hostile["message"].get<std::string>().size() < 4096);
    CHECK(hostile["topic"] == "alerts");
    CHECK(Document::parse(ntfy_body(letter_about_many(500), "t"))["message"]
              .get<std::string>()
              .size() < 4096);
}

TEST_CASE("telegram: what an agent wrote is code, which has no mention and no link", "[api]") {
    const Document plain = Document::parse(telegram_body(letter_about("same edit"), "-1001"));
    CHECK(plain["chat_id"] == "-1001");
    CHECK(plain["parse_mode"] == "HTML");
    CHECK(plain["text"] ==
          "<code>night-7 is stuck</code>\n<b>Reason:</b> <code>same edit</code>\n"
          "<b>Agent:</b> <code>coder</code>\n<b>Goal:</b> <code>mend it</code>\n"
          "<a href=\"https://h.example/#/session/night-7?n=4\">Show the session</a>");
    CHECK_FALSE(plain.contains("disable_notification"));
    const std::string hostile = Document::parse(
        telegram_body(letter_about("</code>" + kHostile + std::string(9'000, '<')), "1"))["text"];
    CHECK(occurrences(hostile, "<code>") == occurrences(hostile, "</code>"));
    CHECK(hostile.find("<!channel>") == hostile.npos);
    const std::string many = Document::parse(telegram_body(letter_about_many(500), "1"))["text"];
    CHECK(many.find(" more\n<a href=") != many.npos);
}

TEST_CASE("a digest: its lines are told, with one link to the overview", "[api]") {
    const std::string body = R"({"type":"digest","timestamp":"2026-11-28T07:30:00.000Z","data":)"
                             R"({"title":"1 needs you, 2 ended","span":"from 22:00 to 07:30",)"
                             R"("lines":["Needs you: night-7 <@U1>","Ended: night-8"]}})";
    const Notice notice = read_notice({"digest", "", 0, body}, "https://h.example");
    const Letter letter = compose({&notice, 1}, false, "https://h.example");
    CHECK(letter.title == "The night: 1 needs you, 2 ended");
    REQUIRE(letter.items.size() == 2);
    CHECK(letter.items[1].text == "Ended: night-8");
    CHECK(letter.link == "https://h.example/#/");
    CHECK(plain_text(letter, 1'000) ==
          "Time: from 22:00 to 07:30\n- Needs you: night-7 <@U1>\n- Ended: night-8");
    CHECK(slack_body(letter).find("<@U1>") !=
          std::string::npos);  // in plain_text, where it is text
    CHECK(discord_body(letter).find("\\\\@U1") != std::string::npos);
}

TEST_CASE("email: headers and a quoted-printable text", "[api]") {
    const std::vector<std::string> to{"ana@example.com", "ben@example.com"};
    CHECK(email_text(letter_about("same = edit"), "headway@example.org", to) ==
          "Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n"
          "From: Headway <headway@example.org>\r\n"
          "To: ana@example.com,\r\n ben@example.com\r\n"
          "Subject: night-7 is stuck\r\n"
          "Message-ID: <msg_1@example.org>\r\n"
          "Auto-Submitted: auto-generated\r\n"
          "MIME-Version: 1.0\r\n"
          "Content-Type: text/plain; charset=utf-8\r\n"
          "Content-Transfer-Encoding: quoted-printable\r\n"
          "\r\n"
          "night-7 is stuck\r\n"
          "\r\n"
          "Show the session: https://h.example/#/session/night-7?n=3D4\r\n"
          "\r\n"
          "Reason: same =3D edit\r\n"
          "Agent: coder\r\n"
          "Goal: mend it\r\n");
}

TEST_CASE("email: no text makes a header, a longer line or an end", "[api]") {
    Letter letter = letter_about(kHostile + "\r\n.\r\n" + std::string(5'000, '.'));
    letter.title = "a\r\nBcc: x@y\n\n" + kHostile;  // even past the way that texts take
    letter.id = "msg_1>\r\nX: y";
    const std::string mail = email_text(letter, "h@example.org", std::vector<std::string>{"a@b"});
    const auto lines = lines_of(mail);
    std::size_t headers = 0;
    for (const std::string& line : lines) {
        CHECK(line.size() <= 78);
        CHECK(line.find_first_of("\r\n") == line.npos);
        CHECK_FALSE(line.starts_with('.'));
        for (const char c : line)
            CHECK((c >= 0x20 && c < 0x7f));
    }
    while (!lines[headers].empty()) {
        CHECK_FALSE(lines[headers].starts_with("Bcc"));
        CHECK_FALSE(lines[headers].starts_with("X:"));
        ++headers;
    }
}

TEST_CASE("email: a subject beyond ASCII is words of RFC 2047", "[api]") {
    Letter letter = letter_about("x");
    letter.title = "nächtlich ist stuck " + std::string(40, 'y') + "äöü…";
    const std::string mail = email_text(letter, "h@example.org", std::vector<std::string>{"a@b"});
    std::string decoded;
    for (std::size_t i = mail.find("=?UTF-8?B?"); i != mail.npos;
         i = mail.find("=?UTF-8?B?", i + 1)) {
        const std::size_t end = mail.find("?=", i);
        CHECK(end + 2 - i <= 75);
        decoded += headway::core::from_base64(mail.substr(i + 10, end - i - 10)).value();
    }
    CHECK(decoded == letter.title);
}

TEST_CASE("command: the stored body as it stands, with a notice", "[api]") {
    const std::string stored = R"({"type":"session.ended","data":{"session":"night-7"}})";
    const std::vector<std::string_view> one{stored};
    CHECK(command_body(letter_about("same edit"), one) ==
          R"({"type":"session.ended","data":{"session":"night-7"},"notice":{"id":"msg_1",)"
          R"("title":"night-7 is stuck","text":"Reason: same edit\nAgent: coder\nGoal: mend it",)"
          R"("urgency":"high","link":"https://h.example/#/session/night-7?n=4"}})"
          "\n");
    const std::vector<std::string_view> two{stored, stored};
    const Document group = Document::parse(command_body(letter_about_many(2), two));
    CHECK(group["type"] == "webhook.group");
    CHECK(group["data"]["messages"].size() == 2);
    CHECK(group["data"]["messages"][1]["data"]["session"] == "night-7");
    CHECK(group["notice"]["title"] == "2 more: 2 stuck");
}
