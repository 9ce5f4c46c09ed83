// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/simulation.h"

#include <algorithm>
#include <span>
#include <utility>

namespace lambdacast::sim {

namespace {

constexpr uint64_t kMostSpins = 100'000;

Scenario completed(Scenario scenario) {
  scenario.fabric.receivers.resize(scenario.nodes.size());
  return scenario;
}

std::vector<wire::Gid> gids_of(const Scenario& scenario) {
  std::vector<wire::Gid> gids;
  for (size_t node = 0; node < scenario.nodes.size(); ++node)
    gids.push_back(node_identity(scenario, node).gid);
  return gids;
}

}  // namespace

// What one life tells.
class Simulation::LifeHost final : public NodeHost {
 public:
  LifeHost(Simulation& simulation, uint32_t life) : simulation_(simulation), life_(life) {}

  void transmit(std::span<const uint8_t> frame, uint64_t offered_ns) override {
    simulation_.transmit(life_, frame, offered_ns);
  }
  void judged(const Waiting& frame, counters::DropReason outcome) override {
    simulation_.recorder_.judged(life_, frame, outcome);
  }
  void deliver(const node::PacketInfo& info, std::span<const uint8_t> message) override {
    const Told told = simulation_.recorder_.delivered(life_, info, message);
    simulation_.tell_groups(node(), told, info, message);
  }
  void gap(const node::GapEvent& gap) override { simulation_.recorder_.gap(life_, gap); }
  void receiver_event(const reliability::ReceiverEvent& event) override {
    simulation_.recorder_.receiver_event(life_, event);
  }
  void view_event(const node::ViewEvent& event) override {
    simulation_.recorder_.view_event(life_, event);
    const bool view = event.what == node::ViewEvent::What::kView;
    if (GroupHost* const groups = node().groups.get(); groups != nullptr && view)
      groups->view(event.id.epoch, event.members, event.stayed);
    else if (groups != nullptr)
      groups->out();
    if (event.what == node::ViewEvent::What::kExcluded) {
      simulation_.events_.push(simulation_.now_ns_ + simulation_.scenario_.membership.linger_ns,
                               {Event::What::kOut, life_, 0, {}});
    }
  }
  void buried(const wire::StreamName& name) override {
    Recorder& recorder = simulation_.recorder_;
    recorder.log().buried.push_back(
        {life_, recorder.life_named(name.gid, name.incarnation), simulation_.now_ns_});
  }
  void misuse(const std::string& what) override {
    simulation_.recorder_.log().misuse.push_back(simulation_.recorder_.name_of(life_) + " " + what);
  }

