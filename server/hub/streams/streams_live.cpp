// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "api/text/sse.hpp"
#include "core/base/limits.hpp"
#include "server/hub/streams/streams.hpp"

// Live streams: the rings of frames, and the positions of clients in them.

namespace headway::server {
namespace {

namespace limits = core::limits;

constexpr std::size_t kBatchMax = 64;  // frames per write

}  // namespace

std::string Streams::event_frame(std::int64_t id, const storage::StreamEvent& event) {
    std::string data;
    api::append_event(data, event.session, event.event);
    std::string frame;
    api::append_sse(frame, core::name_of(core::type_of(event.event.payload)), id, data);
    return frame;
}

Streams::Channel& Streams::channel_of(const Client& client) {
    switch (client.kind) {
        case StreamKind::kAll:
            return all_;
        case StreamKind::kProgress:
            return progress_[client.session];
        case StreamKind::kSession:
            break;
    }
    return sessions_[client.session];
}

void Streams::publish(const std::vector<storage::StreamEvent>& events) {
    std::vector<Channel*> touched;
    ++turn_;
    const auto touch = [this, &touched](Channel& channel) {
        if (std::exchange(channel.turn, turn_) == turn_) return;
        channel.mark = channel.end();
        touched.push_back(&channel);
    };
    if (!all_.clients.empty() && !events.empty()) touch(all_);
    Channel* last = nullptr;
    const std::string* of = nullptr;
    for (const storage::StreamEvent& event : events) {
        if (!all_.clients.empty()) append(all_, event.cursor, event);
        if (of == nullptr || *of != event.session) {
            const auto channel = sessions_.find(event.session);
            last = channel == sessions_.end() ? nullptr : &channel->second;
            of = &event.session;
            if (last != nullptr) touch(*last);
        }
        if (last != nullptr) append(*last, static_cast<std::int64_t>(event.event.n), event);
    }
    for (Channel* channel : touched)
        pump_channel(*channel);
    // Removes channels whose clients all went back to the journal.
    if (std::exchange(rejoined_, false))
        std::erase_if(sessions_, [](const auto& entry) { return entry.second.clients.empty(); });
    bound_rings();
}

Frame Streams::make_frame(std::string text) {
    const std::size_t bytes = text.size();
    auto counted = std::make_unique<const std::string>(std::move(text));
    *held_ += bytes;
    return {counted.release(), [held = held_, bytes](const std::string* gone) {
                *held -= bytes;
                delete gone;
            }};
}

void Streams::append(Channel& channel, std::int64_t id, const storage::StreamEvent& event) {
    Frame frame = make_frame(event_frame(id, event));
    channel.bytes += frame->size();
    ring_bytes_ += frame->size();
    channel.frames.push_back({id, std::move(frame)});
    while (channel.frames.size() > limits::kFrameRingCountMax ||
           channel.bytes > limits::kFrameRingBytesMax) {
        drop_front(channel);
    }
}

void Streams::drop_front(Channel& channel) {
    const std::size_t bytes = channel.frames.front().frame->size();
    channel.bytes -= bytes;
    ring_bytes_ -= bytes;
    channel.frames.pop_front();
    ++channel.base;
}

void Streams::pump_channel(Channel& channel) {
    // A copy, because clients that go back to the journal leave the list.
    const std::vector<std::uint64_t> ids = channel.clients;
    for (const std::uint64_t id : ids) {
        Client& client = clients_.at(id);
        if (client.next_frame < channel.base && client.next_frame >= channel.mark) {
            rejoin(id, client);
        } else {
            pump(id, client);
        }
    }
    drop_read(channel);
}

/// Drops the frames that all clients have read.
void Streams::drop_read(Channel& channel) {
    std::uint64_t slowest = channel.end();
    for (const std::uint64_t id : channel.clients)
        slowest = std::min(slowest, clients_.at(id).next_frame);
    while (channel.base < slowest && !channel.frames.empty())
        drop_front(channel);
}

/// Bounds the memory of many sessions with slow readers: empties the longest ring, whose slow
/// clients are then disconnected.
void Streams::bound_rings() {
    while (ring_bytes_ > kRingsBytesMax) {
        Channel* longest = &all_;
        for (auto& [session, channel] : sessions_) {
            if (channel.bytes > longest->bytes) longest = &channel;
        }
        while (!longest->frames.empty())
            drop_front(*longest);
    }
}

void Streams::pump(std::uint64_t id, Client& client) {
    HttpConnection* connection = find_(id);
    if (connection == nullptr || client.ended || client.kind == StreamKind::kProgress) return;
    const Channel& channel = channel_of(client);
    // Its page may have had more than was published: what other daemons had committed.
    while (client.next_frame >= channel.base && client.next_frame < channel.end() &&
           channel.frames[client.next_frame - channel.base].id <= client.position)
        ++client.next_frame;
    while (connection->writable() && client.next_frame < channel.end()) {
        if (client.next_frame < channel.base) {
            cut_lagged(*connection, client);
            return;
        }
        const std::uint64_t from = client.next_frame - channel.base;
        const std::uint64_t to = std::min<std::uint64_t>(channel.frames.size(), from + kBatchMax);
        for (std::uint64_t i = from; i < to; ++i)
            batch_.push_back(channel.frames[i].frame);
        const std::size_t taken = connection->stream(batch_);
        batch_.clear();
        if (taken == 0) return;  // the peer is gone
        frames_sent_ += taken;
        client.next_frame += taken;
        client.position = channel.frames[from + taken - 1].id;
        client.quiet_since = Clock::steady();
    }
}

}  // namespace headway::server
