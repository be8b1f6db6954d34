#include "api/encode_checks.hpp"

#include <string_view>

#include "api/json_writer.hpp"

namespace headway::api {
namespace {

void write_done(JsonWriter& json, const core::CheckCompleted& done) {
    json.key("status");
    if (done.answer) {
        const char letter = core::letter_of(*done.answer);
        json.value(std::string_view{&letter, 1});
        json.member("answer", core::name_of(*done.answer));
        json.member("reason", done.reason);
        json.member("evidence", done.evidence);
        json.member("confidence", done.confidence);
    } else {
        json.null();
    }
    json.member("outcome", core::name_of(done.outcome));
    if (!done.error.empty()) json.member("error", done.error);
    if (!done.model.empty()) json.member("model", done.model);
    json.member("use", done.use);
}

}  // namespace

void append_check(std::string& out, const CheckDocument& document) {
    JsonWriter json(out);
    json.open_object();
    json.member("checkId", document.asked.check_id);
    json.member("sessionId", document.session);
    json.member("state", std::string_view{document.done ? "completed" : "running"});
    if (document.done) {
        write_done(json, *document.done);
    } else {
        json.key("status");
        json.null();
    }
    json.member("cause", core::name_of(document.asked.cause));
    json.member("judge", document.asked.judge);
    if (!document.asked.by.empty()) json.member("by", document.asked.by);
    json.member("requested", document.asked_n);
    json.member("requestedAt", document.asked_at);
    if (document.done) {
        json.member("completed", document.done_n);
        json.member("ts", document.done_at);
    }
    json.close_object();
}

}  // namespace headway::api
