// SPDX-License-Identifier: Apache-2.0
#include "api/digest/digest.hpp"
#include "api/text/entities.hpp"
#include "core/base/fields.hpp"

namespace headway::api {
namespace {

/// With a backslash before all that Markdown gives a meaning; `<` and `&` as entities.
std::string escaped_for_markdown(std::string_view text) {
    constexpr std::string_view kMarkup = "\\`*_{}[]()#+-.!|~>:@/";
    std::string out;
    for (const char c : text) {
        if (c == '<' || c == '&') {
            out += c == '<' ? "&lt;" : "&amp;";
            continue;
        }
        if (kMarkup.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

}  // namespace

std::optional<DigestFormat> parse_digest_format(std::string_view name) {
    if (name == "json") return DigestFormat::kJson;
    if (name == "text") return DigestFormat::kText;
    if (name == "markdown") return DigestFormat::kMarkdown;
    if (name == "html") return DigestFormat::kHtml;
    return std::nullopt;
}

std::string text_of(const DigestPage& page) {
    std::string text = page.title + "\n" + page.span + "\n";
    for (const DigestPage::Section& section : page.sections) {
        text += "\n" + section.heading + "\n";
        for (const std::string& line : section.lines)
            text += "  " + line + "\n";
        if (section.lines.empty()) text += "  " + section.empty + "\n";
    }
    return text;
}

std::string markdown_of(const DigestPage& page) {
    std::string text = "# " + escaped_for_markdown(page.title) + "\n\n" + page.span + "\n";
    for (const DigestPage::Section& section : page.sections) {
        text += "\n## " + section.heading + "\n\n";
        for (const std::string& line : section.lines)
            text += "- " + escaped_for_markdown(line) + "\n";
        if (section.lines.empty()) text += section.empty + "\n";
    }
    return text;
}

std::string html_of(const DigestPage& page) {
    std::string html =
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>";
    const std::string title = with_entities(page.title);
    html += title + "</title>\n</head>\n" +
            "<body style=\"max-width:48em;margin:2em auto;padding:0 1em;"
            "font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere\">\n<h1>" +
            title + "</h1>\n<p>" + with_entities(page.span) + "</p>\n";
    for (const DigestPage::Section& section : page.sections) {
        html += "<h2>" + section.heading + "</h2>\n";
        if (section.lines.empty()) {
            html += "<p>" + section.empty + "</p>\n";
            continue;
        }
        html += "<ul>\n";
        for (const std::string& line : section.lines)
            html += "<li>" + with_entities(line) + "</li>\n";
        html += "</ul>\n";
    }
    return html + "</body>\n</html>\n";
}

}  // namespace headway::api
