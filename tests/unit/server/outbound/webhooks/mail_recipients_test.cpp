// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/webhooks/mail_recipients.hpp"

#include <catch2/catch.hpp>

using headway::server::MailRecipients;

TEST_CASE("mail recipients: each has the word of the server about itself", "[server]") {
    MailRecipients told;
    for (const char* line : {"220 mail.example", "250-mail.example", "250 SIZE"})
        told.received(line);
    told.sent("MAIL FROM:<headway@example.com>\r\n");
    told.received("250 ok\r\n");
    told.sent("RCPT TO:<ana@example.com>\r\n");
    told.received("250 2.1.5 ok\r\n");
    told.sent("RCPT TO:<ben@example.com>\r\n");
    told.received("550-5.1.1 who is that?\r\n");
    told.received("550 5.1.1 unknown\r\n");
    told.sent("RCPT TO:<eve@example.com>\r\n");
    told.received("451 later\r\n");
    told.sent("DATA\r\n");
    told.received("354 go on\r\n");
    told.received("554 not now\r\n");  // about no recipient
    REQUIRE(told.refused().size() == 2);
    CHECK(told.any_for_later());
    CHECK(told.settled() == std::vector<std::string>{"ana@example.com", "ben@example.com"});
    CHECK(told.words() == "SMTP 550 for ben@example.com, SMTP 451 for eve@example.com");
}

TEST_CASE("mail recipients: nonsense is about no recipient", "[server]") {
    MailRecipients told;
    told.sent("RCPT TO:<ana@example.com>\r\n");
    for (const char* line : {"", "25", "abc", "2x0 ok"})
        told.received(line);
    CHECK(told.refused().empty());
    CHECK(told.settled().empty());
    told.received("250");
    CHECK(told.settled().size() == 1);
    CHECK(told.words().empty());
}
