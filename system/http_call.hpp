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

/// Options of a call. Every call uses HTTP/1.1 and connects only to the URL's host. Redirects are
/// not followed, the path is sent as written, and only the authorities of one file are trusted.
struct HttpOptions {
    std::string url{};
    std::string protocols = "http,https";  ///< protocols that are allowed, as libcurl names them
    std::string method{};                  ///< the method; empty: GET, or POST if there is a body
    std::vector<std::string> headers{};    ///< headers of the request, each "Name: value"
    std::optional<std::string> body{};
    std::string socket{};      ///< path of a Unix socket to connect to; empty: TCP
    std::string ca_file{};     ///< PEM file of trusted authorities; empty: the system's
    bool verified = true;      ///< whether certificates are checked
    bool proxies = false;      ///< whether the environment's proxies are used, except for loopback
    bool alone = false;        ///< whether the call gets a connection of its own
    bool checks_peer = false;  ///< whether HttpReceiver::may_send() is called
    std::chrono::milliseconds connect_timeout{0};
    std::chrono::milliseconds timeout{0};  ///< longest time for the whole call; 0: no limit
    std::size_t reply_bytes_max = 0;       ///< maximum size of head and body together; 0: no limit
    /// Returns the reason why a connection to this address is refused; empty if it is allowed.
    /// Called for each address that a name resolves to, because a name proves nothing. If the
    /// pointer is null, all addresses are allowed.
    std::string (*refusal)(const sockaddr& address) = nullptr;
};

/// Both ends of a connection, in numeric form.
struct HttpPeer {
    const char* address;
    int port;
    const char* our_address;
    int our_port;
};

/// Receives the data of a call as it arrives. A function that returns false or throws ends the
/// call. After an exception, HttpCall::thrown() returns its message. No function is called for data
/// beyond reply_bytes_max.
class HttpReceiver {
public:
    virtual ~HttpReceiver() = default;
    /// Takes a line of the head, with its line end.
    virtual bool take_header(std::string_view) { return true; }
    virtual bool take_body(std::string_view) { return true; }
    /// True if the request may be sent to this peer. Called before the first byte of the request,
    /// even on a reused connection. Needs HttpOptions::checks_peer.
    virtual bool may_send(const HttpPeer&) { return true; }
};

/// Sets a libcurl option that HttpOptions lacks. Throws std::runtime_error if there is no memory or
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
/// A libcurl handle that drives many calls on one thread.
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
    ~HttpCall();  ///< aborts a running call and closes its connection

    /// Prepares the next call. `receiver` must outlive the call. Throws like set_option(), and
    /// std::bad_alloc.
    void prepare(HttpOptions options, HttpReceiver& receiver);
    /// Adds the call to `multi`; the next step of `multi` starts the call. `multi` must outlive the
    /// call.
    void join(CURLM* multi);
    /// Removes the call from its multi handle. Idempotent.
    void leave();
    /// Blocks until the call has ended.
    CURLcode perform();

    CURL* handle() const { return handle_.get(); }

    /// The status of the last reply, of HTTP or SMTP; 0 if there was no reply.
    long status() const;
    /// The Retry-After of the reply, but at most `most`; nothing if the reply has no Retry-After.
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
    /// A text about `code` in libcurl's words, with host and port where they matter.
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
