// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/sim_endpoint.h"

#include <algorithm>
#include <utility>

namespace lambdacast::sim {

namespace {

using node::LinkId;
using node::StageId;

// A message for which the pool had no packet is tried again so much later.
constexpr uint64_t kRetryNs = 1'000;
// Calm links: what a node of the scenarios has under way never fills them.
constexpr uint32_t kCalmSlots = 4096;

node::NodeConfig with_links(node::NodeConfig config, const EndpointScenario& scenario) {
  const NodeWild& wild = scenario.wild;
  config.links.packets = wild.link_slots != 0 ? wild.link_slots : kCalmSlots;
  config.links.control = wild.control_slots != 0 ? wild.control_slots : 64;
  config.reliability_with_ordering = wild.lcores[1] == wild.lcores[2];
  return config;
}

constexpr std::array kLinks = {LinkId::kReceived,   LinkId::kAccepted,    LinkId::kDeliveries,
                               LinkId::kUnreliable, LinkId::kRecoverable, LinkId::kHeard,
                               LinkId::kSaid};

// The stage at each end of a link.
StageId producer_of(LinkId link) {
  switch (link) {
    case LinkId::kReceived:
      return StageId::kReceive;
    case LinkId::kAccepted:
    case LinkId::kHeard:
    case LinkId::kSaid:
      return StageId::kReliability;
    case LinkId::kDeliveries:
      return StageId::kOrdering;
    case LinkId::kUnreliable:
    case LinkId::kRecoverable:
    case LinkId::kReleased:
      return StageId::kApplication;
    case LinkId::kNeighbor:
      return StageId::kNeighbor;
  }
  return StageId::kReceive;
}

StageId consumer_of(LinkId link) {
  switch (link) {
    case LinkId::kReceived:
      return StageId::kReliability;
    case LinkId::kAccepted:
    case LinkId::kReleased:
      return StageId::kOrdering;
    case LinkId::kDeliveries:
      return StageId::kApplication;
    case LinkId::kHeard:
    case LinkId::kSaid:
    case LinkId::kUnreliable:
    case LinkId::kRecoverable:
    case LinkId::kNeighbor:
      return StageId::kRateControl;
  }
  return StageId::kRateControl;
}

}  // namespace

// Takes what is delivered, between ordering and the publisher.
class SimEndpoint::Application final : public node::Stage {
 public:
  explicit Application(SimEndpoint& endpoint) : endpoint_(endpoint) {}
  [[nodiscard]] const char* name() const override { return "application"; }
  uint32_t poll(uint64_t now_ns) override { return endpoint_.poll_application(now_ns); }
  // While it refuses it looks again. A message on its way waits for a link, or for the pool: then
  // it is tried again soon.
  [[nodiscard]] uint64_t next_deadline_ns() const override {
    const bool refuses = endpoint_.refuses_until_ns_ > endpoint_.around_.now_ns;
    const uint64_t again_ns =
        refuses ? endpoint_.around_.clock.local_ns(endpoint_.refuses_until_ns_) : kNever;
    const bool for_links = endpoint_.node_->link(LinkId::kUnreliable).room() == 0 ||
                           endpoint_.node_->link(LinkId::kRecoverable).room() == 0;
    const bool for_pool = !endpoint_.outgoing_.done() && !for_links;
    return for_pool ? std::min(again_ns, endpoint_.tried_ns_ + kRetryNs) : again_ns;
  }

