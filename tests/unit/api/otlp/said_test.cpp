// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/unit/api/otlp/otlp_text.hpp"

using namespace headway;
using namespace headway::api::otlp;
using namespace headway::tests;

namespace {

std::vector<Said> said_in(const std::string& body, Signal signal) {
    api::JsonDocument document;
    REQUIRE(document.parse(body));
    const auto received = read_json(document.root(), signal);
    REQUIRE(received);
    return understand(*received, signal);
}

/// An export of one record. `attributes` is `key=value` with `;` between.
std::string one_record(const std::string& attributes, bool span, const std::string& more = "",
                       const std::string& service = "shop") {
    std::string list;
    for (std::size_t from = 0; from < attributes.size();) {
        const std::size_t end = std::min(attributes.find(';', from), attributes.size());
        const std::string pair = attributes.substr(from, end - from);
        const std::size_t equals = pair.find('=');
        list += (list.empty() ? "" : ",") + std::string{R"({"key":")"} + pair.substr(0, equals) +
                R"(","value":{"stringValue":")" + pair.substr(equals + 1) + R"("}})";
        from = end + 1;
    }
    const std::string record = R"({"attributes":[)" + list + "]" + more + "}";
    const std::string resource =
        R"({"resource":{"attributes":[{"key":"service.name","value":{"stringValue":")" + service +
        R"("}}]},)";
    return span ? R"({"resourceSpans":[)" + resource + R"("scopeSpans":[{"spans":[)" + record +
                      "]}]}]}"
                : R"({"resourceLogs":[)" + resource + R"("scopeLogs":[{"logRecords":[)" + record +
                      "]}]}]}";
}

std::string of_span(const std::string& attributes, const std::string& more = "") {
    return said_text(said_in(one_record(attributes, true, more), Signal::kTraces));
}

std::string of_log(const std::string& attributes, const std::string& service) {
    return said_text(said_in(one_record(attributes, false, "", service), Signal::kLogs));
}

}  // namespace

TEST_CASE("log records of Claude Code are prompts, calls and the use of tokens") {
    CHECK(said_text(said_in(otlp_fixture("claude_logs.json"), Signal::kLogs)) ==
          "prompt claude night-7 \"go\"\n"
          "alive claude night-7\n"
          "usage claude night-7 100+20 $0.0006 claude-sonnet-4-5\n"
          "alive claude night-7\n"
          "call claude night-7 Bash toolu_fake0001 ok args "
          "{\"command\":\"ls -la\",\"description\":\"List files\"} result  172 ms\n"
          "call claude night-7 Bash toolu_fake0006 failed args "
          "{\"command\":\"cat /nonexistent-file\",\"description\":\"read it\"} result  33 ms\n");
}

TEST_CASE("protobuf of Claude Code says the same as its JSON") {
    const auto received = read_protobuf(otlp_fixture("claude_logs.pb"), Signal::kLogs);
    REQUIRE(received);
    CHECK(said_text(understand(*received, Signal::kLogs)) ==
          "call claude night-7 Bash toolu_fake0014 ok args {\"command\":\"sleep 2; echo slept\","
          "\"description\":\"sleep\"} result  2036 ms\n"
          "usage claude night-7 100+20 $0.0006 claude-sonnet-4-5\n"
          "alive claude night-7\n");
}

TEST_CASE("log records of Qwen Code and Codex are understood") {
    const std::string qwen = said_text(said_in(otlp_fixture("qwen_logs.json"), Signal::kLogs));
    CHECK(
        qwen.starts_with("prompt qwen 20209046 \"go\"\n"
                         "usage qwen 20209046 100+20 $0 qwen3-coder\n"
                         "call qwen 20209046 run_shell_command call_fake0001 ok args {"));
    CHECK(qwen.find("call_fake0003 failed") != qwen.npos);
    CHECK(qwen.find("Exit Code: 1") != qwen.npos);
    CHECK(qwen.ends_with("turn ends qwen 20209046\n"));
    const std::string codex = said_text(said_in(otlp_fixture("codex_logs.json"), Signal::kLogs));
    CHECK(
        codex.starts_with("prompt codex 01a20317 \"do the scripted work\"\n"
                          "usage codex 01a20317 100+20 $0 gpt-5.5\n"
                          "alive codex 01a20317\n"
                          "call codex 01a20317 exec_command call_fake0001 ok args "
                          "{\"cmd\":\"ls -la\"} result Chunk ID: e4a2c9\n"));
}

