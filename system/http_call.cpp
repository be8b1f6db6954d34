// SPDX-License-Identifier: Apache-2.0
#include "system/http_call.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include "core/base/assert.hpp"

namespace headway::system {
namespace {

/// How long the authorities are kept in memory, which are the one that was used last of the
/// configured files. To read the system's takes 20 ms of CPU, ten times as long as the handshake;
/// a file that is replaced is heeded within this time.
constexpr long kAuthoritiesKeptSeconds = 60;
/// The kernel notices a vanished peer of an idle connection after about 30 + 3 x 10 s.
constexpr long kKeepAliveIdleSeconds = 30;
constexpr long kKeepAliveIntervalSeconds = 10;

/// Once; libcurl counts. There is no cleanup, because another user of it may outlive the last one.
void init_curl() {
    static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (code != CURLE_OK) throw std::bad_alloc();
}

}  // namespace

void CurlList::add(const std::string& line) {
    curl_slist* const longer = curl_slist_append(list_.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(list_.release());  // `longer` owns it
    list_.reset(longer);
}

MultiHandle make_multi() {
    init_curl();
    MultiHandle multi{curl_multi_init()};
    if (!multi) throw std::bad_alloc();
    return multi;
}

HttpCall::HttpCall() {
    init_curl();
    handle_.reset(curl_easy_init());
    if (!handle_) throw std::bad_alloc();
}

HttpCall::~HttpCall() {
    leave();
}

void HttpCall::prepare(HttpOptions options, HttpReceiver& receiver) {
    HEADWAY_ASSERT(multi_ == nullptr);
    curl_easy_reset(handle_.get());  // keeps the connections
    options_ = std::move(options);
    receiver_ = &receiver;
    headers_.clear();
    error_ = {};
    thrown_ = {};
    refused_.clear();
    bytes_ = 0;
    oversized_ = false;
    set_connection();
    set_trust();
    set_request();
    set_callbacks();
}

void HttpCall::join(CURLM* multi) {
    HEADWAY_ASSERT(multi_ == nullptr);
    if (curl_multi_add_handle(multi, handle_.get()) != CURLM_OK) throw std::bad_alloc();
    multi_ = multi;
}

void HttpCall::leave() {
    if (CURLM* const multi = std::exchange(multi_, nullptr); multi != nullptr)
        curl_multi_remove_handle(multi, handle_.get());
}

CURLcode HttpCall::perform() {
    return curl_easy_perform(handle_.get());
}

void HttpCall::set_connection() {
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PROTOCOLS_STR, options_.protocols.c_str());
    // Keys and messages go to the configured host only: to no redirect target, and to no proxy of
    // the environment.
    set(CURLOPT_FOLLOWLOCATION, 0L);
    if (options_.proxies) {
        set(CURLOPT_NOPROXY, "localhost,127.0.0.0/8,::1");
    } else {
        set(CURLOPT_PROXY, "");
    }
    // With HTTP/2 the next requests would share a dead connection.
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect_timeout.count()));
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(options_.timeout.count()));
    // The end of a transfer would wait for the thread that looks up its name, and with it all
    // other transfers.
    set(CURLOPT_QUICK_EXIT, 1L);
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_TCP_KEEPIDLE, kKeepAliveIdleSeconds);
    set(CURLOPT_TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
    if (options_.alone) {
        set(CURLOPT_FRESH_CONNECT, 1L);
        set(CURLOPT_FORBID_REUSE, 1L);
    }
    if (!options_.socket.empty()) set(CURLOPT_UNIX_SOCKET_PATH, options_.socket.c_str());
}

void HttpCall::set_trust() {
    if (!options_.ca_file.empty()) set(CURLOPT_CAINFO, options_.ca_file.c_str());
    // Debian's libcurl also trusts the certificates of a folder, even beside a `ca_file`, and keeps
    // no authorities while there is one.
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
    // A libcurl that cannot keep them reads them each time.
    static_cast<void>(
        curl_easy_setopt(handle_.get(), CURLOPT_CA_CACHE_TIMEOUT, kAuthoritiesKeptSeconds));
    set(CURLOPT_SSL_VERIFYPEER, options_.verified ? 1L : 0L);
    set(CURLOPT_SSL_VERIFYHOST, options_.verified ? 2L : 0L);
}

