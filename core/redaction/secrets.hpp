// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/redaction/sanitize.hpp"

namespace headway::core {

/// Position of a secret in a text.
struct SecretSpan {
    std::size_t at = 0;
    std::size_t size = 0;
};

/// Finds secrets, to redact them before the first write: values of secret names, tokens of known
/// shapes, credentials after `Authorization:` and `Bearer`, the user part of URLs, private keys.
/// People read and approve the text. Therefore, unlike sanitized(), this class must leave
/// everything else unchanged. Code such as `password = getenv("X")`, variables, types, and cursors
/// such as `next_token` are not secrets. Immutable; usable from any thread.
class SecretFinder {
public:
    /// `names` are secret in addition to the built-in names; names in `exempt` are not secret.
    /// Case, `_` and `-` are ignored, and a name also covers all names that end in it: "token"
    /// covers `GITHUB_TOKEN`.
    explicit SecretFinder(const std::vector<std::string>& names = {},
                          const std::vector<std::string>& exempt = {});

    /// True if a value under this key of a JSON object is a secret. An ambiguous key (`token`) also
    /// needs a plausible value.
    bool is_secret(std::string_view key, std::string_view value) const;
    /// True if everything under this key may be secret; the key then also applies to nested objects
    /// and lists.
    bool names_secret(std::string_view key) const;
    /// The first secret at or after `from`. Takes time linear in the scanned text.
    std::optional<SecretSpan> find(std::string_view text, std::size_t from) const;
    /// Appends `text` with kRedacted in place of each secret; true if there was a secret.
    bool append_redacted(std::string& out, std::string_view text) const;

private:
    struct Name {
        std::string plain;          ///< lower case, without `_` and `-`
        std::size_t bytes_min = 1;  ///< the shortest value that is a secret
    };

    /// The last `"name": "DB_PASSWORD"`, for the `"value"` after it.
    struct Pair {
        const Name* name = nullptr;
        std::size_t at = 0;
    };

    struct Passed;

    const Name* name_of(std::string_view key) const;
    std::optional<SecretSpan> find(std::string_view text, std::size_t from, Passed& passed) const;
    std::optional<SecretSpan> assigned(std::string_view text, std::size_t sign,
                                       Passed& passed) const;
    /// The name that the preceding text gives to the value after `sign`: `"name": "DB_PASSWORD",
    /// "value": "x"`, also in lines of YAML and in attributes; `"sensitive": true`, `"Type":
    /// "SecureString"`; `Pwd` in a connection string.
    const Name* paired(std::string_view text, std::size_t sign, std::string_view key,
                       Pair& pair) const;
    std::optional<SecretSpan> value_of(std::string_view text, std::size_t sign, const Name& name,
                                       Passed& passed) const;
    /// The value in `<password>value</password>`. The first `>` is at `tag`.
    std::optional<SecretSpan> in_element(std::string_view text, std::size_t tag) const;
    /// The value in `define('DB_PASSWORD', 'value')`. Nothing if the word in [start, end) is not
    /// such a function.
    std::optional<SecretSpan> defined(std::string_view text, std::size_t start,
                                      std::size_t end) const;
    std::optional<SecretSpan> flagged(std::string_view text, std::size_t at) const;
    bool is_literal(std::string_view value, const Name& name, bool quoted, bool spaced) const;

    std::vector<Name> names_;
    /// The last letters of all names, as a bit set indexed by their low five bits.
    std::uint32_t last_letters_ = 0;
    std::vector<std::string> exempt_;
};

}  // namespace headway::core
