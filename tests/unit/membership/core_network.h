// SPDX-License-Identifier: BSD-3-Clause
// MembershipProtocols in one process, with a network between them that a test may disturb: time is
// a number, a step of it 10 us; what one says in a step the others hear in the next one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/random.h"
#include "membership/membership_protocol.h"
#include "names.h"

namespace lambdacast::membership {

using State = MembershipProtocol::State;
using Bytes = std::vector<uint8_t>;

constexpr size_t kSlots = 84;  // node i is peer i of all others, and kSlots of itself
constexpr uint64_t kStepNs = 10'000;
constexpr uint64_t kMs = 1'000'000;

// One life of a node.
class TestNode final : public MembershipHost {
 public:
  TestNode(const MembershipConfig& config, size_t slot, const std::vector<uint64_t>& sent)
      : slot_(slot), sent_(sent), opened_(kSlots), held_(kSlots), core_(config, *this) {}

  MembershipProtocol& core() { return core_; }
  State state() const { return core_.state(); }
  const View& view() const { return core_.view(); }
  // Numbers of the members, by rank: node i is i + 1, as named() has it.
  std::vector<int> members() const {
    std::vector<int> out;
    for (const auto& name : core_.view().members) out.push_back(name.gid.bytes[15]);
    return out;
  }
  // It has of that node's stream no more than that; nothing: all that was sent.
  void holds(size_t slot, std::optional<uint64_t> position) { held_[slot] = position; }
  void open(size_t slot) { opened_[slot] = true; }
  void never_open(size_t slot) { deaf_to_.insert(slot); }

  void hold_on_to(const Value* value) override { holds_on = value != nullptr; }
  uint64_t held_through(size_t peer, const wire::StreamName&) override {
    if (peer == kSlots) return sent_[slot_];
    if (!opened_[peer] || deaf_to_.contains(peer)) return wire::kNotOpen;
    return held_[peer].value_or(sent_[peer]);
  }
  uint64_t here_through(size_t peer, const wire::StreamName& name) override {
    const uint64_t held = held_through(peer, name);
    return skipped[peer] > held ? skipped[peer] : held;
  }
  void give_up(size_t peer, uint64_t cut) override {
    given_up.emplace_back(peer, cut);
    holds(peer, skipped[peer]);
  }
  void stays(size_t peer) override { skipped[peer] = 0; }
  void fetch(size_t peer, uint64_t cut) override { fetched.emplace_back(peer, cut); }
  void serve(size_t peer, uint64_t cut) override { served.emplace_back(peer, cut); }
  void promised() override { ++promises; }
  bool settled() override { return has_settled; }
  void installed(const View& before, const View& now, const Value& value) override {
    EXPECT_EQ(core_.state(), State::kOperational);
    EXPECT_EQ(now.members[core_.own_rank()], core_.self());
    installs.push_back({before, now, value});
    if (on_install) on_install();
  }
  void excluded(bool left) override { exclusions.push_back(left); }
  uint64_t own_ack(size_t rank) override { return 100 * rank + acks_said; }
  void vouched(size_t member_rank) override { vouchers.insert(member_rank); }
  void acknowledged(size_t member_rank, std::span<const uint64_t> through) override {
    for (size_t rank = 0; rank < through.size(); ++rank) {
      uint64_t& ack = acks[{member_rank, rank}];
      ack = std::max(ack, through[rank]);
    }
  }

  struct Install {
    View before;
    View now;
    Value value;
  };
  std::vector<Install> installs;
  std::vector<bool> exclusions;
  std::vector<std::pair<size_t, uint64_t>> fetched;
  std::vector<std::pair<size_t, uint64_t>> served;
  std::vector<std::pair<size_t, uint64_t>> given_up;
  std::set<size_t> vouchers;           // ranks of members that have vouched for this one
  std::map<size_t, uint64_t> skipped;  // by slot: nobody has what is missing up to there
  std::map<std::pair<size_t, size_t>, uint64_t> acks;
  uint64_t acks_said = 0;
  bool has_settled = true;
  bool holds_on = false;
  int promises = 0;
  std::function<void()> on_install;

 private:
  size_t slot_;
  const std::vector<uint64_t>& sent_;
  std::vector<bool> opened_;
  std::vector<std::optional<uint64_t>> held_;
  std::set<size_t> deaf_to_;
  MembershipProtocol core_;
};

struct Frame {
  size_t from = 0;
  uint32_t incarnation = 0;
  Bytes payload;
  uint64_t arrives_ns = 0;

  [[nodiscard]] wire::ControlKind kind() const {
    return static_cast<wire::ControlKind>(payload[1]);
  }
  [[nodiscard]] bool is(wire::BallotPhase phase) const {
    return kind() == wire::ControlKind::kBallot && wire::load_ballot(payload.data()).phase == phase;
  }
  [[nodiscard]] bool is(wire::VoteStage stage) const {
    return kind() == wire::ControlKind::kVote && wire::load_vote(payload.data()).stage == stage;
  }
};

class CoreNetwork {
 public:
  using Change = std::function<void(MembershipConfig&)>;

  explicit CoreNetwork(size_t nodes, Change change = {}) : change_(std::move(change)) {
    initial_ = nodes;
    for (size_t slot = 0; slot < nodes; ++slot) start(slot);
  }