TEST_CASE("a model's request has the same key in log records and in spans") {
    const auto logs = said_in(otlp_fixture("qwen_logs.json"), Signal::kLogs);
    const auto spans = said_in(otlp_fixture("qwen_traces.json"), Signal::kTraces);
    int same = 0;
    for (const Said& log : logs) {
        for (const Said& span : spans)
            same += !log.key.empty() && log.key == span.key ? 1 : 0;
    }
    CHECK(same == 1);  // the use of tokens; a session takes calls of one signal only
}

TEST_CASE("answers and calls that a server numbers are as many as they are") {
    const auto key = [](const std::string& attributes, bool span, const std::string& more) {
        const auto said = said_in(one_record("session.id=s;" + attributes, span, more, "qwen-code"),
                                  span ? Signal::kTraces : Signal::kLogs);
        REQUIRE(said.size() == 1);
        REQUIRE(said[0].kind != SaidKind::kAlive);
        return said[0].key;
    };
    const std::string first = R"(,"timeUnixNano":"1","traceId":"aa","spanId":"b1")";
    const std::string second = R"(,"timeUnixNano":"2","traceId":"aa","spanId":"b2")";
    const std::string span_use =
        "gen_ai.operation.name=chat;gen_ai.response.id=chatcmpl-7;gen_ai.usage.input_tokens=";
    const std::string log_use =
        "event.name=qwen-code.api_response;response_id=chatcmpl-7;output_token_count=3;"
        "input_token_count=";
    // The same answer by two instruments of one process is one.
    CHECK(key(span_use + "100", true, first) == key(span_use + "100", true, second));
    CHECK(key(span_use + "100", true, first) != key(span_use + "131", true, second));
    CHECK(key(log_use + "100", false, first) == key(log_use + "100", false, first));
    CHECK(key(log_use + "100", false, first) != key(log_use + "131", false, second));
    const std::string span_call =
        "gen_ai.operation.name=execute_tool;gen_ai.tool.name=grep;gen_ai.tool.call.id=call_0";
    const std::string log_call =
        "event.name=qwen-code.tool_call;function_name=grep;success=true;call_id=call_0";
    CHECK(key(span_call, true, first) == key(span_call, true, first));
    CHECK(key(span_call, true, first) != key(span_call, true, second));
    CHECK(key(log_call, false, first) == key(log_call, false, first));
    CHECK(key(log_call, false, first) != key(log_call, false, second));
    // A refused call is in two records: the decision, and the result.
    const std::string refused = ";tool_name=Bash;tool_use_id=c1;decision=reject;success=false";
    CHECK(key("event.name=tool_decision" + refused, false, first) ==
          key("event.name=qwen-code.tool_call" + refused, false, second));
}

TEST_CASE("spans are understood by the names of each convention") {
    const std::string id = R"(,"traceId":"aa","spanId":"bb","parentSpanId":"cc")";
    CHECK(of_span("session.id=s1;gen_ai.operation.name=execute_tool;gen_ai.tool.name=grep;"
                  "gen_ai.tool.call.arguments=x;gen_ai.tool.call.result=y",
                  id) == "call shop s1 grep  ok args x result y\n");
    CHECK(of_span("session.id=s1;openinference.span.kind=TOOL;tool.name=grep;input.value=x;"
                  "output.value=y",
                  id) == "call shop s1 grep  ok args x result y\n");
    CHECK(of_span("langfuse.session.id=s1;traceloop.span.kind=tool;traceloop.entity.name=grep;"
                  "traceloop.entity.input=x;traceloop.entity.output=y",
                  id) == "call shop s1 grep  ok args x result y\n");
    CHECK(of_span("session.id=s1;ai.toolCall.name=grep;ai.toolCall.id=c;ai.toolCall.args=x;"
                  "ai.toolCall.result=y",
                  id) == "call shop s1 grep c ok args x result y\n");
    CHECK(of_span("gen_ai.conversation.id=s1;gen_ai.operation.name=chat;gen_ai.request.model=m;"
                  "gen_ai.usage.input_tokens=7;gen_ai.usage.output_tokens=2",
                  id) == "usage shop s1 7+2 $0 m\n");
    CHECK(of_span("session.id=s1;openinference.span.kind=LLM;llm.model_name=m;"
                  "llm.token_count.prompt=7;llm.token_count.completion=2;llm.cost.total=0.5",
                  id) == "usage shop s1 7+2 $0.5 m\n");
}