 private:
  SimEndpoint& endpoint_;
};

SimEndpoint::SimEndpoint(const node::NodeConfig& config, const EndpointScenario& scenario,
                         Surroundings around, NodeHost& host)
    : scenario_(scenario),
      around_(std::move(around)),
      host_(host),
      random_(base::mix64(scenario.seed ^ 0xa991)),
      packets_(host, scenario.wild.pool, scenario.wild.port.keeps,
               base::mix64(scenario.seed ^ 0x9001), around_.now_ns),
      receiver_(packets_, scenario.wild.port, base::mix64(scenario.seed ^ 0x4ece)),
      transmitter_(packets_, scenario.wild.port, base::mix64(scenario.seed ^ 0x74a5),
                   around_.now_ns),
      wakers_{{{*this, 0}, {*this, 1}, {*this, 2}, {*this, 3}}},
      env_{packets_, receiver_, transmitter_, [this](LinkId link) { return ends_of(link); }},
      node_(std::move(*SimNode::create(with_links(config, scenario), env_))),
      application_(std::make_unique<Application>(*this)) {
  node_->for_each_stage([&](StageId id, node::Stage& stage) {
    turns_[lcore_of(id)].push_back(&stage);
    if (id == StageId::kOrdering) turns_[lcore_of(id)].push_back(application_.get());
  });
  for (const uint32_t group : scenario_.subscribe) node_->subscriptions().subscribe(group);
}

SimEndpoint::~SimEndpoint() {
  application_.reset();
  node_.reset();
}

size_t SimEndpoint::lcore_of(StageId stage) const {
  switch (stage) {
    case StageId::kReceive:
    case StageId::kNeighbor:
      return scenario_.wild.lcores[0];
    case StageId::kReliability:
      return scenario_.wild.lcores[1];
    case StageId::kOrdering:
    case StageId::kApplication:
      return scenario_.wild.lcores[2];
    case StageId::kRateControl:
      return scenario_.wild.lcores[3];
  }
  return 0;
}

SimEnv::Ends SimEndpoint::ends_of(LinkId link) {
  return {&wakers_[lcore_of(producer_of(link))], &wakers_[lcore_of(consumer_of(link))]};
}

void SimEndpoint::bury(const wire::StreamName& name) {
  host_.buried(name);
  if (node_->view() != nullptr) node_->view()->bury(name);
}

void SimEndpoint::arrive(Waiting waiting) {
  receiver_.arrive(std::move(waiting));
  around_.wake(lcore_of(StageId::kReceive));
}

bool SimEndpoint::publish(std::span<const uint8_t> message, uint32_t group, wire::Qos qos,
                          wire::Kind kind) {
  if (leaving_ || !outgoing_.done()) return false;
  node::Publisher<SimEnv>& publisher = node_->publisher();
  node::SendResult result;
  if (kind == wire::Kind::kGroup) {
    result = publisher.send_group(message, group, qos);
  } else if (kind == wire::Kind::kRequest && message.size() <= publisher.max_loan_bytes()) {
    result = publisher.send_request(message, group, qos, now_local_ns());
  } else if (message.size() <= publisher.max_loan_bytes()) {
    result = publisher.send(message, group, qos, now_local_ns());
  } else {
    if (message.size() > publisher.max_message_bytes() || !publisher.takes(qos)) return false;
    long_.assign(message.begin(), message.end());
    outgoing_ = node::Outgoing(long_, group, qos, kind);
    (void)publisher.send(outgoing_, now_local_ns());
    if (!outgoing_.done()) around_.wake(lcore_of(StageId::kApplication));
    return true;
  }
  if (result != node::SendResult::kSent) return false;
  // A packet that messages share is closed in a turn.
  if (publisher.next_deadline_ns() != kNever) wakers_[lcore_of(StageId::kApplication)].wake();
  return true;
}

uint64_t SimEndpoint::turn(size_t lcore) {
  std::vector<node::Stage*>& stages = turns_[lcore];
  if (scenario_.wild.shuffles) {
    for (size_t left = stages.size(); left > 1; --left)
      std::swap(stages[left - 1], stages[random_.below(left)]);
  }
  const uint64_t now_ns = now_local_ns();
  busy_ = next_deadline_ns(lcore) <= now_ns;
  turning_ = lcore;
  for (node::Stage* stage : stages) busy_ |= stage->poll(now_ns) != 0;
  turning_ = kNoLcore;
  if (lcore == lcore_of(StageId::kRateControl)) {
    while (const auto event = node_->rate_control().take_event()) host_.receiver_event(*event);
  }
  const bool frames_wait =
      lcore == lcore_of(StageId::kReceive) && receiver_.waiting() != 0 && busy_;
  uint64_t next_ns = busy_ || frames_wait ? around_.now_ns + kShortestLoopNs
                                          : around_.clock.true_ns(next_deadline_ns(lcore));
  if (lcore == lcore_of(StageId::kRateControl))
    next_ns = std::min(next_ns, transmitter_.next_event_ns());
  if (next_ns == kNever) return kNever;
  const uint64_t delay_ns =
      scenario_.wild.most_delay_ns == 0 ? 0 : random_.below(scenario_.wild.most_delay_ns);
  return std::max(next_ns, around_.now_ns + kShortestLoopNs) + delay_ns;
}

uint64_t SimEndpoint::next_deadline_ns(size_t lcore) const {
  uint64_t next_ns = kNever;
  for (const node::Stage* stage : turns_[lcore])
    next_ns = std::min(next_ns, stage->next_deadline_ns());
  return next_ns;
}

uint32_t SimEndpoint::poll_application(uint64_t now_ns) {
  struct Sink : node::DeliverySink {
    explicit Sink(SimEndpoint& endpoint) : endpoint_(endpoint) {}
    void message(const node::PacketInfo& info, std::span<const uint8_t> message) {
      if (message.data() == nullptr) return endpoint_.host_.misuse("hands on no message");
      endpoint_.host_.deliver(info, message);
    }
    void group_message(const node::PacketInfo& info, std::span<const uint8_t> message) {
      endpoint_.host_.deliver(info, message);
    }
    void request_message(const node::PacketInfo& info, std::span<const uint8_t> message) {
      endpoint_.host_.deliver(info, message);
    }
    void gap(const node::GapEvent& gap) { endpoint_.host_.gap(gap); }
    void view(const node::ViewEvent& event) {
      endpoint_.host_.view_event(event);
      if (event.what == node::ViewEvent::What::kLeft) endpoint_.quiesce();
    }

   private:
    SimEndpoint& endpoint_;
  };
  // Out of the view what is left of a message goes nowhere.
  tried_ns_ = now_ns;
  if (!outgoing_.done() &&
      node_->publisher().send(outgoing_, now_ns) == node::SendResult::kNotInView)
    outgoing_ = {};
  if (around_.now_ns < refuses_until_ns_) return 0;
  const NodeWild& wild = scenario_.wild;
  if (wild.application_refusal > 0 && around_.now_ns < wild.port.until_ns &&
      base::Chance(wild.application_refusal).hit(random_())) {
    ++application_refusals_;
    refuses_until_ns_ = around_.now_ns + 1 + random_.below(wild.application_refusal_ns);
    return 0;
  }
  return node_->deliveries().take(scenario_.take_most, Sink(*this));
}

bool SimEndpoint::flushed() const {
  const bool taken = outgoing_.done() && node_->publisher().next_deadline_ns() == kNever;
  return taken && node_->publications_waiting() == 0 && node_->rate_control().flushed();
}

void SimEndpoint::leave() {
  if (node_->view() != nullptr && node_->view()->in_view()) return node_->view()->leave();
  quiesce();
}

// The others hear no more of it than its last words, and repairs.
void SimEndpoint::quiesce() {
  leaving_ = true;
  node_->reliability().quiesce();
  node_->rate_control().quiesce();
  for (size_t lcore = 0; lcore < kLcores; ++lcore) around_.wake(lcore);
}

size_t SimEndpoint::held() const {
  const size_t between = on_the_way(LinkId::kReceived) + on_the_way(LinkId::kAccepted) +
                         on_the_way(LinkId::kDeliveries) + on_the_way(LinkId::kHeard) +
                         node_->reliability().heard_waiting();
  return packets_.held() - std::min(packets_.held(), between);
}

size_t SimEndpoint::in_hand() const {
  size_t between = 0;
  for (const LinkId link : kLinks) between += on_the_way(link);
  return packets_.live() - std::min(packets_.live(), between);
}

size_t SimEndpoint::clear() {
  node_.reset();
  transmitter_.clear();
  return packets_.live();
}

uint32_t SimEndpoint::on_the_way(LinkId link) const { return node_->link(link).size(); }

uint64_t SimEndpoint::links_filled() const {
  uint64_t filled = 0;
  for (const LinkId link : kLinks) filled += node_->link(link).filled();
  return filled;
}

std::unique_ptr<SimEndpoint> make_shipped_endpoint(size_t /*node*/, const node::NodeConfig& config,
                                                   const EndpointScenario& scenario,
                                                   Surroundings around, NodeHost& host) {
  return std::make_unique<SimEndpoint>(config, scenario, std::move(around), host);
}

}  // namespace lambdacast::sim
