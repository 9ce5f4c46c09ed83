// SPDX-License-Identifier: BSD-3-Clause
// Messages of all lengths over a network that loses, repeats, delays and damages frames: what comes
// out of the shipped stages against what a naive receiver with maps would make of the same frames.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/random.h"
#include "node/coalescer.h"
#include "unit/node/test_node.h"

namespace lambdacast::node {
namespace {

constexpr size_t kSenders = 3;

NodeConfig config(uint32_t number) {
  NodeConfig config;
  config.identity.mac.bytes = {2, 0, 0, 0, 0, static_cast<uint8_t>(number)};
  config.identity.gid = wire::gid_from_ipv4(0x0a000000 + number);
  config.identity.multicast_gid = wire::gid_from_ipv4(0xef000055);
  config.identity.control_gid = node::control_gid_of(config.identity.multicast_gid);
  config.identity.data_qpn = 0x10;
  config.identity.control_qpn = 0x11;
  config.identity.path_mtu = 256;
  config.identity.incarnation = 1;
  config.delivery.reassembly = {.max_message_bytes = 100'000,
                                .max_messages = 64,
                                .timeout_ns = 5'000,
                                .memory_bytes = size_t{1} << 20};
  return config;
}

// One frame on its way, and which message each part of it is of.
struct Frame {
  size_t sender = 0;
  uint64_t at_ns = 0;
  Bytes bytes;
  std::vector<size_t> whole;    // messages that are in it
  size_t part_of = ~size_t{0};  // or the message it is a fragment of
  bool damaged = false;
};

class Network {
 public:
  explicit Network(uint64_t seed) : random_(seed) {
    for (uint32_t i = 0; i < kSenders; ++i)
      senders_.emplace_back(FrameBuilderConfig{.identity = config(i + 1).identity});
    (void)receiver_.node->subscriptions().subscribe(1);
  }

