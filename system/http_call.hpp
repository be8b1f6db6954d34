// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace headway::system {

/// Options of a call. Every call is HTTP/1.1 to the URL's host only, without redirects, with the
/// path as written and certificates checked against one file.
struct HttpOptions {
    std::string url{};
    std::string protocols = "http,https";  ///< as named by libcurl
    std::string method{};                  ///< empty: GET, or POST with a body
    std::vector<std::string> headers{};    ///< "Name: value"
    std::optional<std::string> body{};
    std::string socket{};      ///< path of a Unix socket to connect to; empty: TCP
    std::string ca_file{};     ///< PEM file of trusted authorities; empty: the system's
    bool verified = true;      ///< certificates are checked
    bool proxies = false;      ///< uses the environment's proxies, except for loopback
    bool alone = false;        ///< on a connection without other calls
    bool checks_peer = false;  ///< HttpReceiver::may_send() is called
    std::chrono::milliseconds connect_timeout{0};
    std::chrono::milliseconds timeout{0};  ///< for the whole call; 0: none
    std::size_t reply_bytes_max = 0;       ///< bound of head and body; 0: none
    /// Why an address must not be connected to; empty: allowed. Called for each address to which a
    /// name resolves, because a name proves nothing. Null: all addresses are allowed.
    std::string (*refusal)(const sockaddr& address) = nullptr;
};

/// Both ends of a connection, in numeric form.
struct HttpPeer {
    const char* address;
    int port;
    const char* our_address;
    int our_port;
};

/// Receives a call's data as it arrives. Returning false ends the call; so does an exception, which
/// HttpCall::thrown() then returns. Not called for data beyond reply_bytes_max.
class HttpReceiver {
public:
    virtual ~HttpReceiver() = default;
    /// A line of the head, with its line end.
    virtual bool take_header(std::string_view) { return true; }
    virtual bool take_body(std::string_view) { return true; }
    /// True if the request may go to this peer. Called before the request's first byte, on a kept
    /// connection too.
    virtual bool may_send(const HttpPeer&) { return true; }
};

/// Sets a libcurl option that HttpOptions lacks. Throws std::runtime_error: out of memory, or
/// libcurl refuses the value.
template <class T>
void set_option(CURL* handle, CURLoption option, T value) {
    const CURLcode code = curl_easy_setopt(handle, option, value);
    if (code == CURLE_OK) return;
    throw std::runtime_error(std::string{"libcurl refuses an option: "} + curl_easy_strerror(code));
}

/// Owns a libcurl list. Throws std::bad_alloc.
class CurlList {
public:
    void add(const std::string& line);
    void clear() { list_.reset(); }
    curl_slist* get() const { return list_.get(); }

private:
    struct Free {
        void operator()(curl_slist* list) const { curl_slist_free_all(list); }
    };
    std::unique_ptr<curl_slist, Free> list_;
};

struct FreeMulti {
    void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
/// Drives many calls on one thread.
using MultiHandle = std::unique_ptr<CURLM, FreeMulti>;
/// Throws std::bad_alloc.
MultiHandle make_multi();

/// One libcurl call at a time; consecutive calls reuse connections that were kept alive. Must not
/// move during a call. One thread at a time.
class HttpCall {
public:
    HttpCall();  ///< throws std::bad_alloc
    HttpCall(const HttpCall&) = delete;
    HttpCall& operator=(const HttpCall&) = delete;
    ~HttpCall();  ///< aborts a call and closes its connection

    /// Prepares the next call. `receiver` must outlive the call. Throws like set_option(), and
    /// std::bad_alloc.
    void prepare(HttpOptions options, HttpReceiver& receiver);
    /// Adds the call to `multi`, which must outlive the call; the next step of `multi` starts it.
    void join(CURLM* multi);
    /// Removes the call from its multi handle. Idempotent.
    void leave();
    /// Blocks until the call has ended.
    CURLcode perform();

    CURL* handle() const { return handle_.get(); }

    /// The reply's last status, also for SMTP; 0 without a reply.
    long status() const;
    /// The reply's Retry-After, at most `most`; nothing if absent.
    std::optional<std::chrono::seconds> retry_after(std::chrono::seconds most) const;
    /// True if the request was sent, or may have been.
    bool connected() const;
    /// The peer's address, in numeric form.
    std::string address() const;
    /// True if the reply had more than reply_bytes_max bytes.
    bool oversized() const { return oversized_; }
    /// The message of HttpOptions::refusal, or empty.
    const std::string& refused() const { return refused_; }
    /// The exception of the receiver, or empty.
    std::string_view thrown() const { return thrown_.data(); }
    /// The reason for `code` in libcurl's words, with host and port where relevant.
    std::string why(CURLcode code) const;

private:
    struct FreeEasy {
        void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
    };

    static std::size_t on_header(char* bytes, std::size_t size, std::size_t count,
                                 void* user) noexcept;
    static std::size_t on_body(char* bytes, std::size_t size, std::size_t count,
                               void* user) noexcept;
    static int on_connected(void* user, char* address, char* our_address, int port,
                            int our_port) noexcept;
    static curl_socket_t on_socket(void* user, curlsocktype type, curl_sockaddr* address) noexcept;

    template <bool (HttpReceiver::*Take)(std::string_view)>
    std::size_t pass_on(std::string_view bytes) noexcept;
    void note_thrown(const char* what) noexcept;
    void set_connection();
    void set_trust();
    void set_request();
    void set_callbacks();
    template <class T>
    void set(CURLoption option, T value) {
        set_option(handle_.get(), option, value);
    }

    HttpOptions options_;
    HttpReceiver* receiver_ = nullptr;
    CurlList headers_;
    std::unique_ptr<CURL, FreeEasy> handle_;
    CURLM* multi_ = nullptr;
    std::array<char, CURL_ERROR_SIZE> error_{};
    std::array<char, 200> thrown_{};
    std::string refused_;
    std::size_t bytes_ = 0;  ///< received bytes of the reply
    bool oversized_ = false;
};

}  // namespace headway::system
