// SPDX-License-Identifier: Apache-2.0
#include "bench/loadgen/options.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string_view>

namespace headway::bench {

namespace {

constexpr const char* kHelp = R"(usage: loadgen http|redis|sse --port N [options]

Load over keep-alive connections to 127.0.0.1 from one thread; the result is one JSON object on stdout.

  --connections N      default 64              --seconds S    measured time, default 3
  --warmup S           not counted, 0.5        --requests N   end after N requests instead of S seconds
  --pipeline N         in flight each, 1       --rate R       open loop of R a second; latency counts from when due
  --spin               poll without sleeping   --first-id N   first value of {id}, default 1
  --sleep              with --rate: sleep until the next is due, for a core that is shared
  --method M           default POST            --target T     default /
  --body TEXT          one event               --content-type T   default application/json
  --batch N            events per request, as NDJSON, or as an array with --array

  sse: --clients N     subscribers, 1000       --stream T     target they subscribe to
       --window N      events in flight, 1     --wait-stdin   say "connected", wait for a line, then publish

{conn} in target or body is the number of the connection; {id} is a number unique to each event, {now} the time in
nanoseconds, both patched in place. redis sends XADD s:{conn} * event BODY.
)";

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "loadgen: %s; --help lists the options\n", what.c_str());
    std::exit(64);
}

template <class T>
void read_number(const std::string& name, std::string_view text, T& out) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, out);
    if (error != std::errc{} || stop != end || out < T{0}) fail(name + ": not a valid number");
}

using Setter = std::function<void(const std::string& name, const std::string& value)>;

template <class T>
Setter number(T& out) {
    return [&out](const std::string& name, const std::string& value) {
        read_number(name, value, out);
    };
}

Setter text(std::string& out) {
    return [&out](const std::string&, const std::string& value) { out = value; };
}

std::map<std::string, Setter> setters(Options& o) {
    return {{"--port", number(o.port)},         {"--connections", number(o.connections)},
            {"--seconds", number(o.seconds)},   {"--warmup", number(o.warmup)},
            {"--requests", number(o.requests)}, {"--pipeline", number(o.pipeline)},
            {"--rate", number(o.rate)},         {"--first-id", number(o.first_id)},
            {"--method", text(o.method)},       {"--target", text(o.target)},
            {"--body", text(o.body)},           {"--content-type", text(o.content_type)},
            {"--batch", number(o.batch)},       {"--clients", number(o.clients)},
            {"--stream", text(o.stream)},       {"--window", number(o.window)}};
}

Mode parse_mode(const std::string& name) {
    if (name == "http") return Mode::kHttp;
    if (name == "redis") return Mode::kRedis;
    if (name == "sse") return Mode::kSse;
    fail("first argument must be http, redis or sse");
}

}  // namespace

Options parse_options(int argc, char** argv) {
    Options options;
    if (argc < 2) fail("nothing to do");
    if (std::string_view(argv[1]) == "--help") {
        std::fputs(kHelp, stdout);
        std::exit(0);
    }
    options.mode = parse_mode(argv[1]);
    const std::map<std::string, bool*> flags = {{"--spin", &options.spin},
                                                {"--sleep", &options.sleep},
                                                {"--array", &options.array},
                                                {"--wait-stdin", &options.wait_stdin}};
    const auto with_value = setters(options);
    for (int i = 2; i < argc; ++i) {
        const std::string name = argv[i];
        if (const auto flag = flags.find(name); flag != flags.end()) {
            *flag->second = true;
            continue;
        }
        const auto setter = with_value.find(name);
        if (setter == with_value.end()) fail(name + ": no such option");
        if (++i == argc) fail(name + ": needs a value");
        setter->second(name, argv[i]);
    }
    if (options.port == 0) fail("--port is missing");
    if (options.connections == 0 || options.pipeline == 0 || options.batch == 0) {
        fail("--connections, --pipeline and --batch start at 1");
    }
    if (options.requests > 0) options.warmup = 0;
    return options;
}

}  // namespace headway::bench