void HttpCall::set_request() {
    set(CURLOPT_URL, options_.url.c_str());
    set(CURLOPT_PATH_AS_IS, 1L);  // an id `..` is a wrong id, not a way up
    set(CURLOPT_USERAGENT, "headway");
    for (const std::string& line : options_.headers)
        headers_.add(line);
    headers_.add("Expect:");  // no 100-continue round trip for larger bodies
    set(CURLOPT_HTTPHEADER, headers_.get());
    if (options_.body) {
        set(CURLOPT_POSTFIELDS, options_.body->c_str());
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(options_.body->size()));
    }
    if (!options_.method.empty()) set(CURLOPT_CUSTOMREQUEST, options_.method.c_str());
}

void HttpCall::set_callbacks() {
    set(CURLOPT_ERRORBUFFER, error_.data());
    set(CURLOPT_HEADERFUNCTION, &HttpCall::on_header);
    set(CURLOPT_HEADERDATA, static_cast<void*>(this));
    set(CURLOPT_WRITEFUNCTION, &HttpCall::on_body);
    set(CURLOPT_WRITEDATA, static_cast<void*>(this));
    set(CURLOPT_OPENSOCKETFUNCTION, &HttpCall::on_socket);
    set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
    if (!options_.checks_peer) return;
    set(CURLOPT_PREREQFUNCTION, &HttpCall::on_connected);
    set(CURLOPT_PREREQDATA, static_cast<void*>(this));
}

void HttpCall::note_thrown(const char* what) noexcept {
    std::snprintf(thrown_.data(), thrown_.size(), "%s", what);
}

// libcurl is C: nothing may be thrown through it. A count other than the given one ends the call.
template <bool (HttpReceiver::*Take)(std::string_view)>
std::size_t HttpCall::pass_on(std::string_view bytes) noexcept {
    const std::size_t refusal = bytes.empty() ? 1 : 0;
    bytes_ += bytes.size();
    oversized_ = options_.reply_bytes_max > 0 && bytes_ > options_.reply_bytes_max;
    if (oversized_) return refusal;
    try {
        return (receiver_->*Take)(bytes) ? bytes.size() : refusal;
    } catch (const std::exception& thrown) {
        note_thrown(thrown.what());
        return refusal;
    }
}

std::size_t HttpCall::on_header(char* bytes, std::size_t size, std::size_t count,
                                void* user) noexcept {
    return static_cast<HttpCall*>(user)->pass_on<&HttpReceiver::take_header>({bytes, size * count});
}

std::size_t HttpCall::on_body(char* bytes, std::size_t size, std::size_t count,
                              void* user) noexcept {
    return static_cast<HttpCall*>(user)->pass_on<&HttpReceiver::take_body>({bytes, size * count});
}

int HttpCall::on_connected(void* user, char* address, char* our_address, int port,
                           int our_port) noexcept {
    auto& self = *static_cast<HttpCall*>(user);
    try {
        if (self.receiver_->may_send({address, port, our_address, our_port}))
            return CURL_PREREQFUNC_OK;
    } catch (const std::exception& thrown) {
        self.note_thrown(thrown.what());
    }
    return CURL_PREREQFUNC_ABORT;
}

// As libcurl opens one, but closed to the programs that we start.
curl_socket_t HttpCall::on_socket(void* user, curlsocktype, curl_sockaddr* address) noexcept {
    auto& self = *static_cast<HttpCall*>(user);
    try {
        if (self.options_.refusal != nullptr) {
            std::string refusal = self.options_.refusal(address->addr);
            if (!refusal.empty()) {
                self.refused_ = std::move(refusal);
                return CURL_SOCKET_BAD;
            }
        }
    } catch (const std::exception&) {
        return CURL_SOCKET_BAD;  // an address that was not checked is not connected to
    }
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

long HttpCall::status() const {
    long status = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
    return status;
}

std::optional<std::chrono::seconds> HttpCall::retry_after(std::chrono::seconds most) const {
    curl_off_t seconds = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RETRY_AFTER, &seconds);
    if (seconds <= 0) return std::nullopt;
    // Bounded, because the caller multiplies. libcurl converts the date form by its own clock.
    return std::min<std::chrono::seconds>(std::chrono::seconds{seconds}, most);
}

bool HttpCall::connected() const {
    curl_off_t connected = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_PRETRANSFER_TIME_T, &connected);
    return connected != 0;
}

std::string HttpCall::address() const {
    char* address = nullptr;
    curl_easy_getinfo(handle_.get(), CURLINFO_PRIMARY_IP, &address);
    return address == nullptr ? "" : address;
}

std::string HttpCall::why(CURLcode code) const {
    return error_[0] != '\0' ? error_.data() : curl_easy_strerror(code);
}

}  // namespace headway::system
