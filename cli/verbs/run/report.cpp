// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/run/report.hpp"

#include <unistd.h>

#include "cli/base/exit_code.hpp"
#include "cli/base/ids.hpp"
#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/records/report_fields.hpp"
#include "cli/verbs/one_request.hpp"
#include "config/values/read_file.hpp"
#include "core/text/words.hpp"

// `headway report`: one event for a session.

namespace headway::cli {
namespace {

core::Result<std::string> data_text(const std::string& option) {
    if (option != "-" && !option.starts_with('@')) return option;
    const bool from_input = option == "-";
    const std::string path = from_input ? "standard input" : option.substr(1);
    auto text = from_input ? config::read_descriptor(STDIN_FILENO) : config::read_file(path);
    if (text && core::trimmed(*text).empty()) {
        return core::Error{
            core::ErrorCode::kInvalidField,
            "nothing came from " + path + ": --data wants a JSON object, {} for none", "--data"};
    }
    if (text) return *std::move(text);
    return core::Error{core::ErrorCode::kInvalidField, "cannot read \"" + path + "\"", "--data"};
}

int report_event(const ReportOptions& options, const Console& console) {
    const core::Result<std::string> text = data_text(options.data);
    if (!text) return complain(console, kExitUsage, text.error().detail);
    if (const auto once = check_once(options.fields); !once)
        return complain(console, kExitUsage, once.error().detail);
    const core::Result<Json> data = build_data(*text, options.fields);
    if (!data) {
        return complain(console, kExitUsage, data.error().detail,
                        "as in: headway report ID tool.finished tool=bash ok=false");
    }
    Json event = {{"type", options.type}, {"data", *data}};
    event["event_id"] = options.event_id.empty() ? "cli-" + random_tag() : options.event_id;
    return post_and_print(options.client, session_path(options.session, "/events"), event, console);
}

class Report : public VerbOf<ReportOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Report one event for a session");
        arguments.footer(R"(Examples:
  headway report my-agent heartbeat phase=planning iteration=3
  headway report my-agent tool.finished tool=bash ok=false error.class=test error.message="2 failed"
  headway report my-agent progress.estimated --data '{"percent":40,"reasoning":"half of the files"}'
  echo '{"text":"long text"}' | headway report my-agent message --data -)");
        arguments.client(options.client);
        arguments.session(options.session, "session id; an unknown one is opened").required();
        arguments.operand("TYPE", options.type, "event type, such as heartbeat or tool.finished")
            .required();
        arguments
            .operand("FIELDS", options.fields,
                     "fields of the event's data; a dot makes nested fields, as in "
                     "error.class=test")
            .type("KEY=VALUE");
        arguments
            .option("--data", options.data,
                    "the event's data as a JSON object; @FILE reads a file, - reads standard input")
            .type("JSON");
        arguments
            .option("--event-id", options.event_id,
                    "id of the event (default: random); a repeated id is not stored again")
            .never_empty();
    }

    int run(const Console& console, const Server&) override {
        return report_event(options, console);
    }
};

}  // namespace

std::unique_ptr<Verb> make_report() {
    return std::make_unique<Report>();
}

}  // namespace headway::cli