  // A node begins to live, for the first time or again.
  void start(size_t slot) {
    MembershipConfig config;
    config.self = named(static_cast<uint8_t>(slot + 1), ++incarnations_[slot]);
    config.max_peers = kSlots;
    config.initial_nodes = initial_;
    config.heartbeat_ns = 100'000;
    config.suspect_after_ns = 2 * kMs;
    config.retry_ns = 100'000;
    config.ack_ns = 5'000;
    if (change_) change_(config);
    sent_[slot] = 0;
    nodes_[slot] = std::make_unique<TestNode>(config, slot, sent_);
    paused_.erase(slot);
  }
  void kill(size_t slot) {
    if (nodes_[slot]) dead_.push_back(std::move(nodes_[slot]));
  }
  // Not run; what is sent to it is kept by its port.
  void pause(size_t slot) { paused_.insert(slot); }
  void resume(size_t slot) { paused_.erase(slot); }
  void set_initial(size_t nodes) { initial_ = nodes; }
  // Its stream has come that far.
  void send_to(size_t slot, uint64_t position) { sent_[slot] = position; }

  TestNode& node(size_t slot) { return *nodes_[slot]; }
  [[nodiscard]] bool lives(size_t slot) const { return nodes_[slot] != nullptr; }
  [[nodiscard]] uint64_t now_ns() const { return now_ns_; }
  [[nodiscard]] const std::vector<std::unique_ptr<TestNode>>& dead() const { return dead_; }

  void step();
  void run_for(uint64_t ns) {
    for (const uint64_t end_ns = now_ns_ + ns; now_ns_ < end_ns;) step();
  }
  // False: it did not come to that in time.
  bool run_until(const std::function<bool()>& holds, uint64_t most_ns = 50 * kMs) {
    for (const uint64_t end_ns = now_ns_ + most_ns; now_ns_ < end_ns; step()) {
      if (holds()) return true;
    }
    return holds();
  }
  // All who live agree on a view of these.
  bool agree_on(const std::vector<int>& members);

  // True: the frame is lost on its way to `to`.
  std::function<bool(const Frame&, size_t to)> loses;
  // Of each frame that is said.
  std::function<void(const Frame&)> on_frame;
  // True: the frame comes twice.
  std::function<bool()> doubles;
  // How many of the last of so many frames that are coming a new one overtakes.
  std::function<size_t(size_t frames)> reorders;
  // Changes a frame before anybody hears it.
  std::function<void(Frame&)> alters;
  size_t room = 1'000;
  size_t most_coming = 1'000;  // frames that a port keeps
  uint64_t delay_ns = 0;       // of every frame, on top of a step

 private:
  void run(size_t slot);

  Change change_;
  size_t initial_ = 1;
  uint64_t now_ns_ = kMs;
  std::vector<uint64_t> sent_ = std::vector<uint64_t>(kSlots);
  std::vector<uint32_t> incarnations_ = std::vector<uint32_t>(kSlots);
  std::vector<std::unique_ptr<TestNode>> nodes_ = std::vector<std::unique_ptr<TestNode>>(kSlots);
  std::vector<std::unique_ptr<TestNode>> dead_;
  std::set<size_t> paused_;
  std::vector<std::deque<Frame>> coming_ = std::vector<std::deque<Frame>>(kSlots);
  std::vector<Frame> said_;
};

inline void CoreNetwork::run(size_t slot) {
  TestNode& node = *nodes_[slot];
  for (std::deque<Frame>& coming = coming_[slot];
       !coming.empty() && coming.front().arrives_ns <= now_ns_; coming.pop_front()) {
    const Frame& frame = coming.front();
    wire::ControlHeader header;
    ASSERT_EQ(wire::load_control(frame.payload.data(), frame.payload.size(), header),
              counters::DropReason::kNone);
    node.open(frame.from);
    node.core().heard(frame.from, named(static_cast<uint8_t>(frame.from + 1), frame.incarnation),
                      now_ns_);
    node.core().accept(frame.from, frame.payload.data(), header, now_ns_);
  }
  node.core().tick(now_ns_);
  for (int frames = 0;; ++frames) {
    ASSERT_LT(frames, 200) << "what is to be said ends";
    const bool due = node.core().next_deadline_ns() <= now_ns_;
    Bytes payload(room);
    const size_t bytes = node.core().next_control(payload.data(), room, now_ns_);
    if (bytes == 0) break;
    ASSERT_TRUE(due) << "next_deadline_ns() is no later than what is said";
    ASSERT_LE(bytes, room);
    payload.resize(bytes);
    wire::store_control_timestamp(payload.data(), now_ns_);
    said_.push_back({slot, node.core().self().incarnation, std::move(payload), now_ns_ + delay_ns});
    if (alters) alters(said_.back());
    if (on_frame) on_frame(said_.back());
    if (!nodes_[slot]) return;
  }
}

inline void CoreNetwork::step() {
  now_ns_ += kStepNs;
  for (size_t slot = 0; slot < kSlots; ++slot) {
    if (nodes_[slot] && !paused_.contains(slot)) run(slot);
  }
  for (const Frame& frame : said_) {
    for (size_t to = 0; to < kSlots; ++to) {
      if (to == frame.from || !nodes_[to] || (loses && loses(frame, to))) continue;
      for (int copies = doubles && doubles() ? 2 : 1; copies != 0; --copies) {
        const size_t behind =
            reorders ? coming_[to].size() - reorders(coming_[to].size() + 1) : coming_[to].size();
        coming_[to].insert(coming_[to].begin() + static_cast<std::ptrdiff_t>(behind), frame);
      }
      if (coming_[to].size() > most_coming) coming_[to].pop_front();
    }
  }
  said_.clear();
}

inline bool CoreNetwork::agree_on(const std::vector<int>& members) {
  const TestNode* first = nullptr;
  for (const auto& node : nodes_) {
    if (!node) continue;
    if (node->state() != State::kOperational || node->members() != members) return false;
    if (first != nullptr && node->view().id != first->view().id) return false;
    first = node.get();
  }
  return first != nullptr;
}

}  // namespace lambdacast::membership
