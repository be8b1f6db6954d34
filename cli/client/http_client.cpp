// SPDX-License-Identifier: Apache-2.0
#include "cli/client/http_client.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "cli/base/clock.hpp"
#include "cli/client/tcp_peer.hpp"
#include "system/http_call.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectTimeout{3'000};
constexpr int kIdlePollMs = 200;
/// A daemon's head has some hundred bytes; proxies add their own lines.
constexpr std::size_t kHeadBytesMax = 65'536;

// One exchange; what comes is written here.
class Exchange : public system::HttpReceiver {
public:
    Exchange(const system::HttpCall& call, const HttpRequest& request,
             const HttpClient::StreamHandlers* handlers)
        : call_(call), request_(request), handlers_(handlers), last_byte_(steady_now()) {}

    bool take_header(std::string_view line) override {
        head_bytes_ += line.size();
        too_long_ = head_bytes_ > kHeadBytesMax;
        if (too_long_) return false;
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) return true;
        std::string name(line.substr(0, colon));
        std::transform(name.begin(), name.end(), name.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
        std::string_view value = line.substr(colon + 1);
        while (value.ends_with('\n') || value.ends_with('\r'))
            value.remove_suffix(1);
        while (value.starts_with(' '))
            value.remove_prefix(1);
        reply_.headers[std::move(name)] = value;
        return true;
    }

    bool take_body(std::string_view data) override {
        last_byte_ = steady_now();
        if (is_foreign()) return false;
        if (handlers_ == nullptr || call_.status() / 100 != 2) {
            too_long_ = data.size() > request_.reply_bytes_max - reply_.body.size();
            if (!too_long_) reply_.body += data;
            return !too_long_;
        }
        if (!handlers_->on_data(data)) stopped_ = true;
        return !stopped_;
    }

    bool may_send(const system::HttpPeer& peer) override {
        const auto theirs = tcp_end(peer.address, peer.port);
        const auto ours = tcp_end(peer.our_address, peer.our_port);
        reply_.stranger = theirs && ours
                              ? stranger_at(*theirs, *ours, *request_.only_to, sockets_at(*theirs))
                              : "no user of this machine";
        return reply_.stranger.empty();
    }

    /// False when a handler ends the stream.
    bool goes_on() {
        if (!handlers_->on_idle()) stopped_ = true;
        return !stopped_;
    }
    bool silent() const { return steady_now() - last_byte_ > request_.timeout; }

    HttpReply finish(CURLcode code) {
        reply_.status = static_cast<int>(call_.status());
        // A server of another protocol is no daemon that has the request.
        const bool http = code != CURLE_UNSUPPORTED_PROTOCOL && code != CURLE_WEIRD_SERVER_REPLY;
        reply_.connected =
            (call_.connected() && http) || (code == CURLE_OPERATION_TIMEDOUT && accepted());
        if (!call_.thrown().empty()) {
            reply_.error = "the reply could not be taken: " + std::string(call_.thrown());
        } else if (!reply_.stranger.empty()) {
            reply_.error = "it belongs to " + reply_.stranger;
        } else if (is_foreign()) {
            reply_.status = 0;
            reply_.foreign = true;
            reply_.body.clear();
            reply_.error = "another program listens there, not Headway";
        } else if (too_long_) {
            reply_.error = "the reply is too long for one of Headway's";
        } else if (code != CURLE_OK && !stopped_) {
            reply_.error = curl_easy_strerror(code);
        }
        return std::move(reply_);
    }

private:
    /// True for a success that is not a daemon's: it would be taken for stored, allowed or well.
    bool is_foreign() const {
        return call_.status() / 100 == 2 && !reply_.headers.contains("x-headway");
    }

    /// True also while the TLS handshake, to which a daemon that hangs owes its part, is under way.
    bool accepted() const {
        curl_off_t microseconds = 0;
        curl_easy_getinfo(call_.handle(), CURLINFO_CONNECT_TIME_T, &microseconds);
        return microseconds != 0;
    }

    const system::HttpCall& call_;
    const HttpRequest& request_;
    const HttpClient::StreamHandlers* handlers_;
    HttpReply reply_;
    SteadyTime last_byte_;
    bool stopped_ = false;
    bool too_long_ = false;
    std::size_t head_bytes_ = 0;
};

system::HttpOptions options_of(const HttpRequest& request) {
    system::HttpOptions options{.url = request.url,
                                .method = request.method,
                                .headers = request.headers,
                                .socket = request.socket,
                                .ca_file = request.ca_file,
                                .proxies = true,
                                .checks_peer = request.only_to.has_value(),
                                .connect_timeout = kConnectTimeout};
    if (!request.content_type.empty())
        options.headers.push_back("Content-Type: " + request.content_type);
    if (request.method == "POST" || request.method == "PUT") options.body = request.body;
    return options;
}

// A call is on a multi handle no longer than this lives, whatever a handler throws.
class Joined {
public:
    Joined(system::HttpCall& call, CURLM* multi) : call_(call) { call_.join(multi); }
    Joined(const Joined&) = delete;
    Joined& operator=(const Joined&) = delete;
    ~Joined() { call_.leave(); }

private:
    system::HttpCall& call_;
};

// Runs until the transfer is done; nothing when a handler or the silence ended it first.
CURLcode drive(CURLM* multi, Exchange& exchange) {
    for (;;) {
        int running = 0;
        if (curl_multi_perform(multi, &running) != CURLM_OK) return CURLE_RECV_ERROR;
        int left = 0;
        if (const CURLMsg* message = curl_multi_info_read(multi, &left))
            return message->data.result;
        if (!exchange.goes_on()) return CURLE_OK;
        if (exchange.silent()) return CURLE_OPERATION_TIMEDOUT;
        if (curl_multi_poll(multi, nullptr, 0, kIdlePollMs, nullptr) != CURLM_OK)
            return CURLE_RECV_ERROR;
    }
}

}  // namespace

struct HttpClient::Handles {
    system::MultiHandle multi = system::make_multi();
    system::HttpCall call;
};

HttpClient::HttpClient() : handles_(std::make_unique<Handles>()) {}

HttpClient::~HttpClient() = default;

HttpReply HttpClient::send(const HttpRequest& request) {
    system::HttpCall& call = handles_->call;
    Exchange exchange(call, request, nullptr);
    system::HttpOptions options = options_of(request);
    options.timeout = request.timeout;
    call.prepare(std::move(options), exchange);
    const CURLcode code = call.perform();
    HttpReply reply = exchange.finish(code);
    // A body cut off in the middle is no answer: the caller must ask again.
    if (code != CURLE_OK) reply.status = 0;
    return reply;
}

HttpReply HttpClient::stream(const HttpRequest& request, const StreamHandlers& handlers) {
    system::HttpCall& call = handles_->call;
    Exchange exchange(call, request, &handlers);
    system::HttpOptions options = options_of(request);
    options.alone = true;
    call.prepare(std::move(options), exchange);
    const Joined joined(call, handles_->multi.get());
    return exchange.finish(drive(handles_->multi.get(), exchange));
}

std::string url_encode(std::string_view text) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool plain = letter || (c >= '0' && c <= '9') ||
                           std::string_view("-._~").find(c) != std::string_view::npos;
        if (plain) {
            out += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            out += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
        }
    }
    return out;
}

}  // namespace headway::cli
