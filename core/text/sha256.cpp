// SPDX-License-Identifier: Apache-2.0
#include "core/text/sha256.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <climits>
#include <memory>

#include "core/base/assert.hpp"

namespace headway::core {
namespace {

/// libcrypto looks an algorithm up at each use of EVP_sha256(), which takes as long as two short
/// messages. It is fetched once and kept until the process ends, when libcrypto may be gone first.
const EVP_MD* algorithm() {
    static const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA2-256", nullptr);
    HEADWAY_ASSERT(fetched != nullptr);
    return fetched;
}

struct FreeContext {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

/// Hashes one message after the other. Its context is kept, because to make one costs more than a
/// short message.
class Sha256 {
public:
    Sha256() : context_(EVP_MD_CTX_new()) {
        HEADWAY_ASSERT(context_ != nullptr);
        const int done = EVP_DigestInit_ex2(context_.get(), algorithm(), nullptr);
        HEADWAY_ASSERT(done == 1);
    }

    Sha256Digest digest(std::string_view bytes) {
        int done = EVP_DigestInit_ex2(context_.get(), nullptr, nullptr);
        done &= EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
        Sha256Digest digest{};
        done &= EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
        HEADWAY_ASSERT(done == 1);
        return digest;
    }

private:
    std::unique_ptr<EVP_MD_CTX, FreeContext> context_;
};

Sha256& of_this_thread() {
    thread_local Sha256 hash;
    return hash;
}

}  // namespace

Sha256Digest sha256(std::string_view bytes) {
    return of_this_thread().digest(bytes);
}

Sha256Digest hmac_sha256(std::string_view key, std::string_view text) {
    HEADWAY_ASSERT(key.size() <= INT_MAX);
    Sha256Digest bytes{};
    const unsigned char* const done = HMAC(algorithm(), key.data(), static_cast<int>(key.size()),
                                           reinterpret_cast<const unsigned char*>(text.data()),
                                           text.size(), bytes.data(), nullptr);
    HEADWAY_ASSERT(done != nullptr);
    return bytes;
}

std::string sha256_hex(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    text.reserve(64);
    for (const unsigned char byte : sha256(bytes)) {
        text.push_back(kDigits[byte >> 4U]);
        text.push_back(kDigits[byte & 15U]);
    }
    HEADWAY_ASSERT(text.size() == 64);
    return text;
}

}  // namespace headway::core