TEST_CASE("what an agent's span sums up is not counted again") {
    CHECK(of_span("session.id=s1;gen_ai.operation.name=invoke_agent;gen_ai.usage.input_tokens=7",
                  R"(,"traceId":"aa","spanId":"bb","parentSpanId":"cc")")
              .empty());
    CHECK(of_span("session.id=s1;gen_ai.operation.name=invoke_agent;gen_ai.usage.input_tokens=7",
                  R"(,"traceId":"aa","spanId":"bb")") == "turn ends shop s1\n");
}

TEST_CASE("a trace without a session's name is a session until its outermost span ends") {
    const std::string root = R"(,"traceId":"aa","spanId":"bb")";
    CHECK(of_span("gen_ai.operation.name=invoke_agent", root) == "run ends shop aa\n");
    CHECK(of_span("gen_ai.operation.name=invoke_agent", root + R"(,"status":{"code":2})") ==
          "run ends shop aa failed\n");
    CHECK(of_span("http.request.method=GET", root).empty());
}

TEST_CASE("a failed span says why by its status or its exception") {
    const std::string tool = "session.id=s;gen_ai.operation.name=execute_tool;gen_ai.tool.name=t";
    CHECK(of_span(tool, R"(,"status":{"code":"STATUS_CODE_ERROR","message":"no disk"})") ==
          "call shop s t  failed args  result no disk\n");
    CHECK(of_span(tool, R"(,"status":{"code":2},"events":[{"name":"exception","attributes":[)"
                        R"({"key":"exception.message","value":{"stringValue":"boom"}}]}])") ==
          "call shop s t  failed args  result boom\n");
}

TEST_CASE("a span with the type of an error or with an unknown status is no success") {
    const std::string root = R"(,"traceId":"aa","spanId":"bb")";
    const std::string agent = "gen_ai.operation.name=invoke_agent";
    const auto with_code = [&root](const std::string& code) {
        return root + R"(,"status":{"code":)" + code + "}";
    };
    CHECK(of_span(agent + ";error.type=timeout", root) == "run ends shop aa failed\n");
    for (const char* code : {"2", "3", "-1", "2.0", "true", "\"ERROR\"", "\"\"", "\"2\"", "[]"})
        CHECK(of_span(agent, with_code(code)) == "run ends shop aa failed\n");
    for (const char* code :
         {"0", "1", "null", "\"1\"", "\"STATUS_CODE_OK\"", "\"STATUS_CODE_UNSET\""})
        CHECK(of_span(agent, with_code(code)) == "run ends shop aa\n");

    const std::string tool = "session.id=s;gen_ai.operation.name=execute_tool;gen_ai.tool.name=t";
    CHECK(of_span(tool + ";error.type=timeout", root) == "call shop s t  failed args  result \n");
    CHECK(of_span("session.id=s;gen_ai.operation.name=chat;error.type=timeout", root) ==
          "error shop s \"timeout\" timeout\n");
    const std::string log = "headway.session=s;event.name=tool_result;tool_name=t";
    CHECK(of_log(log + ";error=no disk", "shop") == "call shop s t  failed args  result no disk\n");
    CHECK(of_log(log + ";success=true;error=false", "shop") == "call shop s t  ok args  result \n");
    CHECK(of_log(log, "shop") == "call shop s t  ok args  result \n");
}

TEST_CASE("records of services that are no agents say nothing") {
    CHECK(of_log("session.id=browser-7;event.name=page_view", "shop").empty());
    CHECK(of_log("event.name=user_prompt", "claude-code").empty());
    CHECK(of_log("session.id=s;event.name=page_view", "claude-code") == "alive claude s\n");
    CHECK(of_log("headway.session=s;event.name=page_view", "shop") == "alive shop s\n");
}

