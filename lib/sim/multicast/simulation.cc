#include "sim/multicast/simulation.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace lambdacast::sim {

namespace {

constexpr uint64_t kShortestLoopNs = 100;  // of a node that wants to go on at once
constexpr uint64_t kMostSpins = 100'000;

Scenario completed(Scenario scenario) {
  scenario.fabric.receivers.resize(scenario.nodes.size());
  return scenario;
}

}  // namespace

Simulation::Simulation(Scenario scenario, uint64_t seed, EndpointFactory factory)
    : scenario_(completed(std::move(scenario))),
      factory_(std::move(factory)),
      fabric_(scenario_.fabric, base::mix64(seed ^ 0xfab)),
      nodes_(scenario_.nodes.size()),
      trace_hash_(seed) {
  log_.membership = scenario_.membership.on;
  for (size_t node = 0; node < nodes_.size(); ++node) {
    const NodeScenario& wanted = scenario_.nodes[node];
    nodes_[node].clock = NodeClock(wanted.clock_offset_ns, wanted.clock_ppm);
    nodes_[node].random = base::SplitMix64(base::mix64(seed + node * 77));
    gids_.push_back(node_identity(scenario_, node).gid);
  }
  for (uint32_t i = 0; i < scenario_.actions.size(); ++i) {
    events_.push(scenario_.actions[i].at_ns, {Event::What::kAction, i, {}});
  }
  events_.push(scenario_.epilogue_ns, {Event::What::kEpilogue, 0, {}});
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
  for (size_t node = 0; node < nodes_.size(); ++node) {
    if (!nodes_[node].alive()) continue;
    if (at_end) at_end(node, *nodes_[node].endpoint);
    if (nodes_[node].groups != nullptr)
      log_.group_standings.push_back(nodes_[node].groups->standing(nodes_[node].life));
    note_endings(nodes_[node]);
  }
  for (Node& node : nodes_) {
    if (!node.alive()) continue;
    node.endpoint.reset();
    log_.lives[node.life].packets_left = node.host->pool().live();
  }
  return {std::move(log_), trace_hash_};
}

void Simulation::handle(Event event) {
  switch (event.what) {
    case Event::What::kArrive:
      arrive(event.which, std::move(event.waiting));
      break;
    case Event::What::kRun:
      if (nodes_[event.which].next_run_ns == now_ns_) run_node(event.which);
      break;
    case Event::What::kPublish:
      if (nodes_[event.which].next_publish_ns == now_ns_) publish(event.which);
      break;
    case Event::What::kAction:
      act(scenario_.actions[event.which]);
      break;
    case Event::What::kEpilogue:
      begin_epilogue();
      break;
    case Event::What::kOut:
      out(event.which);
      break;
    case Event::What::kReturn:
      if (!nodes_[event.which].alive()) start(event.which);
      break;
    case Event::What::kGroups:
      act_on_groups(event.which);
      break;
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
    case Action::What::kLeave:
      if (!node.alive() || node.paused || log_.lives[node.life].left_ns != kNever) break;
      node.endpoint->core().leave();
      log_.lives[node.life].left_ns = now_ns_;
      say(name_of(node.life) + " leaves");
      node.next_publish_ns = kNever;
      wake(action.node, now_ns_);
      break;
    case Action::What::kPause:
      node.paused = node.alive();
      if (node.paused) say(name_of(node.life) + " is paused");
      break;
    case Action::What::kResume:
      if (!node.alive() || !node.paused) break;
      node.paused = false;
      say(name_of(node.life) + " goes on");
      node.next_run_ns = kNever;
      wake(action.node, now_ns_);
      if (node.next_publish_ns != kNever) {
        node.next_publish_ns = now_ns_;
        events_.push(now_ns_, {Event::What::kPublish, static_cast<uint32_t>(action.node), {}});
      }
      break;
  }
}

