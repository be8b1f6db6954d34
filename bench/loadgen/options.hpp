// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

// Options of the load generator; see options.cpp for the text of --help.

namespace headway::bench {

enum class Mode : std::uint8_t {
    kHttp,   ///< requests over keep-alive connections
    kRedis,  ///< XADD commands over such connections
    kSse,    ///< one publisher and many subscribers
};

struct Options {
    Mode mode = Mode::kHttp;
    std::uint16_t port = 0;  ///< of 127.0.0.1
    unsigned connections = 64;
    double seconds = 3.0;        ///< measured time
    double warmup = 0.5;         ///< uncounted time before `seconds`
    std::uint64_t requests = 0;  ///< if not 0, the run ends after this many requests, however long
                                 ///< they take, and has no warm-up
    unsigned pipeline = 1;       ///< requests in flight per connection
    double rate = 0;             ///< open loop: requests (or events) per second; 0 is a closed loop
    bool spin = false;           ///< poll without sleeping: the server never pays for waking us
    bool sleep = false;          ///< open loop: leaves the core to others until the next is due
    std::uint64_t first_id = 1;  ///< first value of {id}
    std::string method = "POST";
    std::string target = "/";  ///< may hold {conn} and {id}
    std::string body;          ///< one event; may hold {conn}, {id} and {now}
    std::string content_type = "application/json";
    unsigned batch = 1;  ///< events per request; 2 and more are sent as NDJSON, or an array
    bool array = false;
    unsigned clients = 1000;  ///< sse: subscribers
    std::string stream;       ///< sse: target of the subscription
    unsigned window = 1;      ///< sse: events in flight: not yet at every subscriber
    bool wait_stdin = false;  ///< sse: says "connected", then waits for a line
};

/// Reads the command line; prints and exits on a mistake or --help.
Options parse_options(int argc, char** argv);

}  // namespace headway::bench