TEST_CASE("Gemini says the use of tokens twice, and it counts once") {
    CHECK(of_log("session.id=s;event.name=gemini_cli.api_response;input_token_count=7;"
                 "output_token_count=2;thoughts_token_count=3;model=m",
                 "gemini-cli") == "usage gemini s 7+2 r3 $0 m\n");
    CHECK(of_log("session.id=s;event.name=gen_ai.client.inference.operation.details;"
                 "gen_ai.usage.input_tokens=7",
                 "gemini-cli")
              .empty());
}

TEST_CASE("parts of tokens are told apart by each agent's names, and do not overlap") {
    CHECK(of_log("session.id=s;event.name=api_request;input_tokens=7;output_tokens=1;"
                 "cache_read_tokens=100;cache_creation_tokens=20",
                 "claude-code") == "usage claude s 7+1 c100 w20 $0 \n");
    CHECK(of_log("conversation.id=s;event.name=codex.sse_event;input_token_count=120;"
                 "output_token_count=50;cached_token_count=100;reasoning_token_count=30",
                 "codex_cli_rs") == "usage codex s 20+20 c100 r30 $0 \n");
    CHECK(of_log("session.id=s;event.name=gemini_cli.api_response;input_token_count=120;"
                 "output_token_count=5;cached_content_token_count=100;thoughts_token_count=30;"
                 "total_token_count=155",
                 "gemini-cli") == "usage gemini s 20+5 c100 r30 $0 \n");
    // Behind Qwen Code a model may count its thoughts as output.
    CHECK(of_log("session.id=s;event.name=qwen-code.api_response;input_token_count=100;"
                 "output_token_count=50;thoughts_token_count=30;total_token_count=150",
                 "qwen-code") == "usage qwen s 100+20 r30 $0 \n");
    CHECK(of_span("session.id=s;gen_ai.operation.name=chat;gen_ai.usage.input_tokens=1000;"
                  "gen_ai.usage.output_tokens=60;gen_ai.usage.cache_read.input_tokens=700;"
                  "gen_ai.usage.cache_creation.input_tokens=200;"
                  "gen_ai.usage.reasoning.output_tokens=40") ==
          "usage shop s 100+20 c700 w200 r40 $0 \n");
    CHECK(of_span("session.id=s;openinference.span.kind=LLM;llm.token_count.prompt=1000;"
                  "llm.token_count.completion=60;llm.token_count.prompt_details.cache_read=900;"
                  "llm.token_count.completion_details.reasoning=10") ==
          "usage shop s 100+50 c900 r10 $0 \n");
    CHECK(of_span(
              "session.id=s;gen_ai.operation.name=chat;ai.usage.inputTokens=10;"
              "ai.usage.outputTokens=5;ai.usage.cachedInputTokens=4;ai.usage.reasoningTokens=2") ==
          "usage shop s 6+3 c4 r2 $0 \n");
    // More cached than input is no count of both.
    CHECK(of_log("conversation.id=s;event.name=codex.sse_event;input_token_count=10;"
                 "cached_token_count=100;reasoning_token_count=30;output_token_count=5",
                 "codex_cli_rs") == "usage codex s 0+0 c10 r5 $0 \n");
}

TEST_CASE("cached tokens are counted once, whether they are input or beside it") {
    CHECK(of_log("session.id=s;event.name=api_request;input_tokens=7;output_tokens=1;"
                 "cache_read_tokens=100;cache_creation_tokens=20",
                 "claude-code") == "usage claude s 7+1 c100 w20 $0 \n");
    CHECK(of_span("session.id=s;gen_ai.operation.name=chat;gen_ai.usage.input_tokens=127;"
                  "cache_read_tokens=100") == "usage shop s 27+0 c100 $0 \n");
}

TEST_CASE("numbers are read in each form in which exporters write them") {
    for (const char* tokens : {"100000", "100000.0", "1e5", "1e+05", "1.0E5"}) {
        INFO(tokens);
        CHECK(of_log(std::string{"session.id=s;event.name=api_request;input_tokens="} + tokens,
                     "claude-code") == "usage claude s 100000+0 $0 \n");
        CHECK(of_span(std::string{"session.id=s;gen_ai.operation.name=execute_tool;"
                                  "gen_ai.tool.name=t;duration_ms="} +
                      tokens) == "call shop s t  ok args  result  100000 ms\n");
    }
}

