#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/daemon.hpp"
#include "cli/exit_code.hpp"
#include "cli/ids.hpp"
#include "cli/report_fields.hpp"
#include "cli/session_view.hpp"
#include "cli/verbs.hpp"

// `headway report`, `end` and `cancel`: one request each, tried a few times; all three are safe to
// repeat.

namespace headway::cli {
namespace {

using nlohmann::json;

constexpr int kTries = 4;

HttpReply post_patiently(Daemon& daemon, const std::string& path, const json& body) {
    Backoff backoff;
    HttpReply reply = daemon.post(path, body);
    for (int attempt = 1; attempt < kTries && worth_retrying(reply); ++attempt) {
        std::this_thread::sleep_for(backoff.next());
        reply = daemon.post(path, body);
    }
    return reply;
}

int post_and_print(const ClientOptions& client, const std::string& path, const json& body,
                   const Console& console) {
    Daemon daemon(client.url, client.credential);
    const HttpReply reply = post_patiently(daemon, path, body);
    const std::optional<json> advice = body_json(reply);
    if (!reply.ok() || !advice) return explain_failure(console, daemon, reply);
    console.out << (client.json ? dump(*advice) + "\n" : advice_text(*advice));
    return kExitOk;
}

core::Result<std::string> data_text(const std::string& option) {
    if (option != "-" && !option.starts_with('@')) return option;
    const auto read = [](std::istream& stream) {
        return std::string((std::istreambuf_iterator<char>(stream)),
                           std::istreambuf_iterator<char>());
    };
    if (option == "-") return read(std::cin);
    std::ifstream file(option.substr(1), std::ios::binary);
    if (file) return read(file);
    return core::Error{core::ErrorCode::kInvalidField, "cannot read \"" + option.substr(1) + "\"",
                       "--data"};
}

}  // namespace

int report_event(const ReportOptions& options, const Console& console) {
    const core::Result<std::string> text = data_text(options.data);
    if (!text) return complain(console, kExitUsage, text.error().detail);
    const core::Result<json> data = build_data(*text, options.fields);
    if (!data) {
        return complain(console, kExitUsage, data.error().detail,
                        "as in: headway report ID tool.finished tool=bash ok=false");
    }
    json event = {{"type", options.type}, {"data", *data}};
    event["event_id"] = options.event_id.empty() ? "cli-" + random_tag() : options.event_id;
    return post_and_print(options.client, session_path(options.session, "/events"), event, console);
}

int end_session(const EndOptions& options, const Console& console) {
    json body = {{"outcome", options.outcome}};
    if (!options.reason.empty()) body["reason"] = options.reason;
    return post_and_print(options.client, session_path(options.session, "/end"), body, console);
}

int cancel_session(const CancelOptions& options, const Console& console) {
    json body = json::object();
    if (!options.reason.empty()) body["reason"] = options.reason;
    return post_and_print(options.client, session_path(options.session, "/cancel"), body, console);
}

}  // namespace headway::cli
