// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/webhooks/mail_recipients.hpp"

#include <catch2/catch.hpp>

using headway::server::MailRecipients;

TEST_CASE("mail recipients: each has the word of the server about itself", "[server]") {
    MailRecipients recipients;
    for (const char* line : {"220 mail.example", "250-mail.example", "250 SIZE"})
        recipients.received(line);
    recipients.sent("MAIL FROM:<headway@example.com>\r\n");
    recipients.received("250 ok\r\n");
    recipients.sent("RCPT TO:<ana@example.com>\r\n");
    recipients.received("250 2.1.5 ok\r\n");
    recipients.sent("RCPT TO:<ben@example.com>\r\n");
    recipients.received("550-5.1.1 who is that?\r\n");
    recipients.received("550 5.1.1 unknown\r\n");
    recipients.sent("RCPT TO:<eve@example.com>\r\n");
    recipients.received("451 later\r\n");
    recipients.sent("DATA\r\n");
    recipients.received("354 go on\r\n");
    recipients.received("554 not now\r\n");  // about no recipient
    REQUIRE(recipients.refused().size() == 2);
    CHECK(recipients.any_for_later());
    CHECK(recipients.settled() == std::vector<std::string>{"ana@example.com", "ben@example.com"});
    CHECK(recipients.words() == "SMTP 550 for ben@example.com, SMTP 451 for eve@example.com");
}

TEST_CASE("mail recipients: nonsense is about no recipient", "[server]") {
    MailRecipients recipients;
    recipients.sent("RCPT TO:<ana@example.com>\r\n");
    for (const char* line : {"", "25", "abc", "2x0 ok"})
        recipients.received(line);
    CHECK(recipients.refused().empty());
    CHECK(recipients.settled().empty());
    recipients.received("250");
    CHECK(recipients.settled().size() == 1);
    CHECK(recipients.words().empty());
}
