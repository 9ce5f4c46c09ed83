// SPDX-License-Identifier: BSD-3-Clause
// A stage need not be polled before its deadline if no link and no port of its has changed: such a
// poll does nothing. And nodes whose stages are polled only when they have to be do the same, frame
// by frame, as those whose stages are polled at every step.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/random.h"
#include "unit/node/test_node.h"

namespace lambdacast::node {
namespace {

constexpr size_t kNodes = 3;
constexpr uint64_t kStepNs = 1'000;
constexpr uint64_t kSteps = 15'000;
constexpr uint64_t kLastPublication = 8'000;  // step
constexpr uint64_t kLatencySteps = 3;

constexpr std::array kLinks = {LinkId::kReceived,   LinkId::kAccepted,    LinkId::kDeliveries,
                               LinkId::kUnreliable, LinkId::kRecoverable, LinkId::kHeard,
                               LinkId::kSaid};

// What a world is made of, drawn from the seed.
struct History {
  explicit History(uint64_t of_seed) : seed(of_seed) {
    base::SplitMix64 random(base::mix64(of_seed));
    views = random.below(2) == 0;
    loss_percent = random.below(3) == 0 ? 0 : random.below(10);
    paced = random.below(3) == 0;
    coalesces = random.below(2) == 0;
    link_slots = random.below(3) == 0 ? 16 : 256;
    publishes_each = 5 + random.below(40);
  }
  [[nodiscard]] NodeConfig config(uint32_t number) const {
    NodeConfig config = views ? member_config(number) : test_config(number);
    config.links.packets = link_slots;
    config.publisher.coalesce_ns.reset();
    if (coalesces) config.publisher.coalesce_ns = 10'000;
    if (paced) config.pacer = {300'000, 16};
    reliability::ReliabilityConfig& reliability = config.reliability;
    reliability.heartbeat_max_ns = 400'000;
    reliability.status_max_ns = 1'000'000;
    reliability.suspect_after_ns = 10'000'000;
    reliability.repair_deadline_ns = 40'000'000;
    reliability.initial_rtt_ns = 20'000;
    if (!views) return config;
    config.view->membership.heartbeat_ns = 100'000;
    config.view->membership.suspect_after_ns = 5'000'000;
    config.view->membership.retry_ns = 50'000;
    return config;
  }
  uint64_t seed;
  bool views;
  uint64_t loss_percent;
  bool paced;
  bool coalesces;
  uint32_t link_slots;
  uint64_t publishes_each;  // steps, about
};

class Flag final : public sim::Waker {
 public:
  void wake() override { up = true; }
  bool up = true;
};

// A node whose links tell the stages at their ends.
struct Place {
  Place(const NodeConfig& config, const uint64_t& now_ns)
      : packets(host, {}, true, 3, now_ns),
        receiver(packets, {}, 1),
        transmitter(packets, {}, 2, now_ns) {
    node = std::move(*sim::SimNode::create(config, env));
  }
  ~Place() { node.reset(); }
  Flag& flag(StageId stage) { return flags[static_cast<size_t>(stage)]; }
  SimEnv::Ends ends_of(LinkId link) {
    switch (link) {
      case LinkId::kReceived:
        return {&flag(StageId::kReceive), &flag(StageId::kReliability)};
      case LinkId::kAccepted:
        return {&flag(StageId::kReliability), &flag(StageId::kOrdering)};
      case LinkId::kDeliveries:
        return {&flag(StageId::kOrdering), &application};
      case LinkId::kHeard:
      case LinkId::kSaid:
        return {&flag(StageId::kReliability), &flag(StageId::kRateControl)};
      case LinkId::kUnreliable:
      case LinkId::kRecoverable:
        return {&flag(StageId::kApplication), &flag(StageId::kRateControl)};
      case LinkId::kReleased:
        return {&application, &flag(StageId::kOrdering)};
      case LinkId::kNeighbor:
        break;
    }
    return {};
  }
  // What a poll that does nothing leaves as it was.
  [[nodiscard]] std::vector<uint64_t> fingerprint() const {
    std::vector<uint64_t> print{packets.live(),
                                host.frames.size(),
                                node->rate_control().packets(),
                                node->rate_control().pending(),
                                node->receiver().kept(),
                                node->sender().window().size(),
                                node->publisher().stable(),
                                node->filter().held()};
    for (const LinkId link : kLinks) print.push_back(node->link(link).size());
    return print;
  }

  TestHost host;
  std::array<Flag, 6> flags;
  Flag application;
  sim::SimPackets packets;
  sim::SimReceiver receiver;
  sim::SimTransmitter transmitter;
  SimEnv env{packets, receiver, transmitter, [this](LinkId link) { return ends_of(link); }};
  std::unique_ptr<sim::SimNode> node;
};

enum class Polls : uint8_t { kAlways, kWhenDue };

class World {
 public:
  World(const History& history, Polls polls) : history_(history), polls_(polls) {
    for (uint32_t i = 0; i < kNodes; ++i)
      places_.push_back(std::make_unique<Place>(history.config(i + 1), now_ns_));
  }
  void run() {
    base::SplitMix64 random(base::mix64(history_.seed ^ 1));
    for (step_ = 0; step_ < kSteps; ++step_) {
      now_ns_ += kStepNs;
      if (step_ < kLastPublication) publish(random);
      for (size_t i = 0; i < kNodes; ++i) turn(i);
      for (size_t i = 0; i < kNodes; ++i) carry(i);
      if (::testing::Test::HasFailure()) return;
    }
  }
  // One line for each frame transmitted and each thing delivered.
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  [[nodiscard]] uint64_t polls() const { return polled_; }
  [[nodiscard]] uint64_t idle_polls() const { return idle_; }