TEST_CASE("numbers that no model can have used are left out") {
    for (const char* tokens : {"-1", "1e300", "99999999999", "x", "18446744073709551616"}) {
        INFO(tokens);
        CHECK(of_log(std::string{"session.id=s;event.name=api_request;input_tokens="} + tokens,
                     "claude-code") == "alive claude s\n");
    }
    CHECK(of_log("session.id=s;event.name=api_request;cost_usd=nan", "claude-code") ==
          "alive claude s\n");
}

TEST_CASE("a use that no answer can have is said to be none") {
    const auto beyond = [](const std::string& use) {
        const auto records = said_in(
            one_record("gen_ai.operation.name=chat;session.id=s;gen_ai.request.model=m;" + use,
                       true),
            Signal::kTraces);
        return !records.empty() && records.front().beyond;
    };
    for (const char* use : {"gen_ai.usage.input_tokens=99999999999", "output_tokens=1e400",
                            "input_tokens=-5", "cost_usd=1e400", "cost_usd=-1"})
        CHECK(beyond(use));
    for (const char* use :
         {"gen_ai.usage.input_tokens=12.0", "input_tokens=unknown", "cost_usd=0.5"})
        CHECK_FALSE(beyond(use));
}

TEST_CASE("a call that a person has refused is denied") {
    CHECK(of_log("session.id=s;event.name=tool_decision;decision=reject;tool_name=Bash;"
                 "tool_use_id=c",
                 "claude-code") == "call claude s Bash c denied args  result \n");
    CHECK(of_log("session.id=s;event.name=tool_decision;decision=accept;tool_name=Bash",
                 "claude-code") == "alive claude s\n");
}

TEST_CASE("a call that Codex was refused is denied in its decision and in its result") {
    const std::string call =
        "event.name=codex.tool_result;conversation.id=s1;tool_name=shell;"
        "call_id=c1;success=false;arguments=x;output=";
    CHECK(of_log(call + "exec command rejected by user", "codex_cli_rs") ==
          "call codex s1 shell c1 denied args x result exec command rejected by user\n");
    CHECK(of_log(call + "exit 1", "codex_cli_rs") ==
          "call codex s1 shell c1 failed args x result exit 1\n");
}

TEST_CASE("an error of the model has its class and its status") {
    CHECK(of_log("session.id=s;event.name=api_error;error=Unauthorized;status_code=401",
                 "claude-code") == "error claude s \"Unauthorized\" 401\n");
    CHECK(of_log("session.id=s;event.name=api_error;error=x;error_type=RateLimitError;"
                 "status_code=429",
                 "gemini-cli") == "error gemini s \"x\" RateLimitError 429\n");
    CHECK(of_log("session.id=s;event.name=api_request;error.message=no credit;"
                 "http.response.status_code=402",
                 "codex_exec") == "error codex s \"no credit\" 402\n");
    CHECK(of_log("session.id=s;event.name=api_request;http.response.status_code=200",
                 "codex_exec") == "alive codex s\n");
    CHECK(of_log("session.id=s;event.name=api_error;error=x;status_code=none", "claude-code") ==
          "error claude s \"x\"\n");
    CHECK(of_log("session.id=s;event.name=api_error;error=x;status_code=99999", "claude-code") ==
          "error claude s \"x\"\n");
}

TEST_CASE("records come in the order of time, whatever the order of the export") {
    const std::string body =
        R"({"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":)"
        R"({"stringValue":"claude-code"}},{"key":"session.id","value":{"stringValue":"s"}}]},)"
        R"("scopeLogs":[{"logRecords":[)"
        R"({"timeUnixNano":"200","attributes":[{"key":"event.name","value":)"
        R"({"stringValue":"user_prompt"}},{"key":"prompt","value":{"stringValue":"second"}}]},)"
        R"({"timeUnixNano":"100","attributes":[{"key":"event.name","value":)"
        R"({"stringValue":"user_prompt"}},{"key":"prompt","value":{"stringValue":"first"}}]}]}]}]})";
    CHECK(said_text(said_in(body, Signal::kLogs)) ==
          "prompt claude s \"first\"\nprompt claude s \"second\"\n");
}
