// SPDX-License-Identifier: Apache-2.0
#include "bench/training/events.hpp"

#include <array>

namespace headway::training {
namespace {

/// "%c" is the client, "%r" the round, "%v" one of a few values; the rest is JSON.
std::string fill(std::string_view text, std::size_t client, std::size_t round) {
    std::string made;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%' || i + 1 == text.size()) {
            made += text[i];
            continue;
        }
        switch (text[++i]) {
            case 'c':
                made += std::to_string(client);
                break;
            case 'r':
                made += std::to_string(1'000'000 + round);
                break;
            case 'v':
                made += std::to_string((round / 3 + client * 7) % 23);
                break;
            default:
                made += text[i];
        }
    }
    return made;
}

constexpr std::string_view kBench =
    R"({"type":"tool.finished","data":{"tool":"bash","args":{"command":"make -j2 check )"
    R"(ID=%r%c"},"ok":true,)"
    R"("result":"12 passed, 0 failed; nothing else to report at all today","duration_ms":5120}})";
constexpr std::string_view kBenchWithId =
    R"({"type":"tool.finished","event_id":"call-00000%r%c","data":{"tool":"bash",)"
    R"("args":{"command":"make check"},)"
    R"("ok":true,"result":"12 passed, 0 failed; nothing else to see here","duration_ms":5120}})";

constexpr std::string_view kRead =
    R"({"type":"tool.finished","event_id":"e%r-%c","data":{"tool":"Read",)"
    R"("call_id":"toolu_%r","round":%r,)"
    R"("args":{"file_path":"/home/ann/code/engine/src/module_%v.cpp","offset":%v,)"
    R"("limit":120},"ok":true,)"
    R"("result":"   %v  #include <vector>\n   2  \n   3  // Adds what is in \"values\".\n  )"
    R"( 4  int sum(const std::vector<int>& values) {\n   5      int all = 0;\n   6      )"
    R"(for (int value : values) all += value * %v;\n   7      return all;\n   8  }\n",)"
    R"("duration_ms":12}})";
constexpr std::string_view kEdit =
    R"({"type":"tool.finished","event_id":"e%r-%c","data":{"tool":"Edit","round":%r,)"
    R"("args":{"file_path":"/home/ann/code/engine/src/module_%v.cpp",)"
    R"("old_string":"return all;","new_string":"return all + %r;"},"ok":true,"result":"The )"
    R"(file has been updated.",)"
    R"("mutated":[{"path":"/home/ann/code/engine/src/module_%v.cpp",)"
    R"("digest":"9f86d081884c7d65%r"}],"duration_ms":9}})";
constexpr std::string_view kFailing =
    R"({"type":"tool.finished","event_id":"e%r-%c","data":{"tool":"Bash","round":%r,)"
    R"("args":{"command":"cd /home/ann/code/engine && cmake --build build && ctest -R )"
    R"(module_%v 2>&1 | tail -40",)"
    R"("description":"Run the tests"},"ok":false,"error":{"class":"test",)"
    R"("message":"module_test.cpp:%v: FAILED:\n  CHECK( sum(values) == 12 )\nwith )"
    R"(expansion:\n  %v == 12\n2026-11-24T10:11:12.123Z test 0x7ffc%r took 0.%v s\n1 of 14 )"
    R"(tests failed"},"duration_ms":%r}})";
constexpr std::string_view kSearch =
    R"({"type":"tool.finished","event_id":"e%r-%c","data":{"tool":"Grep","round":%r,)"
    R"("args":{"pattern":"sum\\(","path":"/home/ann/code/engine","output_mode":"content"},)"
    R"("ok":true,"result":"src/module_%v.cpp:4:int sum(const std::vector<int>& values) )"
    R"({\nsrc/main.cpp:%v:    return sum({1, 2, 3});","duration_ms":31}})";
constexpr std::string_view kStarted =
    R"({"type":"tool.started","event_id":"e%r-%c","data":{"call_id":"call-%c","tool":"bash",)"
    R"("args":{"command":"python3 tools/check.py --all"},"round":%r}})";
constexpr std::string_view kFinished =
    R"({"type":"tool.finished","event_id":"e%r-%c","data":{"call_id":"call-%c","tool":"bash",)"
    R"("args":{"command":"python3 tools/check.py --all"},"ok":true,"duration_ms":812,)"
    R"("round":%r,)"
    R"("result":{"cases":%v,"passed":%v,"slowest_ms":17.25,"names":["a","b"],"nothing":null}}})";
constexpr std::string_view kMessage =
    R"({"type":"message","event_id":"e%r-%c","data":{"role":"assistant","text":"The tests )"
    R"(of module_%v fail since the sum leaves out the last value. I look at how it is )"
    R"(called, then change it in step %r."}})";
