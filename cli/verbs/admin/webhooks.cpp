// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/admin/webhooks.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ostream>

#include "cli/base/exit_code.hpp"
#include "cli/base/ids.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/views/table.hpp"
#include "core/text/base64.hpp"
#include "system/file_descriptor.hpp"

// `headway webhooks`: list, pending, dead, replay, test and secret.

namespace headway::cli {
namespace {

constexpr std::size_t kSecretBytes = 32;

std::string number_of(const Json& row, const char* name) {
    return row[name].is_unsigned() ? std::to_string(row.count_of(name)) : "-";
}

std::string second_of(const Json& row, const char* name) {
    const std::string at = clean_line(row.text_of(name));
    return at.empty() ? "-" : at.substr(0, 19) + "Z";
}

std::string path_of(const WebhookOptions& options, const char* what) {
    return "/v1/webhooks/" + url_encode(options.name) + what;
}

/// The last failure, or the obstacle to the next message.
std::string trouble_of(const Json& webhook) {
    std::string problem = clean_line(webhook.text_of("problem"));
    if (!problem.empty()) return problem;
    return clean_line(webhook.text_of("state")) == "failing"
               ? clean_line(webhook.text_of("last_failure"))
               : "";
}

int list(Daemon& daemon, const WebhookOptions& options, const Console& console) {
    const HttpReply reply = daemon.get("/v1/webhooks");
    const std::optional<Json> body = body_json(reply);
    const bool usable = reply.ok() && body && body->contains("webhooks");
    if (!usable) return explain_failure(console, daemon, reply);
    const Json& webhooks = (*body)["webhooks"];
    if (options.client.json) {
        console.out << dump(webhooks) << "\n";
        return kExitOk;
    }
    if (webhooks.empty()) {
        console.err << "no webhooks; a table [webhooks.endpoints.NAME] in the configuration makes "
                       "one, `headway config default` shows how\n";
        return kExitOk;
    }
    std::vector<std::vector<Cell>> rows;
    for (const Json& webhook : webhooks) {
        rows.push_back({{clean_line(webhook.text_of("name")), {}},
                        {clean_line(webhook.text_of("state")), {}},
                        {number_of(webhook, "pending"), {}},
                        {number_of(webhook, "dead"), {}},
                        {number_of(webhook, "delivered"), {}},
                        {second_of(webhook, "last_success_at"), {}},
                        {clean_line(webhook.text_of("url")), {}}});
    }
    console.out << format_table({{"NAME", true},
                                 {"STATE"},
                                 {"PENDING"},
                                 {"DEAD"},
                                 {"DELIVERED"},
                                 {"LAST SUCCESS"},
                                 {"URL", true}},
                                rows, console.width);
    for (const Json& webhook : webhooks) {
        const std::string trouble = trouble_of(webhook);
        if (!trouble.empty())
            console.out << clean_line(webhook.text_of("name")) << ": " << trouble << "\n";
    }
    return kExitOk;
}

/// Every page: there is a bound on how many are kept.
std::optional<Json> all_deliveries(Daemon& daemon, const WebhookOptions& options,
                                   const std::string& state, HttpReply& reply) {
    Json deliveries = Json::array();
    std::string cursor;
    while (true) {
        std::string path = path_of(options, "/deliveries?limit=100&state=");
        reply = daemon.get(path.append(state).append(cursor));
        const std::optional<Json> body = body_json(reply);
        const bool usable = reply.ok() && body && body->contains("deliveries");
        if (!usable) return std::nullopt;
        for (const Json& delivery : (*body)["deliveries"])
            deliveries.push_back(delivery);
        const Json& next = (*body)["next"];
        if (!next.is_string()) return deliveries;
        cursor = "&cursor=" + url_encode(next.text());
    }
}

int list_deliveries(Daemon& daemon, const WebhookOptions& options, const std::string& state,
                    const Console& console) {
    HttpReply reply;
    const auto deliveries = all_deliveries(daemon, options, state, reply);
    if (!deliveries) return explain_failure(console, daemon, reply);
    if (options.client.json) {
        console.out << dump(*deliveries) << "\n";
        return kExitOk;
    }
    if (deliveries->empty()) {
        console.err << "none\n";
        return kExitOk;
    }
    const bool dead = state == "dead";
    std::vector<std::vector<Cell>> rows;
    for (const Json& delivery : *deliveries) {
        rows.push_back({{clean_line(delivery.text_of("id")), {}},
                        {clean_line(delivery.text_of("type")), {}},
                        {clean_line(delivery.text_of("session")), {}},
                        {number_of(delivery, "tries"), {}},
                        {second_of(delivery, dead ? "dead_at" : "next_try_at"), {}},
                        {clean_line(delivery.text_of("reason")), {}}});
    }
    console.out << format_table({{"ID"},
                                 {"TYPE"},
                                 {"SESSION", true},
                                 {"TRIES"},
                                 {dead ? "SINCE" : "NEXT TRY"},
                                 {"REASON", true}},
                                rows, console.width);
    return kExitOk;
}

int replay(Daemon& daemon, const WebhookOptions& options, const Console& console) {
    if (options.all == !options.ids.empty()) {
        return complain(console, kExitUsage, "which dead letters are meant is not clear",
                        "name their ids, or all of them with --all");
    }
    const Json body = options.all ? Json{{"all", true}} : Json{{"ids", options.ids}};
    const HttpReply reply = daemon.post(path_of(options, "/replay"), body);
    const std::optional<Json> done = body_json(reply);
    if (!reply.ok() || !done) return explain_failure(console, daemon, reply);
    if (options.client.json) {
        console.out << dump(*done) << "\n";
    } else {
        console.out << number_of(*done, "replayed") << " sent again; `headway webhooks list` shows "
                    << "what becomes of them\n";
    }
    return kExitOk;
}

int test(Daemon& daemon, const WebhookOptions& options, const Console& console) {
    const HttpReply reply = daemon.post_text(path_of(options, "/test"), {});
    const std::optional<Json> done = body_json(reply);
    if (!reply.ok() || !done) return explain_failure(console, daemon, reply);
    const bool delivered = done->flag_of("delivered");
    if (options.client.json) {
        console.out << dump(*done) << "\n";
    } else if (delivered) {
        const bool answers = (*done)["status"].is_unsigned();  // a program does not
        console.out << clean_line(options.name)
                    << (answers ? " answered " + number_of(*done, "status") : " took it")
                    << " within " << number_of(*done, "elapsed_ms") << " ms\n";
    } else {
        console.err << "headway: " << clean_line(options.name) << ": "
                    << clean_line(done->text_of("reason")) << "\n";
    }
    return delivered ? kExitOk : kExitFailed;
}

/// Into a file of its own: a shell's redirection would let others read it.
int keep_secret(const WebhookOptions& options, const std::string& secret, const Console& console) {
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const system::FileDescriptor file{::open(options.out.c_str(), flags, 0600)};
    const std::string line = secret + "\n";
    const bool written =
        file.open() &&
        ::write(file.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
        ::fsync(file.get()) == 0;
    if (!written) {
        return complain(console, kExitFailed,
                        "cannot write " + clean_line(options.out) + ": " + std::strerror(errno),
                        "name a file that is not there yet, in a folder that is");
    }
    if (options.client.json) {
        console.out << dump(Json{{"file", options.out}}) << "\n";
    } else {
        console.err << "the secret is in " << clean_line(options.out)
                    << ", which only its owner may read; secret_file names it\n";
    }
    return kExitOk;
}

int make_secret(const WebhookOptions& options, const Console& console) {
    std::string bytes;
    while (bytes.size() < kSecretBytes) {
        for (std::uint64_t bits = random_bits(), i = 0; i < sizeof bits; ++i, bits >>= 8U)
            bytes += static_cast<char>(bits & 0xffU);
    }
    const std::string secret = "whsec_" + core::to_base64(bytes);
    if (!options.out.empty()) return keep_secret(options, secret, console);
    console.out << (options.client.json ? dump(Json{{"secret", secret}}) : secret) << "\n";
    return kExitOk;
}

int manage_webhooks(const WebhookOptions& options, const Console& console) {
    using Action = WebhookOptions::Action;
    if (options.action == Action::kSecret) return make_secret(options, console);
    Daemon daemon(options.client.url, options.client.credential);
    switch (options.action) {
        case Action::kPending:
            return list_deliveries(daemon, options, "pending", console);
        case Action::kDead:
            return list_deliveries(daemon, options, "dead", console);
        case Action::kReplay:
            return replay(daemon, options, console);
        case Action::kTest:
            return test(daemon, options, console);
        default:
            return list(daemon, options, console);
    }
}

class Webhooks : public VerbOf<WebhookOptions> {
    using Action = WebhookOptions::Action;

public:
    void declare(Arguments& arguments) override {
        arguments.help("List and test webhooks");
        arguments.footer(
            R"(A table [webhooks.endpoints.NAME] in the settings file defines a webhook. Its messages are
signed JSON (Standard Webhooks), text for people (Slack, Discord, ntfy, Telegram, e-mail), or JSON on
the standard input of a program. An undelivered message is retried for three days, and then kept as a
dead letter.

Examples:
  headway webhooks list
  headway webhooks test ops
  headway webhooks dead ops
  headway webhooks replay ops --all)");
        add(arguments, "list", "List the webhooks and their state", Action::kList)
            .footer(
                "Example:\n  headway webhooks list --json | "
                "jq '.[] | select(.state != \"active\")'");
        add_named(arguments, "pending", "List the messages waiting to be delivered",
                  Action::kPending)
            .footer("Example:\n  headway webhooks pending ops");
        add_named(arguments, "dead", "List the dead letters: messages that could not be delivered",
                  Action::kDead)
            .footer("Example:\n  headway webhooks dead ops");
        declare_replay(arguments);
        add_named(arguments, "test", "Send a test message now, and show the result", Action::kTest)
            .footer(
                "Needs the Unix socket, the operator's token, or a token with the scope `admin`. "
                "Exit code 1: the "
                "message did not arrive.\n\nExample:\n  headway webhooks test ops");
        declare_secret(arguments);
    }

    int run(const Console& console, const Server&) override {
        return manage_webhooks(options, console);
    }

private:
    Arguments add(Arguments& webhooks, const char* name, const char* help, Action action) {
        Arguments verb = webhooks.verb(name, help, [this, action] { options.action = action; });
        verb.client(options.client);
        return verb;
    }

    Arguments add_named(Arguments& webhooks, const char* name, const char* help, Action action) {
        Arguments verb = add(webhooks, name, help, action);
        verb.operand("NAME", options.name, "name of the webhook, as in [webhooks.endpoints.NAME]")
            .required();
        return verb;
    }

    void declare_replay(Arguments& webhooks) {
        Arguments replay =
            add_named(webhooks, "replay", "Send dead letters again", Action::kReplay);
        replay.footer(
            "Needs the Unix socket, the operator's token, or a token with the scope `admin`. "
            "Messages keep their ids, "
            "so that a receiver can recognise duplicates.\n\nExamples:\n"
            "  headway webhooks replay ops --all\n"
            "  headway webhooks replay ops msg_0b1c9a5d7e3f42860b1c9a5d7e3f4286");
        replay.operand("ID", options.ids, "ids of messages, from `headway webhooks dead`");
        replay.flag("--all", options.all, "send all dead letters again, oldest first");
    }

    void declare_secret(Arguments& webhooks) {
        Arguments secret = webhooks.verb("secret", "Make a signing secret and print it",
                                         [this] { options.action = Action::kSecret; });
        secret.footer(
            R"(Put the secret into the file that the setting secret_file names, and give it to the receiver. To
replace a secret, add the new one to the file, before the old one, and restart the daemon: messages
are now signed with both. Give the new one to the receiver, then remove the old one from the file
and restart the daemon again.

Example:
  headway webhooks secret --out /etc/headway/ops.secret)");
        secret
            .option("--out", options.out,
                    "write the secret into a new file that only its owner may read")
            .type("FILE");
        secret.json(options.client.json);
    }
};

}  // namespace

std::unique_ptr<Verb> make_webhooks() {
    return std::make_unique<Webhooks>();
}

}  // namespace headway::cli