 private:
  void publish(base::SplitMix64& random) {
    const size_t from = random.below(kNodes);
    const auto qos = static_cast<wire::Qos>(random.below(history_.views ? 7 : 3));
    const size_t bytes = 1 + random.below(60);
    if (random.below(history_.publishes_each) != 0) return;
    const Bytes message(bytes, static_cast<uint8_t>(step_));
    (void)places_[from]->node->publisher().send(message, 1, qos, now_ns_);
  }
  void turn(size_t i) {
    Place& place = *places_[i];
    arrive(i);
    place.node->for_each_stage([&](StageId id, Stage& stage) {
      poll(place, id, stage);
      if (id == StageId::kOrdering) take(i);
    });
  }
  void poll(Place& place, StageId id, Stage& stage) {
    Flag& flag = place.flag(id);
    const bool due = flag.up || stage.next_deadline_ns() <= now_ns_;
    if (!due && polls_ == Polls::kWhenDue) return;
    ++polled_;
    flag.up = false;
    std::vector<uint64_t> before;
    if (!due) before = place.fingerprint();
    const uint64_t frames = place.host.frames.size();
    const bool moved = stage.poll(now_ns_) != 0 || place.host.frames.size() != frames;
    flag.up |= moved;
    if (due) return;
    ++idle_;
    EXPECT_FALSE(moved) << stage.name() << " at " << now_ns_;
    EXPECT_EQ(place.fingerprint(), before) << stage.name() << " at " << now_ns_;
  }
  void take(size_t i) {
    struct Sink : DeliverySink {
      Sink(World& world, size_t node) : world_(world), node_(node) {}
      void message(const PacketInfo& info, std::span<const uint8_t> message) {
        say("message " + std::to_string(info.frame_seq) + " " + std::to_string(message.size()));
      }
      void gap(const GapEvent& gap) { say("gap " + std::to_string(gap.first_rel_seq)); }
      void view(const ViewEvent& event) { say("view " + std::to_string(event.id.epoch)); }
      void say(const std::string& what) {
        world_.lines_.push_back(std::to_string(world_.now_ns_) + " node " + std::to_string(node_) +
                                " " + what);
      }

     private:
      World& world_;
      size_t node_;
    };
    (void)places_[i]->node->deliveries().take(kMaxBurst, Sink(*this, i));
  }
  void arrive(size_t i) {
    for (auto& frame : std::exchange(arrivals_[{step_, i}], {})) {
      sim::Waiting waiting;
      waiting.bytes = std::make_shared<const Bytes>(std::move(frame));
      places_[i]->receiver.arrive(std::move(waiting));
      places_[i]->flag(StageId::kReceive).up = true;
    }
    arrivals_.erase({step_, i});
  }
  void carry(size_t from) {
    for (const Bytes& frame : std::exchange(places_[from]->host.frames, {})) {
      const uint64_t number = ++sent_[from];
      lines_.push_back(std::to_string(now_ns_) + " node " + std::to_string(from) + " sends " +
                       std::to_string(frame.size()) + " bytes");
      for (size_t to = 0; to < kNodes; ++to) {
        const uint64_t drawn = base::mix64(history_.seed ^ (number << 8 | from << 4 | to));
        if (to != from && drawn % 100 >= history_.loss_percent)
          arrivals_[{step_ + kLatencySteps, to}].push_back(frame);
      }
    }
  }

  const History history_;
  const Polls polls_;
  uint64_t now_ns_ = 1'000'000;
  uint64_t step_ = 0;
  std::vector<std::unique_ptr<Place>> places_;
  std::map<std::pair<uint64_t, size_t>, std::vector<Bytes>> arrivals_;
  std::array<uint64_t, kNodes> sent_{};
  std::vector<std::string> lines_;
  uint64_t polled_ = 0;
  uint64_t idle_ = 0;
};

TEST(NodeDeadlines, poll_only_when_due__expect_every_frame_and_delivery_as_if_polled_always) {
  uint64_t idle = 0;
  uint64_t polls = 0;
  uint64_t polls_when_due = 0;
  size_t lines = 0;
  for (uint64_t seed = 0; seed < 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const History history(seed);
    World always(history, Polls::kAlways);
    always.run();
    World when_due(history, Polls::kWhenDue);
    when_due.run();
    const auto& a = always.lines();
    const auto& b = when_due.lines();
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      ASSERT_EQ(i < a.size() ? a[i] : "", i < b.size() ? b[i] : "") << "line " << i;
    }
    idle += always.idle_polls();
    polls += always.polls();
    polls_when_due += when_due.polls();
    lines += a.size();
  }
  EXPECT_GT(lines, 1'000u);
  EXPECT_GT(idle, polls / 2);
  EXPECT_LT(polls_when_due, polls / 2);
}

}  // namespace
}  // namespace lambdacast::node
