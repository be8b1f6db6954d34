// SPDX-License-Identifier: Apache-2.0
#include "core/text/sha256.hpp"

#include <catch2/catch.hpp>
#include <cstddef>

using namespace headway::core;

namespace {

std::string hex_of_digest(const Sha256Digest& digest) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : digest)
        text.append({kDigits[byte >> 4U], kDigits[byte & 15U]});
    return text;
}

}  // namespace

TEST_CASE("sha256: the digests of FIPS 180-4's examples", "[core]") {
    CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256_hex(std::string(1'000'000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256: a digest knows nothing of the messages before it", "[core]") {
    const Sha256Digest first = sha256("abc");
    static_cast<void>(sha256(std::string(300, 'x')));
    static_cast<void>(hmac_sha256("key", "text"));
    CHECK(sha256("abc") == first);
}

TEST_CASE("sha256: keyed hashes are those of RFC 4231", "[core]") {
    CHECK(hex_of_digest(hmac_sha256(std::string(20, '\x0b'), "Hi There")) ==
          "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    CHECK(hex_of_digest(hmac_sha256("Jefe", "what do ya want for nothing?")) ==
          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    CHECK(hex_of_digest(hmac_sha256(std::string(131, '\xaa'),
                                    "Test Using Larger Than Block-Size Key - Hash Key First")) ==
          "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}
