// SPDX-License-Identifier: Apache-2.0
#include "cli/client/http_client.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <stdexcept>

#include <curl/curl.h>
#include "cli/base/clock.hpp"
#include "cli/client/tcp_peer.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectTimeout{3'000};
constexpr int kIdlePollMs = 200;

struct ListDeleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, ListDeleter>;

// An easy handle is in a multi handle no longer than this lives, whatever a handler throws.
class InMulti {
public:
    InMulti(CURLM* multi, CURL* easy) : multi_(multi), easy_(easy) {
        curl_multi_add_handle(multi_, easy_);
    }
    InMulti(const InMulti&) = delete;
    InMulti& operator=(const InMulti&) = delete;
    ~InMulti() { curl_multi_remove_handle(multi_, easy_); }

private:
    CURLM* multi_;
    CURL* easy_;
};

// One exchange; the callbacks of libcurl write here.
struct Exchange {
    CURL* handle = nullptr;
    HttpReply reply;
    const HttpClient::StreamHandlers* handlers = nullptr;
    SteadyTime last_byte;
    bool stopped = false;
    std::optional<uid_t> only_to;
    std::array<char, 200> failure{};  // what a callback threw
};

// libcurl is C: nothing may be thrown through it. A count other than the one given ends the
// transfer, whose reply says why.
template <std::size_t (*Take)(Exchange&, std::string_view)>
std::size_t without_throwing(char* bytes, std::size_t size, std::size_t count,
                             void* user) noexcept {
    auto& exchange = *static_cast<Exchange*>(user);
    try {
        return Take(exchange, {bytes, size * count});
    } catch (const std::exception& thrown) {
        std::snprintf(exchange.failure.data(), exchange.failure.size(), "%s", thrown.what());
    }
    return size * count == 0 ? 1 : 0;
}

std::size_t on_body(Exchange& exchange, std::string_view data) {
    exchange.last_byte = steady_now();
    long status = 0;
    curl_easy_getinfo(exchange.handle, CURLINFO_RESPONSE_CODE, &status);
    if (exchange.handlers == nullptr || status / 100 != 2) {
        exchange.reply.body += data;
    } else if (!exchange.handlers->on_data(data)) {
        exchange.stopped = true;
        return 0;  // tells libcurl to end the transfer
    }
    return data.size();
}

std::size_t on_header(Exchange& exchange, std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return line.size();
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    std::string_view value = line.substr(colon + 1);
    while (value.ends_with('\n') || value.ends_with('\r'))
        value.remove_suffix(1);
    while (value.starts_with(' '))
        value.remove_prefix(1);
    exchange.reply.headers[std::move(name)] = value;
    return line.size();
}

/// Before the first byte of a request, on a new connection or a kept one.
int on_connected(void* user, char* their_address, char* our_address, int their_port,
                 int our_port) noexcept {
    auto& exchange = *static_cast<Exchange*>(user);
    try {
        const auto theirs = tcp_end(their_address, their_port);
        const auto ours = tcp_end(our_address, our_port);
        exchange.reply.stranger =
            theirs && ours ? stranger_at(*theirs, *ours, *exchange.only_to, sockets_at(*theirs))
                           : "no user of this machine";
        if (exchange.reply.stranger.empty()) return CURL_PREREQFUNC_OK;
    } catch (const std::exception& thrown) {
        std::snprintf(exchange.failure.data(), exchange.failure.size(), "%s", thrown.what());
    }
    return CURL_PREREQFUNC_ABORT;
}

