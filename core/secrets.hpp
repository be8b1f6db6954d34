// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/sanitize.hpp"

namespace headway::core {

/// Where a secret stands in a text.
struct SecretSpan {
    std::size_t at = 0;
    std::size_t size = 0;
};

/// Finds what must not be written down (DESIGN 4: secrets are redacted before the first write):
/// values of names that mean secrets, tokens of known shapes, what follows `Authorization:` and
/// `Bearer`, the user part of URLs, private keys. Unlike sanitized() it has to leave everything
/// else as it came, since people read it, approve it and judge by it: so code such as `password =
/// getenv("X")`, variables, types and cursors such as `next_token` are no secrets. Immutable; any
/// thread.
class SecretFinder {
public:
    /// `names` are secret besides the built-in ones, `exempt` are none; compared without regard to
    /// case, `_` and `-`, and with what a longer name ends in: "token" covers `GITHUB_TOKEN`.
    explicit SecretFinder(const std::vector<std::string>& names = {},
                          const std::vector<std::string>& exempt = {});

    /// Whether a value under this key of a JSON object is one. A key that only sounds like it
    /// (`token`) needs a value that may be one.
    bool is_secret(std::string_view key, std::string_view value) const;
    /// Whether everything under this key may be: objects and lists are then looked through with it.
    bool names_secret(std::string_view key) const;
    /// The first one at or behind `from`. Linear in what it passes over.
    std::optional<SecretSpan> find(std::string_view text, std::size_t from) const;
    /// Appends `text` with kRedacted in place of each; whether there was one.
    bool append_redacted(std::string& out, std::string_view text) const;

private:
    struct Name {
        std::string plain;          ///< lower case, without `_` and `-`
        std::size_t bytes_min = 1;  ///< of a value
    };

    struct Passed;

    const Name* name_of(std::string_view key) const;
    std::optional<SecretSpan> find(std::string_view text, std::size_t from, Passed& passed) const;
    std::optional<SecretSpan> assigned(std::string_view text, std::size_t sign,
                                       Passed& passed) const;
    std::optional<SecretSpan> flagged(std::string_view text, std::size_t at) const;
    bool is_literal(std::string_view value, const Name& name, bool quoted, bool spaced) const;

    std::vector<Name> names_;
    std::uint32_t last_letters_ = 0;  ///< that names end in, each by its low five bits
    std::vector<std::string> exempt_;
};

}  // namespace headway::core
