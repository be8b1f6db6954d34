// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/store_pieces.hpp"

#include <cstring>
#include <utility>

namespace headway::cli {

using Found = StoreLines::Found;

Found StoreLines::next(std::string_view& line) {
    while (true) {
        const char* const from = buffer_.data() + searched_;
        const void* const end =
            used_ > searched_ ? std::memchr(from, '\n', used_ - searched_) : nullptr;
        if (end != nullptr) {
            const auto stop =
                static_cast<std::size_t>(static_cast<const char*>(end) - buffer_.data());
            line = {buffer_.data() + at_, stop - at_};
            at_ = searched_ = stop + 1;
            ended_ = taken_ - (used_ - at_);
            if (dropped_) return *std::exchange(dropped_, std::nullopt);
            return found(line);
        }
        searched_ = used_;
        if (!fill()) return Found::kEnd;
    }
}

Found StoreLines::found(std::string_view whole) const {
    return !whole.empty() && (matters_ == nullptr || matters_(whole)) ? Found::kLine
                                                                      : Found::kNotNeeded;
}

std::string_view StoreLines::beginning() {
    if (used_ == 0) fill();
    return {buffer_.data() + at_, used_ - at_};
}

bool StoreLines::fill() {
    const std::size_t kept = used_ - at_;
    std::memmove(buffer_.data(), buffer_.data() + at_, kept);
    searched_ -= at_;
    used_ = kept;
    at_ = 0;
    // The rest of a line that is not needed, or too long, is not kept until its end.
    if (dropped_) {
        used_ = searched_ = 0;
    } else if (kept >= kStoredLineBytesMax) {
        dropped_ = Found::kTooLong;
        used_ = searched_ = 0;
    } else if (kept >= kStoreChunkBytes && found({buffer_.data(), kept}) == Found::kNotNeeded) {
        dropped_ = Found::kNotNeeded;
        used_ = searched_ = 0;
    }
    if (buffer_.size() < used_ + kStoreChunkBytes)
        buffer_.resize(std::max(buffer_.size() * 2, used_ + kStoreChunkBytes));
    in_.read(buffer_.data() + used_, static_cast<std::streamsize>(kStoreChunkBytes));
    const auto got = static_cast<std::size_t>(in_.gcount());
    used_ += got;
    taken_ += got;
    return got > 0;
}

Found StoreMessages::next(std::string_view& piece) {
    while (place_ != Place::kEnd) {
        if (at_ == chunk_.size() && !more()) break;
        const char byte = chunk_[at_++];
        if (const auto found = take(byte, piece)) return *found;
    }
    place_ = Place::kEnd;
    return Found::kEnd;
}

bool StoreMessages::more() {
    chunk_.resize(kStoreChunkBytes);
    in_.read(chunk_.data(), static_cast<std::streamsize>(kStoreChunkBytes));
    chunk_.resize(static_cast<std::size_t>(in_.gcount()));
    at_ = 0;
    return !chunk_.empty();
}

/// Whether what was read ends in `"messages":`.
bool StoreMessages::opens_messages() const {
    std::string_view head{piece_};
    const auto trim = [&head] {
        while (!head.empty() && std::strchr(" \t\r\n", head.back()) != nullptr)
            head.remove_suffix(1);
    };
    trim();
    if (!head.ends_with(':')) return false;
    head.remove_suffix(1);
    trim();
    return head.ends_with("\"messages\"");
}

Found StoreMessages::take_head(std::string_view& piece) {
    piece_ += "[]}";
    place_ = Place::kBetween;
    piece = piece_;
    return Found::kLine;
}

std::optional<Found> StoreMessages::take(char byte, std::string_view& piece) {
    const bool in_text = in_text_;
    if (in_text_) {
        in_text_ = escaped_ || byte != '"';
        escaped_ = !escaped_ && byte == '\\';
    } else if (byte == '"') {
        in_text_ = true;
    }
    const bool opens = !in_text && (byte == '{' || byte == '[');
    const bool closes = !in_text && (byte == '}' || byte == ']');
    if (opens) {
        if (place_ == Place::kHead && byte == '[' && depth_ == 1 && opens_messages()) {
            ++depth_;
            return take_head(piece);
        }
        if (place_ == Place::kBetween && byte == '{' && depth_ == 2) {
            place_ = Place::kInside;
            piece_.clear();
            too_long_ = false;
        }
        ++depth_;
    }
    if (closes) {
        if (depth_ <= 1 || (place_ == Place::kBetween && depth_ == 2)) place_ = Place::kEnd;
        if (depth_ > 0) --depth_;
    }
    if (place_ != Place::kHead && place_ != Place::kInside) return std::nullopt;
    if (piece_.size() >= kStoredLineBytesMax) {
        too_long_ = true;
        if (place_ == Place::kHead) place_ = Place::kEnd;
    }
    if (!too_long_) piece_ += byte;
    if (place_ != Place::kInside || !closes || depth_ != 2) return std::nullopt;
    place_ = Place::kBetween;
    piece = piece_;
    return too_long_ ? Found::kTooLong : Found::kLine;
}

}  // namespace headway::cli
