// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>
#include "core/base/result.hpp"
#include "server/outbound/webhooks/mail_recipients.hpp"
#include "server/outbound/webhooks/webhook_messages.hpp"
#include "server/outbound/webhooks/webhook_target.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// One try to send one message over the network. Each try opens a connection of its own and checks
/// every resolved address; the addresses of a reused connection would be unchecked.
class WebhookTransfer {
public:
    /// Starts at once. `target` must outlive it; `link` is where the dashboard is. Throws
    /// std::bad_alloc, and std::runtime_error when libcurl refuses an option.
    /// A mail does not go to `without`.
    WebhookTransfer(CURLM* multi, const WebhookTarget& target, WebhookJob job,
                    std::string_view link, const std::vector<std::string>& without = {});
    WebhookTransfer(const WebhookTransfer&) = delete;
    WebhookTransfer& operator=(const WebhookTransfer&) = delete;
    ~WebhookTransfer();

    CURL* handle() const { return handle_.get(); }
    /// The result by libcurl's code.
    WebhookResult ended(CURLcode code) const;
    WebhookResult cancelled() const;
    /// Whether each recipient has the mail, or was refused by name while others have it. A mail
    /// that failed as a whole settles none: else it would pass as one that others have.
    bool settles(CURLcode code) const { return code == CURLE_OK || only_rest_refused(code); }
    /// What the mail server said of each.
    const MailRecipients& recipients() const { return recipients_; }

private:
    struct FreeEasy {
        void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
    };
    struct FreeList {
        void operator()(curl_slist* list) const { curl_slist_free_all(list); }
    };
    using List = std::unique_ptr<curl_slist, FreeList>;

    static std::size_t on_bytes(char* bytes, std::size_t size, std::size_t count,
                                void* user) noexcept;
    static std::size_t on_upload(char* buffer, std::size_t size, std::size_t count,
                                 void* user) noexcept;
    static int on_dialog(CURL* handle, curl_infotype kind, char* bytes, std::size_t size,
                         void* user) noexcept;
    void add_line(List& list, const std::string& line);
    void set_post(const std::vector<std::string>& headers);
    void set_mail(const std::vector<std::string>& without);
    bool only_rest_refused(CURLcode code) const;
    WebhookResult mail_result(CURLcode code, WebhookResult result) const;
    WebhookResult result() const;

    CURLM* multi_;
    const WebhookTarget& target_;
    WebhookJob job_;
    std::string body_;          ///< libcurl reads it here
    std::size_t uploaded_ = 0;  ///< of a mail
    List headers_;              ///< or the recipients of a mail
    MailRecipients recipients_;
    std::size_t addressed_ = 0;  ///< recipients of this try
    bool rest_ = false;          ///< the other recipients were settled by earlier tries
    std::unique_ptr<CURL, FreeEasy> handle_;
    std::array<char, CURL_ERROR_SIZE> curl_error_{};
    std::string blocked_;    ///< an address that is not allowed, and its kind
    std::size_t bytes_ = 0;  ///< of the reply
    Clock::Steady::time_point started_;
};

/// Connects to the endpoint like a delivery, without sending, and returns the address reached.
/// Blocks for connect_timeout at most. Error: kInvalidConfig, with what to check. Any thread.
core::Result<std::string> try_connection(const WebhookTarget& target);

}  // namespace headway::server
