// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/scanned_session.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>
#include <variant>

#include "core/meters/prices.hpp"
#include "core/text/text.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{256} << 10;

/// Lines of a stream, in pieces of bounded memory.
class StoreLines {
public:
    explicit StoreLines(std::istream& in) : in_(in) {}

    /// The next whole line; one that is not ended yet is left, since its agent may be writing it.
    /// Valid until the next call. `too_long` is set in its place.
    std::optional<std::string_view> next(bool& too_long) {
        too_long = false;
        while (true) {
            const std::size_t end = buffer_.find('\n', searched_);
            if (end != std::string::npos) {
                const std::string_view line{buffer_.data() + at_, end - at_};
                at_ = searched_ = end + 1;
                too_long = std::exchange(skips_, false);
                return line;
            }
            searched_ = buffer_.size();
            if (!fill()) return std::nullopt;
        }
    }

    /// What has been read at first, to know the format by it.
    std::string_view beginning() {
        if (buffer_.empty()) fill();
        return std::string_view{buffer_}.substr(at_);
    }

private:
    bool fill() {
        buffer_.erase(0, at_);
        searched_ -= at_;
        at_ = 0;
        if (buffer_.size() > kStoredLineBytesMax) {
            skips_ = true;
            buffer_.clear();
            searched_ = 0;
        }
        const std::size_t before = buffer_.size();
        buffer_.resize(before + kChunkBytes);
        in_.read(buffer_.data() + before, static_cast<std::streamsize>(kChunkBytes));
        buffer_.resize(before + static_cast<std::size_t>(in_.gcount()));
        return buffer_.size() > before;
    }

    std::istream& in_;
    std::string buffer_;
    std::size_t at_ = 0;        ///< of the line that is next
    std::size_t searched_ = 0;  ///< no line end before
    bool skips_ = false;        ///< the beginning of this line was dropped
};

std::optional<double> cost_of_use(const StoredUse& use) {
    static const core::Prices kPrices{};
    const auto price = core::price_of(kPrices, use.model);
    if (!price) return std::nullopt;
    core::Usage usage;
    usage.input_tokens = use.tokens.input;
    usage.cached_tokens = use.tokens.cached;
    usage.cache_write_tokens = use.tokens.cache_write;
    usage.output_tokens = use.tokens.output;
    usage.reasoning_tokens = use.tokens.reasoning;
    return core::cost_of(*price, usage);
}

class SessionScan {
public:
    SessionScan(const StoreFormat& format, const JudgeOptions& options)
        : reader_(format.make()), judge_(options, {}) {}

    void take(api::JsonValue line, std::size_t number) {
        said_.clear();
        reader_->take(line, said_);
        if (said_.seconds) pass(*said_.seconds);
        for (core::Event& event : said_.events)
            report(std::move(event), number);
        if (said_.use) add_use(*said_.use);
    }

    ScannedSession finish() {
        session_.about = reader_->about();
        session_.open_calls = reader_->open_calls();
        session_.timeline = judge_.finish();
        session_.last = session_.timeline.last;
        return std::move(session_);
    }

    ScannedSession& session() { return session_; }

private:
    void pass(double seconds) {
        if (session_.began == 0) session_.began = session_.ended = seconds;
        const double passed = seconds - session_.ended;
        if (passed <= 0) return;
        session_.ended = seconds;
        if (passed > kGapSeconds) return;
        session_.worked += passed;
        if (session_.stuck) session_.worked_after_stuck += passed;
    }

    void report(core::Event event, std::size_t line) {
        if (const auto* call = std::get_if<core::ToolFinished>(&event.payload)) {
            session_.calls.push_back(core::digest_of(call->call_id).low);
            if (!call->ok) ++session_.failures;
            if (call->error && call->error->error_class == "denied") ++session_.refused;
        }
        const double since = session_.ended - session_.began;
        const auto at = std::chrono::milliseconds{std::llround(since * 1'000)};
        judge_.report(std::move(event), at, line);
        const auto& verdicts = judge_.timeline().verdicts;
        for (; seen_ < verdicts.size(); ++seen_)
            note(std::get<core::VerdictChanged>(verdicts[seen_].event.payload));
    }

    void note(const core::VerdictChanged& verdict) {
        auto* alarm = verdict.to == core::Verdict::kStuck     ? &session_.stuck
                      : verdict.to == core::Verdict::kBlocked ? &session_.blocked
                                                              : nullptr;
        if (alarm == nullptr || *alarm) return;
        *alarm = ScannedAlarm{judge_.timeline().calls, session_.ended, verdict.reason};
    }

    void add_use(const StoredUse& use) {
        const std::uint64_t answer = core::digest_of(use.answer).low;
        // Each part of an answer is a line with all of its use.
        if (!session_.uses.empty() && session_.uses.back().answer == answer) return;
        const auto known = std::find(session_.models.begin(), session_.models.end(), use.model);
        const auto model = static_cast<std::uint32_t>(known - session_.models.begin());
        if (known == session_.models.end()) session_.models.push_back(use.model);
        session_.uses.push_back({answer, use.tokens.sum(), cost_of_use(use), session_.ended, model,
                                 session_.stuck.has_value()});
    }

    std::unique_ptr<StoreReader> reader_;
    EventJudge judge_;
    StoredLine said_;
    ScannedSession session_;
    std::size_t seen_ = 0;  ///< verdicts that have been noted
};

}  // namespace

std::optional<core::Result<ScannedSession>> scan_if_stored(const std::string& file,
                                                           const JudgeOptions& options) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream || std::filesystem::is_directory(file)) return std::nullopt;
    std::string beginning(kChunkBytes, '\0');
    stream.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
    beginning.resize(static_cast<std::size_t>(stream.gcount()));
    api::JsonDocument document;
    const StoreFormat* format = store_format_of(beginning, document);
    if (format == nullptr) return std::nullopt;
    stream.clear();
    stream.seekg(0);
    auto session = scan_session(stream, format, options, [] { return false; });
    if (stream.bad())
        return core::Error{core::ErrorCode::kBadRequest, file + ": cannot be read", {}};
    if (session) session->file = file;
    return session;
}

core::Result<ScannedSession> scan_session(std::istream& lines, const StoreFormat* format,
                                          const JudgeOptions& options,
                                          const std::function<bool()>& stop) {
    constexpr std::size_t kLinesBetweenLooks = 256;
    StoreLines cutter(lines);
    api::JsonDocument document;
    if (format == nullptr) format = store_format_of(cutter.beginning(), document);
    if (format == nullptr)
        return core::Error{core::ErrorCode::kBadRequest, "no session of a known agent", {}};
    SessionScan scan(*format, options);
    ScannedSession& session = scan.session();
    bool too_long = false;
    while (const auto line = cutter.next(too_long)) {
        ++session.lines;
        if (session.lines % kLinesBetweenLooks == 0 && stop()) break;
        if (too_long) {
            ++session.broken;
            continue;
        }
        if (line->empty() || !format->matters(*line)) continue;
        if (!document.parse(*line) || document.root().kind() != api::JsonKind::kObject) {
            ++session.broken;
            continue;
        }
        scan.take(document.root(), session.lines);
    }
    return scan.finish();
}

}  // namespace headway::cli