void Simulation::start(size_t index) {
  Node& node = nodes_[index];
  const node::MulticastConfig config = node_config(scenario_, index, node.lives++);
  Life life;
  life.node = index;
  life.incarnation = config.endpoint.identity.incarnation;
  life.first_frame_seq = config.endpoint.first_frame_seq;
  life.first_rel_seq = config.repair.first_rel_seq;
  life.born_ns = now_ns_;
  node.life = static_cast<uint32_t>(log_.lives.size());
  node.last_rel_seq = life.first_rel_seq;
  node.recoverable.clear();
  node.stable = 0;
  log_.lives.push_back(std::move(life));
  for (auto& row : log_.heard) row.emplace_back();
  log_.heard.emplace_back(log_.lives.size());
  node.host = std::make_unique<NodeHost>(*this, node.life);
  node.endpoint = factory_(index, config, *node.host);
  ordering::Subscriptions& ordering = node.endpoint->core().delivery_filter().subscriptions();
  for (const uint32_t group : scenario_.nodes[index].subscribe) ordering.subscribe(group);
  ordering.subscribe(kEpilogueGroup);
  start_groups(index, config.endpoint.identity);
  say(name_of(node.life) + " starts");
  node.last_run_ns = 0;
  node.next_run_ns = kNever;
  wake(index, now_ns_);
  if (scenario_.nodes[index].traffic.messages > node.published) {
    node.next_publish_ns = std::max(now_ns_, scenario_.nodes[index].traffic.start_ns);
    events_.push(node.next_publish_ns, {Event::What::kPublish, static_cast<uint32_t>(index), {}});
  }
}

void Simulation::end_life(size_t index, const char* how) {
  Node& node = nodes_[index];
  say(name_of(node.life) + " " + how);
  note_endings(node);
  Life& life = log_.lives[node.life];
  life.died_ns = now_ns_;
  node.groups.reset();
  node.endpoint.reset();
  life.packets_left = node.host->pool().live();
  node.ring.clear();
  node.paused = false;
  node.next_run_ns = node.next_publish_ns = kNever;
}

// It is out of the view: its application gives it up, and may come back as another life.
void Simulation::out(uint32_t life) {
  const size_t node = log_.lives[life].node;
  if (!nodes_[node].alive() || nodes_[node].life != life) return;
  end_life(node, "is out");
  if (scenario_.membership.return_after_ns == kNever) return;
  events_.push(now_ns_ + scenario_.membership.return_after_ns,
               {Event::What::kReturn, static_cast<uint32_t>(node), {}});
}

void Simulation::note_endings(Node& node) {
  for (uint32_t sender = 0; sender < log_.lives.size(); ++sender) note_silence(node.life, sender);
  const node::MulticastCore& core = node.endpoint->core();
  Life& life = log_.lives[node.life];
  life.counters = core.counters();
  life.flushed = node.endpoint->flushed();
  life.most_packets = node.host->pool().most();
  life.nacks_sent = core.receiver().counters().nacks_sent;
  life.repairs_sent = core.sender().counters().repairs;
  life.lost_by_all = core.sender().counters().lost_by_all;
  life.resumed = core.resumption().fragments();
  life.in_runs = core.in_runs();
  for (size_t peer = 0; peer < core.frame_classifier().peers().size(); ++peer) {
    const reliability::StreamReport frames = node.endpoint->frames(peer);
    life.nacks_suppressed += core.receiver().report(peer).nacks_suppressed;
    if (!frames.started) continue;
    life.accounts.push_back({life_of_peer(node.life, peer, frames.incarnation), frames});
  }
}

void Simulation::begin_epilogue() {
  for (size_t index = 0; index < nodes_.size(); ++index) {
    Node& node = nodes_[index];
    if (!node.alive() || log_.lives[node.life].left_ns != kNever) continue;
    node.epilogue_left = kEpilogueMessages;
    node.next_publish_ns = now_ns_;
    events_.push(now_ns_, {Event::What::kPublish, static_cast<uint32_t>(index), {}});
  }
}

// --- receiving and polling -----------------------------------------------------------------------

void Simulation::arrive(size_t index, Waiting waiting) {
  Node& node = nodes_[index];
  if (!node.alive()) return;
  const bool faulty = now_ns_ < scenario_.fabric.faults_end_ns;
  if (faulty && node.ring.size() >= scenario_.nodes[index].ring_frames) {
    ++log_.ring_losses;
    note_lost(waiting.sender, index);
    return;
  }
  node.ring.push_back(std::move(waiting));
  wake(index, now_ns_);
}

void Simulation::wake(size_t index, uint64_t at_ns) {
  Node& node = nodes_[index];
  if (!node.alive() || node.paused) return;
  const uint64_t next_ns = std::max(
      {at_ns, now_ns_,
       node.last_run_ns == 0 ? 0 : node.last_run_ns + scenario_.nodes[index].poll_every_ns});
  if (next_ns >= node.next_run_ns) return;
  node.next_run_ns = next_ns;
  events_.push(next_ns, {Event::What::kRun, static_cast<uint32_t>(index), {}});
}

