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

/// Where a call goes and what it may do. For all: HTTP/1.1 to the host of the URL only, without
/// redirects, with the path as it is written and certificates checked against one file.
struct HttpOptions {
    std::string url{};
    std::string protocols = "http,https";  ///< as libcurl names them
    std::string method{};                  ///< empty: GET, or POST with a body
    std::vector<std::string> headers{};    ///< "Name: value"
    std::optional<std::string> body{};
    std::string socket{};      ///< path of a Unix socket to go through; empty: TCP
    std::string ca_file{};     ///< PEM file of whom to trust; empty: the system's
    bool verified = true;      ///< the certificate is checked
    bool proxies = false;      ///< of the environment are used, except for loopback
    bool alone = false;        ///< on a connection that no other call has
    bool checks_peer = false;  ///< HttpReceiver::may_send() is asked
    std::chrono::milliseconds connect_timeout{0};
    std::chrono::milliseconds timeout{0};  ///< of the whole call; 0: none
    std::size_t reply_bytes_max = 0;       ///< head and body; 0: no bound
    /// Why an address must not be connected to; empty: it may be. Called for each address that a
    /// name resolves to, because a name proves nothing. Null: all may.
    std::string (*refusal)(const sockaddr& address) = nullptr;
};

/// Both ends of a connection, as numbers.
struct HttpPeer {
    const char* address;
    int port;
    const char* our_address;
    int our_port;
};

/// The receiver of a call's data as it arrives. False ends the call; so does an exception, which
/// HttpCall::thrown() then tells. Not called for what goes beyond reply_bytes_max.
class HttpReceiver {
public:
    virtual ~HttpReceiver() = default;
    /// A line of the head, with its end.
    virtual bool take_header(std::string_view) { return true; }
    virtual bool take_body(std::string_view) { return true; }
    /// Whether the request may go to this peer. Before its first byte, on a kept connection too.
    virtual bool may_send(const HttpPeer&) { return true; }
};

/// Sets an option of libcurl that HttpOptions does not have. Throws std::runtime_error: out of
/// memory, or libcurl does not know the value.
template <class T>
void set_option(CURL* handle, CURLoption option, T value) {
    const CURLcode code = curl_easy_setopt(handle, option, value);
    if (code == CURLE_OK) return;
    throw std::runtime_error(std::string{"libcurl refuses an option: "} + curl_easy_strerror(code));
}

/// A list of libcurl. Throws std::bad_alloc.
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

/// One call over libcurl, or several one after the other, which share its kept connections. Must
/// not move during a call. One thread at a time.
class HttpCall {
public:
    HttpCall();  ///< throws std::bad_alloc
    HttpCall(const HttpCall&) = delete;
    HttpCall& operator=(const HttpCall&) = delete;
    ~HttpCall();  ///< aborts a call; a connection in use is closed

    /// Makes the next call ready. `receiver` must outlive it. Throws like set_option(), and
    /// std::bad_alloc.
    void prepare(HttpOptions options, HttpReceiver& receiver);
    /// Puts the call on this handle, which must outlive it; its next turn starts it.
    void join(CURLM* multi);
    /// Takes it off again. Idempotent.
    void leave();
    /// Blocks until the call has ended.
    CURLcode perform();

    CURL* handle() const { return handle_.get(); }

    /// The last status of the reply; of SMTP, too. 0: none came.
    long status() const;
    /// As the reply asks, at most so much; nothing: it does not.
    std::optional<std::chrono::seconds> retry_after(std::chrono::seconds most) const;
    /// Whether the request has gone out, or could have.
    bool connected() const;
    /// The address reached, as a number.
    std::string address() const;
    /// The reply had more than reply_bytes_max.
    bool oversized() const { return oversized_; }
    /// The message of HttpOptions::refusal, or empty.
    const std::string& refused() const { return refused_; }
    /// The exception of the receiver, or empty.
    std::string_view thrown() const { return thrown_.data(); }
    /// In the words of libcurl, with host and port where they matter.
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
    std::size_t bytes_ = 0;  ///< of the reply
    bool oversized_ = false;
};

}  // namespace headway::system
