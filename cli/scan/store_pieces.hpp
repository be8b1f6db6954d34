// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

// Cuts stored sessions into the JSON objects that readers take. Each piece has a bounded size.

namespace headway::cli {

/// The longest piece that is read. A longer piece is counted as broken.
inline constexpr std::size_t kStoredLineBytesMax = std::size_t{32} << 20;

/// Bytes of a stream that are read at once.
inline constexpr std::size_t kStoreChunkBytes = std::size_t{256} << 10;

/// Lines of a stream. An unfinished last line is not returned, since its agent may still be writing
/// it.
class StoreLines {
public:
    /// `matters` returns true if a line with these first bytes is needed. Most lines of a store are
    /// not needed.
    StoreLines(std::istream& in, bool (*matters)(std::string_view)) : in_(in), matters_(matters) {}

    enum class Found : unsigned char { kEnd, kLine, kNotNeeded, kTooLong };
    /// Finds the next line. `line` is set for kLine, and valid until the next call.
    Found next(std::string_view& line);
    /// The first bytes, to recognise the format before set_matters() is called.
    std::string_view beginning();
    void set_matters(bool (*matters)(std::string_view)) { matters_ = matters; }
    /// Bytes of the stream up to the end of the last line that next() found.
    std::uint64_t bytes_done() const { return ended_; }

private:
    bool fill();
    Found found(std::string_view whole) const;

    std::istream& in_;
    bool (*matters_)(std::string_view);
    std::string buffer_;
    std::size_t used_ = 0;      ///< bytes of the buffer in use; the rest is free
    std::size_t at_ = 0;        ///< start of the next line
    std::size_t searched_ = 0;  ///< there is no line end between at_ and this position
    std::uint64_t taken_ = 0;   ///< bytes read from the stream
    std::uint64_t ended_ = 0;
    std::optional<Found> dropped_;  ///< why the beginning of this line was dropped; empty: it was
                                    ///< not dropped
};

/// Pieces of a JSON document: first everything before its array "messages", as one object, then the
/// objects in that array.
class StoreMessages {
public:
    explicit StoreMessages(std::istream& in) : in_(in) {}

    /// Like StoreLines::next(), for the next piece. A damaged document ends at the damage.
    StoreLines::Found next(std::string_view& piece);

private:
    enum class Place : unsigned char { kHead, kBetween, kInside, kEnd };
    StoreLines::Found take_head(std::string_view& piece);
    std::optional<StoreLines::Found> take(char byte, std::string_view& piece);
    bool opens_messages() const;
    bool more();

    std::istream& in_;
    std::string chunk_;
    std::size_t at_ = 0;
    std::string piece_;
    Place place_ = Place::kHead;
    std::size_t depth_ = 0;
    bool in_text_ = false;
    bool escaped_ = false;
    bool too_long_ = false;
};

}  // namespace headway::cli