  void run() {
    for (int step = 0; step < 60; ++step) {
      now_ns_ += 100;
      publish(random_.below(kSenders));
    }
    std::ranges::stable_sort(frames_, {}, &Frame::at_ns);
    for (Frame& frame : frames_) arrive(frame);
    for (int i = 0; i < 20; ++i, arrival_ns_ += 100'000) receiver_.poll();
  }
  void check() {
    for (const auto& [message, times] : delivered_) {
      EXPECT_EQ(times, 1u) << "message " << message;
    }
    // Nothing was given up early: a message is delivered if and only if all of it arrived intact,
    // unless a pause within it was longer than the timeout.
    for (size_t m = 0; m < messages_.size(); ++m) {
      const bool complete = missing_[m] == 0;
      if (!complete) {
        EXPECT_FALSE(delivered_.contains(m)) << "message " << m;
      } else if (!paused_.contains(m)) {
        EXPECT_TRUE(delivered_.contains(m)) << "message " << m;
      }
    }
    const StageCounters ordering = receiver_.node->filter().counters();
    EXPECT_EQ(ordering.received, ordering.forwarded + ordering.drops.total());
    EXPECT_EQ(receiver_.node->filter().held(), 0u);
    EXPECT_EQ(receiver_.node->filter().reassembly().free_bytes(), size_t{1} << 20);
  }
  [[nodiscard]] size_t delivered() const { return delivered_.size(); }
  [[nodiscard]] size_t published() const { return messages_.size(); }

 private:
  Bytes make_message(size_t bytes) {
    Bytes content(bytes);
    for (uint8_t& byte : content) byte = static_cast<uint8_t>(random_());
    messages_.push_back(content);
    missing_.push_back(0);
    return content;
  }

  void publish(size_t sender) {
    if (random_.below(2) == 0) {
      publish_shared(sender);
    } else {
      publish_long(sender, 1 + random_.below(random_.below(4) == 0 ? 8'000 : 900));
    }
  }

  void publish_shared(size_t sender) {
    const FrameBuilder& transmit = senders_[sender];
    Bytes buffer(transmit.buffer_bytes(transmit.room_bytes()));
    Coalescer coalescer(transmit.room_bytes(), 0);
    constexpr auto kKind = wire::Kind::kData;
    coalescer.open(buffer.data() + transmit.payload_offset(), 1, {}, kKind, now_ns_);
    Frame frame;
    for (size_t bytes = random_.below(60);
         coalescer.empty() || coalescer.takes(bytes, 1, {}, kKind); bytes = random_.below(60)) {
      frame.whole.push_back(messages_.size());
      missing_.push_back(0), messages_.emplace_back();
      Bytes content(bytes);
      for (uint8_t& byte : content) byte = static_cast<uint8_t>(random_());
      coalescer.append(content);
      messages_.back() = content;
      if (random_.below(10) == 0) break;
    }
    PacketInfo info{};
    coalescer.close(info);
    transmit_frame(sender, info, std::move(buffer), std::move(frame));
  }

  void publish_long(size_t sender, size_t bytes) {
    const size_t message = messages_.size();
    const Bytes content = make_message(bytes);
    const FrameBuilder& transmit = senders_[sender];
    const size_t each = transmit.room_bytes(wire::Kind::kFragment);
    if (bytes <= each) {
      PacketInfo info = about(wire::Kind::kData, content, 0, bytes);
      Frame frame;
      frame.whole = {message};
      return transmit_frame(sender, info, with(transmit, info, content), std::move(frame));
    }
    ++next_id_;
    for (size_t at = 0; at < bytes; at += each) {
      PacketInfo info = about(wire::Kind::kFragment, content, at, std::min(each, bytes - at));
      info.fragment_bytes = static_cast<uint16_t>(each);
      info.message_id = next_id_;
      Frame frame;
      frame.part_of = message;
      transmit_frame(sender, info, with(transmit, info, content), std::move(frame));
    }
  }

  static PacketInfo about(wire::Kind kind, const Bytes& content, size_t at, size_t bytes) {
    PacketInfo info{};
    info.kind = kind;
    info.group = 1;
    info.payload_bytes = static_cast<uint16_t>(bytes);
    info.message_bytes = static_cast<uint32_t>(content.size());
    info.fragment_offset = static_cast<uint32_t>(at);
    return info;
  }
  static Bytes with(const FrameBuilder& transmit, const PacketInfo& info, const Bytes& content) {
    Bytes buffer(transmit.buffer_bytes(transmit.room_bytes()) + 8);
    std::copy_n(content.begin() + info.fragment_offset, info.payload_bytes,
                buffer.begin() + static_cast<long>(transmit.payload_offset(info.kind)));
    return buffer;
  }

  // Sends it, and decides what becomes of it: each copy that arrives has a time of its own.
  void transmit_frame(size_t sender, const PacketInfo& info, Bytes buffer, Frame frame) {
    buffer.resize(senders_[sender].lay(buffer.data(), info, now_ns_));
    senders_[sender].seal(buffer.data(), buffer.size());
    frame.sender = sender;
    frame.bytes = std::move(buffer);
    const bool lost = random_.below(100) < loss_percent_;
    const bool damaged = !lost && random_.below(100) < loss_percent_;
    if (lost || damaged) {
      for (const size_t m : frame.whole) ++missing_[m];
      if (frame.part_of != ~size_t{0}) ++missing_[frame.part_of];
    }
    if (lost) return;
    frame.damaged = damaged;
    if (damaged) frame.bytes[62 + random_.below(frame.bytes.size() - 66)] ^= 0x10;
    const uint64_t copies = 1 + (random_.below(10) == 0 ? 1 : 0);
    for (uint64_t copy = 0; copy < copies; ++copy) {
      frame.at_ns = now_ns_ + random_.below(3'000);
      frames_.push_back(frame);
    }
  }

  void arrive(Frame& frame) {
    arrival_ns_ = frame.at_ns;
    if (frame.part_of != ~size_t{0} && !frame.damaged) note_pause(frame);
    receiver_.messages.clear();
    receiver_.env.host = {};
    receiver_.env.arrive(frame.bytes);
    receiver_.poll();
    ASSERT_FALSE(receiver_.env.host.outcomes.empty());
    if (receiver_.env.host.outcomes.back() != counters::DropReason::kNone) {
      EXPECT_TRUE(receiver_.messages.empty());
      return;
    }
    EXPECT_FALSE(frame.damaged);
    if (frame.part_of != ~size_t{0}) {
      for (const Taken& whole : receiver_.messages) expect_delivery(frame.part_of, whole.bytes);
      return;
    }
    ASSERT_EQ(receiver_.messages.size(), frame.whole.size());
    for (size_t i = 0; i < frame.whole.size(); ++i)
      expect_delivery(frame.whole[i], receiver_.messages[i].bytes);
  }
  // A pause within a message that reached the timeout, or a copy that came behind it.
  void note_pause(const Frame& frame) {
    const auto [last, first] = heard_.try_emplace(frame.part_of, frame.at_ns);
    if (!first && frame.at_ns > last->second + 5'000) paused_.insert(frame.part_of);
    last->second = frame.at_ns;
  }
  void expect_delivery(size_t message, std::span<const uint8_t> content) {
    ++delivered_[message];
    EXPECT_EQ(Bytes(content.begin(), content.end()), messages_.at(message));
  }

  base::SplitMix64 random_;
  uint64_t loss_percent_ = random_.below(3) == 0 ? 0 : random_.below(12);
  std::vector<FrameBuilder> senders_;
  uint64_t arrival_ns_ = 0;
  TestNode receiver_{config(99), arrival_ns_};
  uint64_t now_ns_ = 1'000'000;
  uint32_t next_id_ = 0;
  std::vector<Bytes> messages_;
  std::vector<uint32_t> missing_;  // frames of each message that never came intact
  std::vector<Frame> frames_;
  std::map<size_t, uint64_t> delivered_;
  std::map<size_t, uint64_t> heard_;
  std::set<size_t> paused_;
};

TEST(Messages, random_lengths_over_a_faulty_network__expect_each_whole_or_not_at_all) {
  size_t delivered = 0;
  size_t published = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Network network(seed);
    network.run();
    network.check();
    delivered += network.delivered();
    published += network.published();
    if (HasFailure()) break;
  }
  EXPECT_GT(delivered, published / 2);  // the campaign delivered something,
  EXPECT_LT(delivered, published);      // and lost something
}

}  // namespace
}  // namespace lambdacast::node