constexpr std::string_view kTests =
    R"({"type":"test.result","event_id":"e%r-%c","data":{"passed":%v,"failed":2,)"
    R"("failures":["module_%v","sum of none"],"command":"ctest"}})";
constexpr std::string_view kPlan =
    R"({"type":"plan.updated","event_id":"e%r-%c","data":{"text":"fix the sum",)"
    R"("steps":[{"title":"read module_%v","status":"completed"},{"title":"change it",)"
    R"("status":"in_progress"},{"title":"test","status":"pending"}]}})";
constexpr std::string_view kBeat =
    R"({"type":"heartbeat","event_id":"e%r-%c","data":{"phase":"execution","iteration":%v,)"
    R"("note":"at work","usage":{"tokens":7%v,"cost_usd":0.0125}}})";
/// What a client in a loop does: the same call, the same two in turn, or the same failure.
constexpr std::array<std::string_view, 4> kLoop{
    R"({"type":"tool.finished","event_id":"e%r-%c","data":{"tool":"bash",)"
    R"("args":{"command":"npm test"},"ok":false,"error":{"class":"exit","message":"Error: )"
    R"(Cannot find module 'left-pad'\n    at Function.resolve node:internal:%r:15"},)"
    R"("duration_ms":%r}})",
    R"({"type":"tool.finished","event_id":"e%r-%c","data":{"tool":"Read",)"
    R"("args":{"file_path":"/home/ann/code/package.json"},"ok":true,"result":"{\n  )"
    R"(\"name\": \"web\",\n  \"version\": \"1.0.0\"\n}"}})",
    R"({"type":"tool.finished","event_id":"e%r-%c","data":{"tool":"bash",)"
    R"("args":{"command":"npm test"},"ok":false,"error":{"class":"exit","message":"Error: )"
    R"(Cannot find module 'left-pad'"}}})",
    R"({"type":"message","event_id":"e%r-%c","data":{"role":"assistant","text":"Let me run )"
    R"(the tests once more."}})"};

constexpr std::array<std::string_view, 16> kWork{
    kRead,    kRead,     kSearch, kMessage, kEdit,    kFailing,  kBench, kRead,
    kStarted, kFinished, kBeat,   kEdit,    kStarted, kFinished, kPlan,  kTests};

}  // namespace

std::string session_path(std::size_t client, std::string_view name) {
    return "/v1/sessions/" + std::string{name} + "-" + std::to_string(client);
}

std::string bench_event(std::size_t client, std::size_t round) {
    return fill(kBench, client, round);
}

std::string bench_event_with_id(std::size_t client, std::size_t round) {
    return fill(kBenchWithId, client, round);
}

std::string agent_event(std::size_t client, std::size_t round) {
    const std::size_t place = round + client * 5;
    return fill(client % 4 == 3 ? kLoop[round % kLoop.size()] : kWork[place % kWork.size()], client,
                round);
}

std::string hook_before(std::size_t client, std::size_t round) {
    return fill(
        R"({"session_id":"0b5e7c1e-%c",)"
        R"("transcript_path":"/home/ann/.claude/projects/p/%c.jsonl","cwd":"/home/ann/code",)"
        R"("permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash",)"
        R"("tool_use_id":"toolu_%r",)"
        R"("tool_input":{"command":"make check-%v","description":"Run the checks"}})",
        client, round);
}

std::string hook_after(std::size_t client, std::size_t round) {
    return fill(
        R"({"session_id":"0b5e7c1e-%c",)"
        R"("transcript_path":"/home/ann/.claude/projects/p/%c.jsonl","cwd":"/home/ann/code",)"
        R"("permission_mode":"default","hook_event_name":"PostToolUse","tool_name":"Bash",)"
        R"("tool_use_id":"toolu_%r",)"
        R"("tool_input":{"command":"make check-%v","description":"Run the checks"},)"
        R"("tool_response":{"stdout":"%v checks passed\nnothing else to see in %r","stderr":"",)"
        R"("interrupted":false,"isImage":false}})",
        client, round);
}

std::string approval_request(std::size_t client, std::size_t round) {
    return fill(R"({"tool":"bash","call_id":"c%r","args":{"command":"rm -rf build-%r-%c"},)"
                R"("summary":"clean build","risk":"medium"})",
                client, round);
}

std::string opening(std::size_t client) {
    return fill(R"({"goal":"make the tests of module %c pass","agent":{"type":"coder",)"
                R"("name":"coder-%c","model":"m-1"},)"
                R"("labels":{"team":"engine"},"budget":{"max_steps":50,"timeout_seconds":600}})",
                client, 0);
}

}  // namespace headway::training
