// SPDX-License-Identifier: BSD-3-Clause
// A TotalOrder with the host that a test needs: packets are numbers, what happens is written down.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ordering/total_order.h"

namespace lambdacast::ordering {

inline constexpr size_t kSelf = 4;  // stream
inline constexpr TotalOrderConfig kConfig{kSelf, 16, 64, 1};

// One that TotalOrder has handed to the application.
struct Line {
  size_t stream = 0;
  uint64_t rel_seq = 0;
  uint64_t epoch = 0;  // 0: source ordered, in no order but its stream's
  uint64_t index = 0;
  uint32_t domain = 0;
  bool operator==(const Line&) const = default;
};

class OrderNode final : public OrderHost {
 public:
  explicit OrderNode(const TotalOrderConfig& config) : order_(config, *this) {
    taken_.resize(config.max_peers + 1);
  }
  ~OrderNode() override {
    order_.clear();
    EXPECT_TRUE(out_.empty()) << "every packet is given back";
  }

  // What the stream brings; advance() follows.
  void content(size_t stream, uint64_t rel_seq, uint32_t group,
               wire::Qos qos = wire::Qos::kTotallyOrdered, uint32_t messages = 1) {
    take(stream, rel_seq, group, qos, messages, {});
  }
  void marks(size_t stream, uint64_t rel_seq, uint64_t epoch, std::vector<wire::Mark> items) {
    std::vector<uint8_t> bytes(wire::kMarksHeaderBytes + items.size() * wire::kMarkBytes);
    wire::store_marks_epoch(epoch, bytes.data());
    for (size_t i = 0; i < items.size(); ++i) wire::store_mark(items[i], bytes.data(), i);
    take(stream, rel_seq, wire::kMarksGroup, wire::Qos::kSourceOrdered, 1, bytes);
  }
  void take(size_t stream, uint64_t rel_seq, uint32_t group, wire::Qos qos, uint32_t messages,
            std::vector<uint8_t> bytes) {
    const auto packet = static_cast<PacketHandle>(++packets_);
    out_[packet] = std::move(bytes);
    taken_[stream] = rel_seq;
    if (wire::is_order_group(group)) return order_.accept_marks(stream, rel_seq, group, packet);
    order_.accept(stream, rel_seq, group, qos, messages, packet);
  }
  // A position that holds nothing ordered.
  void skip(size_t stream, uint64_t rel_seq) { taken_[stream] = rel_seq; }

  // The members of the first view, all of whose streams begin at 1.
  void begin(std::vector<size_t> streams, size_t own_rank, uint64_t epoch = 1) {
    std::vector<TotalOrder::Cut> cuts;
    for (const size_t stream : streams) cuts.push_back({stream, 0, true});
    order_.install(epoch, cuts, streams, own_rank);
  }

  bool deliver(PacketHandle packet, const Ordered& what) override {
    EXPECT_TRUE(out_.contains(packet));
    if (refuse_after_ == 0 && !what.last_call) return false;
    if (refuse_after_ != 0) --refuse_after_;
    lines_.push_back({what.stream, what.rel_seq, what.epoch, what.index, what.domain});
    if (on_deliver) on_deliver(what);
    return true;
  }
  void release(PacketHandle packet) override { EXPECT_EQ(out_.erase(packet), 1u); }
  std::span<const uint8_t> payload(PacketHandle packet) override { return out_.at(packet); }
  uint64_t taken_through(size_t stream) override { return taken_[stream]; }
  void view_begins() override {
    views_.push_back(order_.epoch());
    lines_before_view_ = lines_.size();
  }

  void rates(size_t stream, PacketHandle packet) override {
    EXPECT_TRUE(out_.contains(packet));
    rate_lines_.push_back("of " + std::to_string(stream));
  }
  void rates_marked(uint64_t position) override {
    rate_lines_.push_back("marked at " + std::to_string(position));
  }
  void view_ended() override { rate_lines_.push_back("a view ended"); }

  TotalOrder& order() { return order_; }
  // What it was told of the domain of rates.
  const std::vector<std::string>& rate_lines() const { return rate_lines_; }
  const std::vector<Line>& lines() const { return lines_; }
  const std::vector<uint64_t>& views() const { return views_; }
  size_t lines_before_view() const { return lines_before_view_; }
  size_t packets_out() const { return out_.size(); }
  uint64_t taken(size_t stream) const { return taken_[stream]; }
  void refuse_after(uint64_t deliveries) { refuse_after_ = deliveries; }
  // (stream, rel_seq) as delivered, and that taken off the list.
  std::vector<std::pair<size_t, uint64_t>> take_delivered() {
    std::vector<std::pair<size_t, uint64_t>> out;
    for (const Line& line : lines_) out.emplace_back(line.stream, line.rel_seq);
    lines_.clear();
    return out;
  }

  // A group whose domain is marked by that rank, and unlike those of `others`.
  uint32_t group_of(size_t rank, const std::vector<uint32_t>& others = {}) const {
    for (uint32_t group = 1;; ++group) {
      const uint32_t domain = order_.domain_of(group);
      const bool taken = std::any_of(others.begin(), others.end(), [&](uint32_t other) {
        return order_.domain_of(other) == domain;
      });
      if (!taken && order_.marker_of(domain) == rank) return group;
    }
  }

  std::function<void(const Ordered&)> on_deliver;

 private:
  std::map<PacketHandle, std::vector<uint8_t>> out_;
  uintptr_t packets_ = 0;
  std::vector<uint64_t> taken_;
  std::vector<Line> lines_;
  std::vector<uint64_t> views_;
  std::vector<std::string> rate_lines_;
  size_t lines_before_view_ = 0;
  uint64_t refuse_after_ = ~uint64_t{0};
  TotalOrder order_;
};

// Does this node have something to mark?
inline bool marks_due(const TotalOrder& order) { return order.marks_due_ns() != ~uint64_t{0}; }

using Given = std::vector<std::pair<size_t, uint64_t>>;

}  // namespace lambdacast::ordering
