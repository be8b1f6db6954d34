// SPDX-License-Identifier: Apache-2.0
#include "api/notify/decision_page.hpp"

#include "api/text/entities.hpp"
#include "api/text/timestamp.hpp"
#include "core/text/visible.hpp"

namespace headway::api::notify {
namespace {

std::string page_of(const std::string& title, const std::string& body) {
    return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           // Else the form would send no origin, which the daemon wants to be its own.
           "<meta name=\"referrer\" content=\"same-origin\">\n"
           "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
           title +
           "</title>\n<style>body{max-width:48em;margin:2em auto;padding:0 1em;font:16px/1.5 "
           "system-ui,sans-serif;overflow-wrap:anywhere}pre{white-space:pre-wrap;border:1px solid;"
           "padding:.5em}dt{font-weight:bold}dd{margin:0 0 .5em}button{font:inherit;padding:.5em "
           "1.5em;margin:0 1em 1em 0}</style>\n</head>\n<body>\n<h1>" +
           title + "</h1>\n" + body + "</body>\n</html>\n";
}

std::string shown_text(std::string_view text) {
    return with_entities(core::visible(text));
}

void add_fact(std::string& list, std::string_view label, const std::string& html) {
    if (html.empty()) return;
    list.append("<dt>").append(label).append("</dt>\n<dd>").append(html).append("</dd>\n");
}

std::string moment_of(core::Timestamp at) {
    std::string text;
    if (at != core::kNever) append_timestamp(text, at);
    return text;
}

std::string facts_of(const ApprovalDocument& document) {
    const core::Approval& approval = document.approval;
    std::string list = "<dl>\n";
    add_fact(list, "Session", shown_text(document.session));
    add_fact(list, "Tool", shown_text(document.asked.tool));
    add_fact(list, "Arguments",
             "<pre>" + with_entities(core::visible_json(document.asked.args.text)) + "</pre>");
    add_fact(list, "Summary", shown_text(document.asked.summary.kept));
    add_fact(list, "Risk", std::string{core::name_of(approval.risk)});
    add_fact(list, "Fingerprint of the arguments", shown_text(document.asked.args_digest));
    add_fact(list, "Request", shown_text(core::approval_id(document.session, approval.n)));
    add_fact(list, "Asked", moment_of(approval.requested_at));
    add_fact(list, "Expires", moment_of(approval.expires_at));
    return list + "</dl>\n";
}

void add_hidden(std::string& form, std::string_view name, std::string_view value) {
    form.append("<input type=\"hidden\" name=\"")
        .append(name)
        .append("\" value=\"")
        .append(with_entities(value))
        .append("\">\n");
}

}  // namespace

bool is_decided_by_link(const ApprovalDocument& document) {
    const core::Approval& approval = document.approval;
    const bool whole = document.asked.hidden_bytes == 0 && document.asked.summary.whole() &&
                       !approval.unseen && !document.asked.args.empty();
    return approval.kind == core::ApprovalKind::kTool && !approval.of_dialog() && whole &&
           approval.risk != core::Risk::kCritical && !approval.args_digest.empty();
}

std::string decision_page(const ApprovalDocument& document, const DecisionForm& fields) {
    std::string form = "<form method=\"post\" action=\"decide\">\n";
    add_hidden(form, "id", fields.request);
    add_hidden(form, "from", fields.endpoint);
    add_hidden(form, "code", fields.code);
    form +=
        "<button name=\"decision\" value=\"approve\">Approve this call</button>\n"
        "<button name=\"decision\" value=\"reject\">Reject it</button>\n</form>\n";
    return page_of(
        shown_text(document.session) + " asks for approval: " + shown_text(document.asked.tool),
        "<p>Nothing is decided before you press one of the buttons below.</p>\n" +
            facts_of(document) + form);
}

std::string decided_page(const ApprovalDocument& document) {
    const core::Approval& approval = document.approval;
    std::string title = "This request is " + std::string{core::name_of(approval.status)};
    std::string body = facts_of(document);
    if (approval.decision && !approval.by.empty())
        body = "<p>Decided by " + shown_text(approval.by) + " at " +
               moment_of(approval.decided_at) + ".</p>\n" + body;
    return page_of(title, body);
}

std::string no_decision_page(std::string_view why) {
    return page_of("Nothing was decided", "<p>" + with_entities(why) + "</p>\n");
}

std::string_view decision_headers() {
    return "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; base-uri "
           "'none'; form-action 'self'; frame-ancestors 'none'\r\n";
}

}  // namespace headway::api::notify
