// SPDX-License-Identifier: Apache-2.0

// A load generator that is not the bottleneck: one thread, epoll, raw sockets, requests built in
// advance. `loadgen
// --help` lists the options; the result is one JSON object on stdout.

#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "bench/loadgen/closed_loop.hpp"
#include "bench/loadgen/options.hpp"
#include "bench/loadgen/socket.hpp"
#include "bench/loadgen/sse.hpp"

namespace {

using headway::bench::Report;

double own_cpu_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void print(const Report& r, double cpu_seconds, double wall_seconds) {
    const auto us = [&r](double quantile) {
        return static_cast<double>(r.latency.at(quantile)) / 1e3;
    };
    std::string bad;
    for (const auto& [status, count] : r.bad_status) {
        bad +=
            (bad.empty() ? "\"" : ",\"") + std::to_string(status) + "\":" + std::to_string(count);
    }
    std::printf(
        "{\"requests\":%llu,\"events\":%llu,\"published\":%llu,\"seconds\":%.4f,"
        "\"req_per_s\":%.1f,\"events_per_s\":%.1f,"
        "\"p50_us\":%.1f,\"p90_us\":%.1f,\"p99_us\":%.1f,\"p999_us\":%.1f,\"max_us\":%.1f,"
        "\"total_requests\":%llu,\"total_events\":%llu,\"bad_status\":{%s},"
        "\"client_cpu_s\":%.3f,\"client_busy\":%.3f}\n",
        static_cast<unsigned long long>(r.requests), static_cast<unsigned long long>(r.events),
        static_cast<unsigned long long>(r.published), r.seconds,
        static_cast<double>(r.requests) / r.seconds, static_cast<double>(r.events) / r.seconds,
        us(0.5), us(0.9), us(0.99), us(0.999), static_cast<double>(r.latency.max()) / 1e3,
        static_cast<unsigned long long>(r.total_requests),
        static_cast<unsigned long long>(r.total_events), bad.c_str(), cpu_seconds,
        cpu_seconds / wall_seconds);
    if (!r.first_bad.empty()) std::fprintf(stderr, "loadgen: first bad: %s\n", r.first_bad.c_str());
}

}  // namespace

int main(int argc, char** argv) try {
    const auto options = headway::bench::parse_options(argc, argv);
    const std::int64_t begin = headway::bench::now_ns();
    const Report report = options.mode == headway::bench::Mode::kSse
                              ? headway::bench::run_sse(options)
                              : headway::bench::run_load(options);
    print(report, own_cpu_seconds(), static_cast<double>(headway::bench::now_ns() - begin) / 1e9);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "loadgen: %s\n", error.what());
    return 1;
}