 private:
  [[nodiscard]] Node& node() {
    return simulation_.nodes_[simulation_.recorder_.log().lives[life_].node];
  }
  Simulation& simulation_;
  uint32_t life_;
};

Simulation::Simulation(Scenario scenario, uint64_t seed, EndpointFactory factory)
    : scenario_(completed(std::move(scenario))),
      seed_(seed),
      factory_(std::move(factory)),
      recorder_(now_ns_, gids_of(scenario_), scenario_.membership, seed),
      applications_(scenario_, recorder_, seed),
      fabric_(scenario_.fabric, base::mix64(seed ^ 0xfab)),
      nodes_(scenario_.nodes.size()) {
  for (size_t node = 0; node < nodes_.size(); ++node) {
    const NodeScenario& wanted = scenario_.nodes[node];
    nodes_[node].clock = NodeClock(wanted.clock_offset_ns, wanted.clock_ppm);
  }
  for (uint32_t i = 0; i < scenario_.actions.size(); ++i)
    events_.push(scenario_.actions[i].at_ns, {Event::What::kAction, i, 0, {}});
  events_.push(scenario_.epilogue_ns, {Event::What::kEpilogue, 0, 0, {}});
}

Simulation::~Simulation() = default;

Report Simulation::run() {
  while (!events_.empty()) {
    auto entry = events_.pop();
    if (entry.at_ns > scenario_.end_ns) break;
    now_ns_ = entry.at_ns;
    handle(std::move(entry.event));
  }
  now_ns_ = scenario_.end_ns;
  Log& log = recorder_.log();
  for (size_t index = 0; index < nodes_.size(); ++index) {
    Node& node = nodes_[index];
    if (!node.alive()) continue;
    if (at_end) at_end(index, *node.endpoint);
    if (node.groups != nullptr) log.group_standings.push_back(node.groups->standing(node.life));
    note_ending(node);
  }
  for (Node& node : nodes_) {
    if (!node.alive()) continue;
    log.lives[node.life].packets_left = node.endpoint->clear();
    node.endpoint.reset();
  }
  return {std::move(log), recorder_.trace().hash()};
}

void Simulation::handle(Event event) {
  const size_t which = event.which;
  switch (event.what) {
    case Event::What::kArrive:
      return arrive(std::move(event));
    case Event::What::kReceived:
      return receive(which, std::move(event.waiting));
    case Event::What::kTurn:
      return turn(which, event.lcore);
    case Event::What::kPublish:
      return publish(which);
    case Event::What::kAction:
      return act(scenario_.actions[which]);
    case Event::What::kEpilogue:
      return begin_epilogue();
    case Event::What::kOut:
      return out(event.which);
    case Event::What::kReturn:
      if (!nodes_[which].alive()) start(which);
      return;
    case Event::What::kGroups:
      return act_on_groups(which);
    case Event::What::kLook:
      return look(which);
  }
}

// --- what happens to a node ----------------------------------------------------------------------

void Simulation::act(const Action& action) {
  Node& node = nodes_[action.node];
  switch (action.what) {
    case Action::What::kStart:
      if (!node.alive()) start(action.node);
      break;
    case Action::What::kCrash:
      if (node.alive()) end_life(action.node, "crashes");
      break;
    case Action::What::kLeave: {
      if (!node.alive() || node.paused) break;
      uint64_t& left_ns = recorder_.log().lives[node.life].left_ns;
      if (left_ns != kNever) break;
      left_ns = now_ns_;
      recorder_.trace().say(recorder_.name_of(node.life) + " leaves");
      end_publications(node);
      node.endpoint->leave();
      wake_all(action.node);
      break;
    }
    case Action::What::kPause:
      node.paused = node.alive();
      if (node.paused) recorder_.allowed(node.life, {.bits_per_second = 0}, true);
      if (node.paused) recorder_.trace().say(recorder_.name_of(node.life) + " is paused");
      break;
    case Action::What::kResume:
      if (!node.alive() || !node.paused) break;
      node.paused = false;
      recorder_.trace().say(recorder_.name_of(node.life) + " goes on");
      for (Node::Lcore& lcore : node.lcores) {
        events_.cancel(lcore.next);
        lcore.next_ns = kNever;
      }
      wake_all(action.node);
      if (node.publishes) schedule_publication(action.node, now_ns_);
      if (node.looks_late) look(action.node);
      break;
    case Action::What::kNeed:
      if (!node.alive() || node.paused) break;
      node.endpoint->node().rates().set_need(action.need_bps);
      wake_all(action.node);
      break;
  }
}

void Simulation::start(size_t index) {
  Node& node = nodes_[index];
  const uint32_t number = node.lives++;
  const node::NodeConfig config = node_config(scenario_, index, number);
  Life life;
  life.node = index;
  life.incarnation = config.identity.incarnation;
  life.first_frame_seq = config.first_frame_seq;
  life.first_rel_seq = config.reliability.first_rel_seq;
  life.born_ns = now_ns_;
  life.wild = scenario_.nodes[index].wild.on;
  node.life = static_cast<uint32_t>(recorder_.log().lives.size());
  node.host = std::make_unique<LifeHost>(*this, node.life);
  node.lcores = {};
  const Surroundings around{now_ns_, node.clock,
                            [this, index](size_t lcore) { wake(index, lcore, now_ns_); }};
  node.endpoint = factory_(
      index, config, endpoint_scenario(scenario_, index, base::mix64(seed_ ^ (node.life + 1))),
      around, *node.host);
  (void)recorder_.begin_life(std::move(life), node.endpoint->node().peers());
  start_groups(index, config.identity);
  occupy(index, false);
  wake_all(index);
  if (applications_.has_more(index))
    schedule_publication(index, std::max(now_ns_, scenario_.nodes[index].traffic.start_ns));
}

void Simulation::end_life(size_t index, const char* how) {
  Node& node = nodes_[index];
  recorder_.trace().say(recorder_.name_of(node.life) + " " + how);
  note_ending(node);
  Life& life = recorder_.log().lives[node.life];
  life.died_ns = now_ns_;
  node.groups.reset();
  life.packets_left = node.endpoint->clear();
  recorder_.end_life(node.life);
  node.endpoint.reset();
  node.paused = false;
  end_publications(node);
  applications_.end_life(index);
  occupy(index, true);
}

// It is out of the view: its application gives it up, and may come back as another life.
void Simulation::out(uint32_t life) {
  const size_t node = recorder_.log().lives[life].node;
  if (!nodes_[node].alive() || nodes_[node].life != life) return;
  end_life(node, "is out");
  if (scenario_.membership.return_after_ns == kNever) return;
  events_.push(now_ns_ + scenario_.membership.return_after_ns,
               {Event::What::kReturn, static_cast<uint32_t>(node), 0, {}});
}

void Simulation::note_ending(Node& node) {
  recorder_.note_silences(node.life);
  const SimEndpoint& endpoint = *node.endpoint;
  const SimNode& of = endpoint.node();
  Life& life = recorder_.log().lives[node.life];
  life.counters.receive = of.receive().counters();
  life.counters.reliability = of.reliability().counters();
  life.counters.received_link = endpoint.on_the_way(node::LinkId::kReceived);
  life.counters.transmitted_packets = of.rate_control().packets() - of.rate_control().pending();
  life.copies_given = endpoint.receiver().taken();
  life.flushed = endpoint.flushed();
  life.port = endpoint.transmitter().counts();
  life.links_filled = endpoint.links_filled();
  life.deaf = of.link(node::LinkId::kAccepted).filled();
  life.pool_empty = endpoint.packets().refused();
  life.application_refusals = endpoint.refusals();
  life.nacks_sent = of.receiver().counters().nacks_sent;
  life.repairs_sent = of.sender().counters().repairs;
  life.lost_by_all = of.sender().counters().lost_by_all;
  life.resumed = of.view() == nullptr ? 0 : of.view()->fragments_resumed();
  life.holes = of.view() == nullptr ? 0 : of.view()->order().ring().counters.holes;
  life.in_runs = of.reliability().in_runs();
  if (node.groups != nullptr) {
    life.repetitions = node.groups->requests().repetitions;
    life.refused_again = node.groups->requests().refused_again;
  }
  for (size_t peer = 0; peer < of.peers().size(); ++peer) {
    const reliability::StreamReport frames = endpoint.frames(peer);
    life.nacks_suppressed += of.receiver().report(peer).nacks_suppressed;
    if (!frames.started) continue;
    life.accounts.push_back({recorder_.life_of_peer(node.life, peer, frames.incarnation), frames});
  }
}

// --- receiving, turns and publishing -------------------------------------------------------------

void Simulation::transmit(uint32_t life, std::span<const uint8_t> frame, uint64_t offered_ns) {
  if (tap_) tap_(frame, now_ns_);
  const size_t sender = recorder_.log().lives[life].node;
  const auto sent = recorder_.transmitted(life, frame, offered_ns);
  if (!sent) return;
  const BroadcastFabric::Sink sink{
      [&] { recorder_.lost_at_transmitter(*sent); },
      [&](size_t receiver) { recorder_.lost_before(*sent, receiver); },
      [&](FrameCopy copy) {
        if (recorder_.trace().heard() && copy.corrupted)
          recorder_.trace().say("  damaged before node " + std::to_string(copy.receiver));
        events_.push(copy.at_ns,
                     {Event::What::kArrive,
                      static_cast<uint32_t>(copy.receiver),
                      0,
                      {sent->frame, sent->life, copy.corrupted, std::move(copy.bytes), now_ns_}});
      }};
  fabric_.transmit(sender, std::make_shared<const std::vector<uint8_t>>(frame.begin(), frame.end()),
                   now_ns_, sink);
}

// A line takes one frame after the other.
void Simulation::arrive(Event event) {
  const uint64_t at_ns = fabric_.receive(event.which, event.waiting.bytes->size(), now_ns_);
  if (at_ns <= now_ns_) return receive(event.which, std::move(event.waiting));
  event.what = Event::What::kReceived;
  events_.push(at_ns, std::move(event));
}

void Simulation::receive(size_t index, Waiting waiting) {
  Node& node = nodes_[index];
  if (!node.alive()) return;
  const bool faulty = now_ns_ < scenario_.fabric.faults_end_ns;
  if (faulty && node.endpoint->receiver().waiting() >= scenario_.nodes[index].ring_frames) {
    ++recorder_.log().ring_losses;
    recorder_.lost_in_ring(waiting.sender, index);
    return;
  }
  node.endpoint->arrive(std::move(waiting));
}

void Simulation::wake_all(size_t index) {
  for (size_t lcore = 0; lcore < kLcores; ++lcore) wake(index, lcore, now_ns_);
}

void Simulation::wake(size_t index, size_t number, uint64_t at_ns) {
  Node& node = nodes_[index];
  if (node.paused) return;
  Node::Lcore& lcore = node.lcores[number];
  const uint64_t least_ns =
      lcore.last_ns == kNever ? 0 : lcore.last_ns + scenario_.nodes[index].poll_every_ns;
  const uint64_t next_ns = std::max({at_ns, now_ns_, least_ns});
  if (next_ns >= lcore.next_ns) return;
  events_.cancel(lcore.next);
  lcore.next_ns = next_ns;
  lcore.next = events_.push(
      next_ns,
      {Event::What::kTurn, static_cast<uint32_t>(index), static_cast<uint32_t>(number), {}});
}

void Simulation::turn(size_t index, size_t number) {
  Node& node = nodes_[index];
  node.lcores[number].next_ns = kNever;
  if (!node.alive() || node.paused) return;
  if (number == node.endpoint->lcore_of(node::StageId::kRateControl))
    recorder_.about_to_decide(index);
  if (node.groups != nullptr && number == node.endpoint->lcore_of(node::StageId::kApplication))
    node.groups->poll(now_ns_);
  const uint64_t next_ns = node.endpoint->turn(number);
  node.lcores[number].last_ns = now_ns_;
  Life& life = recorder_.log().lives[node.life];
  // Most turns are polls in vain: what is between stages is subtracted only if it can matter.
  const SimPackets& packets = node.endpoint->packets();
  if (packets.held() > life.most_held)
    life.most_held = std::max<uint64_t>(life.most_held, node.endpoint->held());
  if (packets.live() > life.most_packets)
    life.most_packets = std::max<uint64_t>(life.most_packets, node.endpoint->in_hand());
  recorder_.stable(node.life, node.endpoint->stable());
  if (number == node.endpoint->lcore_of(node::StageId::kRateControl)) {
    const node::RateShares& rates = node.endpoint->node().rates();
    recorder_.allowed(node.life, rates.limits(), rates.has_share());
  }
  if (node.endpoint->left()) return end_life(index, "has left");
  node.spun = !node.endpoint->was_busy() && next_ns <= now_ns_ + 1000 ? node.spun + 1 : 0;
  if (node.spun == kMostSpins)
    recorder_.log().misuse.push_back(recorder_.name_of(node.life) + " polls in vain");
  if (next_ns != kNever) wake(index, number, next_ns);
}

void Simulation::begin_epilogue() {
  for (size_t index = 0; index < nodes_.size(); ++index) {
    Node& node = nodes_[index];
    if (!node.alive() || recorder_.log().lives[node.life].left_ns != kNever) continue;
    applications_.begin_epilogue(index);
    schedule_publication(index, now_ns_);
  }
}

void Simulation::schedule_publication(size_t index, uint64_t at_ns) {
  Node& node = nodes_[index];
  events_.cancel(node.publication);
  node.publishes = true;
  node.publication =
      events_.push(at_ns, {Event::What::kPublish, static_cast<uint32_t>(index), 0, {}});
}

void Simulation::end_publications(Node& node) {
  events_.cancel(node.publication);
  node.publishes = false;
}

void Simulation::publish(size_t index) {
  Node& node = nodes_[index];
  if (!node.alive() || node.paused) return;
  node.publishes = false;
  const auto next_ns = applications_.publish(index, node.life, *node.endpoint, now_ns_);
  if (next_ns) schedule_publication(index, *next_ns);
}

}  // namespace lambdacast::sim