void Simulation::run_node(size_t index) {
  Node& node = nodes_[index];
  node.next_run_ns = kNever;
  if (!node.alive() || node.paused) return;
  const size_t before = log_.told.size() + log_.frames.size() + log_.control_frames;
  const bool given = !node.ring.empty();
  while (!node.ring.empty()) give(node);
  if (node.groups != nullptr) node.groups->poll();
  node.rel_before_poll = node.last_rel_seq;
  node.endpoint->poll(node.clock.local_ns(now_ns_), scenario_.nodes[index].poll_most);
  node.last_run_ns = now_ns_;
  note_stable(node);
  if (node.endpoint->core().sender().said_the_end()) return end_life(index, "has left");
  const uint64_t wanted_ns = node.clock.true_ns(node.endpoint->next_deadline_ns());
  const bool idle = !given && before == log_.told.size() + log_.frames.size() + log_.control_frames;
  node.spun = idle && wanted_ns <= now_ns_ ? node.spun + 1 : 0;
  if (node.spun == kMostSpins) log_.misuse.push_back(name_of(node.life) + " polls in vain");
  if (wanted_ns != kNever) wake(index, std::max(wanted_ns, now_ns_ + kShortestLoopNs));
}

// A burst of data frames, or a control frame: what that does is logged before anything else comes.
void Simulation::give(Node& node) {
  std::array<Waiting, kBurst> waiting;
  std::array<std::span<const uint8_t>, kBurst> frames;
  std::array<counters::DropReason, kBurst> outcomes;
  size_t count = 0;
  bool control = false;
  for (; count < kBurst && !control && !node.ring.empty(); ++count) {
    control = node.ring.front().frame == kNobody;
    if (control && count != 0) break;
    waiting[count] = std::move(node.ring.front());
    node.ring.pop_front();
    frames[count] = *waiting[count].bytes;
  }
  PacketPool& pool = node.host->pool();
  pool.set_receiving(true);
  node.endpoint->receive({frames.data(), count}, node.clock.local_ns(now_ns_),
                         {outcomes.data(), count});
  pool.set_receiving(false);
  Life& life = log_.lives[node.life];
  life.most_held = std::max<uint64_t>(life.most_held, pool.held());
  life.copies_given += count;
  for (size_t i = 0; i < count; ++i) note_given(node, waiting[i], outcomes[i]);
}

void Simulation::note_given(Node& node, const Waiting& waiting, counters::DropReason outcome) {
  const bool damaged = waiting.corrupted && outcome != counters::DropReason::kNone &&
                       outcome <= counters::DropReason::kBadIcrc;
  if (damaged) {
    ++log_.copies_damaged;
    ++log_.heard[node.life][waiting.sender].lost;
    return;  // what flips in fields that the ICRC does not cover leaves a frame as good as intact
  }
  hash(static_cast<uint64_t>(outcome));
  if (waiting.frame != kNobody) log_.arrivals.push_back({waiting.frame, node.life, outcome});
  note_heard(node, waiting, outcome);
}

void Simulation::note_heard(Node& node, const Waiting& waiting, counters::DropReason outcome) {
  using counters::DropReason;
  if (outcome != DropReason::kNone && outcome != DropReason::kNotJoined &&
      outcome != DropReason::kControlTaken && outcome != DropReason::kTooFarAhead &&
      outcome != DropReason::kSlowConsumer) {
    return;
  }
  const FrameView view(*waiting.bytes);
  Heard& heard = log_.heard[node.life][waiting.sender];
  if (view.is_control()) note_said(node.life, waiting.sender);
  if (heard.any)
    heard.longest_silence_ns = std::max(heard.longest_silence_ns, now_ns_ - heard.last_ns);
  heard.any = true;
  heard.last_ns = now_ns_;
  if (outcome == DropReason::kNone || outcome == DropReason::kSlowConsumer)
    heard.highest = std::max(heard.highest, view.rel_seq());
  if (outcome != DropReason::kControlTaken) return;
  if (view.kind() == FrameView::Kind::kHeartbeat)
    heard.highest = std::max(heard.highest, view.last_sent());
  if (view.ends() && heard.end_ns == kNever) heard.end_ns = now_ns_;
  const NamedStream self{gids_[log_.lives[node.life].node], log_.lives[node.life].incarnation};
  view.for_each_stream([&](const NamedStream& named, uint64_t position, uint8_t verdict) {
    if (named != self) return;
    if (view.kind() == FrameView::Kind::kHeartbeat) heard.cut_off = verdict != 1;
    if (view.kind() != FrameView::Kind::kHeartbeat) {
      if (heard.last_about_ns != now_ns_) heard.about_gap_ns = now_ns_ - heard.last_about_ns;
      heard.last_about_ns = now_ns_;
    } else if (verdict == 1 && !heard.welcomed) {
      heard.welcomed = true;
      log_.welcomes.push_back({waiting.sender, node.life, now_ns_, position});
    }
  });
}

}  // namespace lambdacast::sim
