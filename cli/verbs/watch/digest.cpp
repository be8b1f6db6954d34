// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <ostream>
#include <string_view>

#include "cli/base/exit_code.hpp"
#include "cli/base/text.hpp"
#include "cli/client/client_options.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "core/text/visible.hpp"

// `headway digest`: what happened in the night. The daemon writes it, in any format.

namespace headway::cli {
namespace {

struct DigestOptions {
    ClientOptions client;
    std::string since = "8h";
    std::string format;
};

/// A line that goes on stands below its text, so that each matter begins where a person looks.
constexpr std::size_t kIndent = 4;
constexpr std::size_t kNarrowest = 20;

/// Broken at blanks into lines of at most `columns`; a longer word stays whole. Pure.
std::string wrapped(std::string_view line, std::size_t columns) {
    const std::size_t before = std::min(line.find_first_not_of(' '), line.size());
    std::string out(before, ' ');
    std::size_t used = before;
    bool first = true;
    for (const std::string& word : split(line, ' ')) {
        const std::size_t width = width_of(word);
        if (!first && used + 1 + width > columns) {
            out.append("\n").append(kIndent, ' ');
            used = kIndent;
        } else if (!first) {
            out += ' ';
            ++used;
        }
        out += word;
        used += width;
        first = false;
    }
    return out + "\n";
}

constexpr std::array<std::string_view, 4> kFormats{"text", "markdown", "html", "json"};

class DigestVerb : public VerbOf<DigestOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Summarise all sessions since a given time, and list what needs you")
            .footer(kFooter);
        arguments.client(options.client);
        arguments
            .option("--since", options.since, "how long ago, such as 8h or 30m, or a time in UTC")
            .show_default()
            .type("TIME");
        arguments.option("--format", options.format, "text, markdown, html or json").type("FORMAT");
        arguments.finally([this]() -> std::optional<Mistake> {
            const bool other = !options.format.empty() && options.format != "json";
            if (options.client.json && other)
                return Mistake{"--json cannot be used with --format " + options.format, {}};
            if (options.format.empty()) options.format = options.client.json ? "json" : "text";
            for (const std::string_view format : kFormats)
                if (options.format == format) return std::nullopt;
            return Mistake{"--format: must be text, markdown, html or json", {}};
        });
    }

    int run(const Console& console, const Server&) override {
        Daemon daemon(options.client.url, options.client.credential);
        const HttpReply reply = daemon.get("/v1/digest?since=" + url_encode(options.since) +
                                           "&format=" + options.format);
        if (!reply.ok()) return explain_failure(console, daemon, reply);
        if (options.format == "json") {
            console.out << core::visible_json(reply.body) << "\n";
        } else if (options.format == "text" && console.width >= kNarrowest) {
            for (const std::string& line : lines_of(reply.body))
                console.out << wrapped(line, console.width);
        } else {
            console.out << reply.body;
        }
        return kExitOk;
    }

private:
    static constexpr const char* kFooter =
        R"(Lists sessions that need a person, ended sessions, decided requests, resumed agents, loops and
their cost, the longest silence, and tokens and money by agent, model and label.

Examples:
  headway digest
  headway digest --since 24h --format markdown > night.md
  headway digest --since 2026-11-27T22:00:00Z --format json)";
};

}  // namespace

std::unique_ptr<Verb> make_digest() {
    return std::make_unique<DigestVerb>();
}

}  // namespace headway::cli
