// SPDX-License-Identifier: Apache-2.0
#include "server/http/message/request_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "server/http/body/inflate.hpp"

namespace headway::server {
namespace {

namespace limits = core::limits;

constexpr std::string_view kHeadEnd = "\r\n\r\n";
/// Lines of a head that are looked at as they come: more than tools send.
constexpr std::size_t kLinesParsedMax = 128;
constexpr std::size_t kHeadBufferMax = limits::kHeaderBytesMax + 16;  // with leading empty lines

bool begins_a_request(std::string_view bytes) {
    return bytes.find_first_not_of("\r\n") != std::string_view::npos;
}

}  // namespace

RequestReader::RequestReader()
    : buffer_(std::make_unique<char[]>(limits::kReadBufferBytes)),
      capacity_(limits::kReadBufferBytes) {}

std::span<char> RequestReader::room() {
    HEADWAY_ASSERT(lent_ == Lent::kNone && !holds_one());
    if (state_ == State::kBody) {
        lent_ = Lent::kBody;
        return body_.room();
    }
    make_room();
    lent_ = Lent::kBuffer;
    return {buffer_.get() + end_, capacity_ - end_};
}

void RequestReader::received(std::size_t count) {
    const Lent lent = std::exchange(lent_, Lent::kNone);
    HEADWAY_ASSERT(lent != Lent::kNone);
    if (lent == Lent::kBuffer) {
        HEADWAY_ASSERT(count <= capacity_ - end_);
        end_ += count;
    } else if (state_ == State::kBody) {
        if (count > 0) body_.received(count);
    } else {
        body_.clear();  // it was given up meanwhile
    }
}

RequestReader::Step RequestReader::next(const GateSettings& gate) {
    HEADWAY_ASSERT(ready());
    return state_ == State::kHead ? read_head(gate) : go_on_with_body();
}

/// True if a head may be complete, or be seen to be malformed. One that comes in small pieces is
/// parsed again for each of its first lines, then when it has twice the bytes, or its end is here,
/// so the work stays linear.
bool RequestReader::worth_parsing() {
    const std::size_t size = end_ - begin_;
    if (size >= 2 * parsed_ || size >= limits::kHeaderBytesMax) return true;
    const std::size_t searched = std::exchange(searched_, size);
    if (lines_ < kLinesParsedMax && unread().find('\n', searched) != std::string_view::npos) {
        ++lines_;
        return true;
    }
    const std::size_t from = searched - std::min(searched, kHeadEnd.size() - 1);
    return unread().find(kHeadEnd, from) != std::string_view::npos;
}

RequestReader::Step RequestReader::read_head(const GateSettings& gate) {
    if (begin_ == end_ || !worth_parsing()) return Step::kNeedsBytes;
    core::Error error;
    switch (parse_head(unread(), head_, error)) {
        case HeadStatus::kNeedMore:
            parsed_ = searched_ = end_ - begin_;
            head_ = RequestHead{};
            return Step::kNeedsBytes;
        case HeadStatus::kMalformed:
            head_ = RequestHead{};
            last_ = true;
            return refused(std::move(error));
        case HeadStatus::kComplete:
            break;
    }
    parsed_ = searched_ = lines_ = 0;
    return admit(gate);
}

/// Checks the head by gate and route, before the body is read.
RequestReader::Step RequestReader::admit(const GateSettings& gate) {
    strip_authority(head_, gate);
    core::Result<> fits = check_head(head_, gate);
    if (fits) {
        fits = find_route(head_.method, head_.target, target_);
        if (fits) fits = check_body(head_, target_.endpoint->body);
        if (fits) return begin_body();
    }
    // A refusal that keeps the framing intact skips a short body that is already in the buffer.
    const std::uint64_t length = head_.content_length.value_or(0);
    const bool here = !head_.chunked && length <= end_ - begin_ - head_.bytes;
    last_ = breaks_framing(fits.error().code) || !here;
    used_ = head_.bytes + (here ? static_cast<std::size_t>(length) : 0);
    return refused(fits.error());
}

/// The head stays in the buffer, because its views are needed.
RequestReader::Step RequestReader::begin_body() {
    const std::string_view here = unread().substr(head_.bytes);
    const auto length = static_cast<std::size_t>(head_.content_length.value_or(0));
    if (!head_.chunked && here.size() >= length)
        return whole(here.substr(0, length), head_.bytes + length);
    if (head_.chunked) {
        body_.start_chunked(target_.endpoint->body.bytes_max);
    } else {
        body_.start(length);
    }
    std::size_t used = 0;
    switch (body_.take(here, used)) {
        case RequestBody::Status::kComplete:
            return whole(body_.text(), head_.bytes + used);
        case RequestBody::Status::kFailed:
            return refuse(body_.error());
        case RequestBody::Status::kNeedMore:
            break;
    }
    end_ = begin_ + head_.bytes;
    state_ = State::kBody;
    const bool waits = head_.expects_continue && !head_.http_1_0 && here.empty();
    return waits ? Step::kContinue : Step::kNeedsBytes;
}

RequestReader::Step RequestReader::go_on_with_body() {
    switch (body_.status()) {
        case RequestBody::Status::kComplete:
            return whole(body_.text(), head_.bytes);
        case RequestBody::Status::kFailed:
            return refuse(body_.error());
        case RequestBody::Status::kNeedMore:
            break;
    }
    return Step::kNeedsBytes;
}

/// The body is complete; `used` bytes of the buffer belong to this request.
RequestReader::Step RequestReader::whole(std::string_view text, std::size_t used) {
    text_ = text;
    used_ = used;
    const bool packed = head_.gzip && !text.empty();
    state_ = packed ? State::kPacked : State::kRequest;
    return packed ? Step::kPacked : Step::kRequest;
}

RequestReader::Step RequestReader::inflate() {
    HEADWAY_ASSERT(state_ == State::kPacked);
    const std::size_t most = target_.endpoint->body.bytes_max;
    const std::size_t at_once = std::min(most, limits::kBodyAtOnceBytesMax);
    core::Result<std::string> inflated = inflate_gzip(text_, at_once);
    still_packed_ =
        !inflated && inflated.error().code == core::ErrorCode::kBodyTooLarge && at_once < most;
    if (!inflated && !still_packed_) return refuse(inflated.error());
    if (inflated) text_ = inflated_ = *std::move(inflated);
    state_ = State::kRequest;
    return Step::kRequest;
}

RequestReader::Step RequestReader::refuse(core::Error error) {  // by value: it may be the body's
    HEADWAY_ASSERT(collects() || state_ == State::kPacked);
    last_ = true;
    return refused(std::move(error));
}

RequestReader::Step RequestReader::refused(core::Error error) {
    error_ = std::move(error);
    text_ = {};
    if (last_ && lent_ != Lent::kBody) body_.clear();
    state_ = State::kRefused;
    return Step::kRefused;
}

/// Continues with the next request, whose start may have come with the end of a chunked body.
void RequestReader::done() {
    HEADWAY_ASSERT(state_ == State::kRequest || state_ == State::kRefused);
    text_ = {};
    still_packed_ = false;
    if (!inflated_.empty()) std::string{}.swap(inflated_);  // frees its memory
    state_ = last_ ? State::kEnded : State::kHead;
    if (last_) {
        end();
        return;
    }
    skip(used_);
    head_.bytes = 0;
    const std::string_view behind = body_.behind();
    HEADWAY_ASSERT(behind.size() <= capacity_ - end_);
    std::copy(behind.begin(), behind.end(), buffer_.get() + end_);
    end_ += behind.size();
    body_.clear();
}

bool RequestReader::end() {
    if (state_ == State::kRequest || state_ == State::kRefused) {
        const std::string_view behind = unread().substr(std::min(used_, end_ - begin_));
        const bool more = !last_ && (begins_a_request(behind) || begins_a_request(body_.behind()));
        last_ = true;
        return more;
    }
    const bool more =
        state_ == State::kBody || state_ == State::kPacked || begins_a_request(unread());
    begin_ = end_;  // a lent room() begins here
    head_.bytes = 0;
    text_ = {};
    if (lent_ != Lent::kBody) body_.clear();
    state_ = State::kEnded;
    return more;
}

void RequestReader::skip(std::size_t used) noexcept {
    HEADWAY_ASSERT(used <= end_ - begin_);
    begin_ += used;
    if (begin_ == end_) begin_ = end_ = 0;
}

/// Makes space for at least one more byte.
void RequestReader::make_room() {
    if (begin_ == end_) begin_ = end_ = 0;
    if (end_ < capacity_) return;
    if (begin_ > 0) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
        return;
    }
    // Only a head may be longer than the buffer; parse_head() refuses it at its limit.
    const std::size_t larger = std::min(capacity_ * 2, kHeadBufferMax + limits::kReadBufferBytes);
    HEADWAY_ASSERT(larger > capacity_);
    auto grown = std::make_unique<char[]>(larger);
    std::memcpy(grown.get(), buffer_.get(), end_);
    buffer_ = std::move(grown);
    capacity_ = larger;
}

}  // namespace headway::server