/// As libcurl makes one, but for no program that we start.
curl_socket_t open_socket(void*, curlsocktype, curl_sockaddr* address) noexcept {
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

HeaderList append(HeaderList list, const std::string& line) {
    curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(list.release());  // `longer` begins with it
    return HeaderList(longer);
}

HeaderList header_list(const HttpRequest& request) {
    HeaderList list;
    for (const std::string& line : request.headers)
        list = append(std::move(list), line);
    if (!request.content_type.empty()) {
        list = append(std::move(list), "Content-Type: " + request.content_type);
    }
    return append(std::move(list), "Expect:");  // no 100-continue round trip for larger bodies
}

void prepare(CURL* handle, const HttpRequest& request, const HeaderList& headers,
             Exchange& exchange) {
    exchange.handle = handle;
    exchange.last_byte = steady_now();
    curl_easy_reset(handle);  // keeps the connection
    curl_easy_setopt(handle, CURLOPT_URL, request.url.c_str());
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(handle, CURLOPT_USERAGENT, "headway");
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_PATH_AS_IS,
                     1L);  // an id `..` is a wrong id, not a way up
    curl_easy_setopt(handle, CURLOPT_NOPROXY, "localhost,127.0.0.0/8,::1");
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &open_socket);
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, long{kConnectTimeout.count()});
    if (!request.socket.empty()) {
        curl_easy_setopt(handle, CURLOPT_UNIX_SOCKET_PATH, request.socket.c_str());
    }
    exchange.only_to = request.only_to;
    if (request.only_to) {
        curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, &on_connected);
        curl_easy_setopt(handle, CURLOPT_PREREQDATA, &exchange);
    }
    if (!request.ca_file.empty()) {
        curl_easy_setopt(handle, CURLOPT_CAINFO, request.ca_file.c_str());
        curl_easy_setopt(handle, CURLOPT_CAPATH, nullptr);  // trust no others
    }
    if (request.method == "POST" || request.method == "PUT") {
        curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.c_str());
        curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                         static_cast<curl_off_t>(request.body.size()));
    }
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &without_throwing<on_body>);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &exchange);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &without_throwing<on_header>);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, &exchange);
}

void finish(Exchange& exchange, CURLcode code) {
    long status = 0;
    curl_easy_getinfo(exchange.handle, CURLINFO_RESPONSE_CODE, &status);
    exchange.reply.status = static_cast<int>(status);
    if (exchange.failure[0] != '\0') {
        exchange.reply.error =
            std::string("the reply could not be taken: ") + exchange.failure.data();
    } else if (!exchange.reply.stranger.empty()) {
        exchange.reply.error = "it belongs to " + exchange.reply.stranger;
    } else if (code != CURLE_OK && !exchange.stopped) {
        exchange.reply.error = curl_easy_strerror(code);
    }
}

// Runs until the transfer is done; nothing when a handler or the silence ended it first.
CURLcode drive(CURLM* multi, Exchange& exchange, const HttpRequest& request) {
    for (;;) {
        int running = 0;
        if (curl_multi_perform(multi, &running) != CURLM_OK) return CURLE_RECV_ERROR;
        int left = 0;
        if (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
            return message->data.result;
        }
        if (!exchange.handlers->on_idle()) {
            exchange.stopped = true;
            return CURLE_OK;
        }
        if (steady_now() - exchange.last_byte > request.timeout) return CURLE_OPERATION_TIMEDOUT;
        if (curl_multi_poll(multi, nullptr, 0, kIdlePollMs, nullptr) != CURLM_OK) {
            return CURLE_RECV_ERROR;
        }
    }
}

}  // namespace

struct HttpClient::Handles {
    struct EasyDeleter {
        void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
    };
    struct MultiDeleter {
        void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
    };
    std::unique_ptr<CURL, EasyDeleter> easy{curl_easy_init()};
    std::unique_ptr<CURLM, MultiDeleter> multi{curl_multi_init()};
};

HttpClient::HttpClient() : handles_(std::make_unique<Handles>()) {
    if (!handles_->easy || !handles_->multi) throw std::runtime_error("cannot start libcurl");
}

HttpClient::~HttpClient() = default;

HttpReply HttpClient::send(const HttpRequest& request) {
    Exchange exchange;
    const HeaderList headers = header_list(request);
    CURL* const handle = handles_->easy.get();
    prepare(handle, request, headers, exchange);
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, long{request.timeout.count()});
    const CURLcode code = curl_easy_perform(handle);
    finish(exchange, code);
    // A body cut off in the middle is no answer: the caller must ask again.
    if (code != CURLE_OK) exchange.reply.status = 0;
    return std::move(exchange.reply);
}

HttpReply HttpClient::stream(const HttpRequest& request, const StreamHandlers& handlers) {
    Exchange exchange;
    exchange.handlers = &handlers;
    const HeaderList headers = header_list(request);
    CURL* const handle = handles_->easy.get();
    prepare(handle, request, headers, exchange);
    curl_easy_setopt(handle, CURLOPT_FORBID_REUSE, 1L);
    const InMulti added(handles_->multi.get(), handle);
    finish(exchange, drive(handles_->multi.get(), exchange, request));
    return std::move(exchange.reply);
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
