// What the simulation hears from the code under test, and how it gets into the log. Trusts nothing
// of it: a broken core must fail its checkers, not the simulator.
#include <algorithm>
#include <utility>

#include "sim/multicast/message.h"
#include "sim/multicast/simulation.h"

namespace lambdacast::sim {

void Simulation::transmit(uint32_t life, std::span<const uint8_t> frame) {
  if (tap_) tap_(frame, now_ns_);
  const size_t sender = log_.lives[life].node;
  const FrameView view(frame);
  const uint32_t transmitter = life;
  if (view.kind() == FrameView::Kind::kData && view.source() != gids_[sender]) {
    life = life_named(view.source(), view.incarnation());
    if (life == kNobody) {
      log_.misuse.push_back(name_of(transmitter) + " relays a frame of nobody");
      return;
    }
  }
  Waiting waiting{kNobody, life, false, nullptr};
  if (view.kind() == FrameView::Kind::kData) {
    waiting.frame = log_data(life, transmitter, view);
  } else {
    ++log_.control_frames;
    if (view.kind() == FrameView::Kind::kNack) log_.nack_frames.push_back(life);
    if (trace_) say(name_of(life) + " sends " + describe(view));
  }
  const BroadcastFabric::Sink sink{
      [&] {
        if (waiting.frame != kNobody) log_.frames[waiting.frame].lost_at_transmitter = true;
        for (size_t receiver = 0; receiver < nodes_.size(); ++receiver) note_lost(life, receiver);
        if (trace_) say("  lost at the transmitter");
      },
      [&](size_t receiver) {
        ++log_.copies_lost;
        note_lost(life, receiver);
        if (trace_) say("  lost before node " + std::to_string(receiver));
      },
      [&](FrameCopy copy) {
        if (trace_ && copy.corrupted) say("  damaged before node " + std::to_string(copy.receiver));
        events_.push(copy.at_ns, {Event::What::kArrive,
                                  static_cast<uint32_t>(copy.receiver),
                                  {waiting.frame, life, copy.corrupted, std::move(copy.bytes)}});
      }};
  fabric_.transmit(sender, std::make_shared<const std::vector<uint8_t>>(frame.begin(), frame.end()),
                   now_ns_, sink);
}

uint32_t Simulation::log_data(uint32_t life, uint32_t transmitter, const FrameView& view) {
  SentFrame sent;
  sent.life = life;
  if (transmitter != life) sent.relayed_by = transmitter;
  sent.marks = view.marks();
  sent.at_ns = now_ns_;
  sent.frame_seq = view.frame_seq();
  sent.rel_seq = view.rel_seq();
  sent.repair = view.repair();
  sent.recoverable = view.recoverable();
  sent.part = view.fragment() && !view.last_fragment();
  const uint32_t about = sent.marks ? kNobody : publication_in(life, view);
  if (sent.part) sent.part_of = about;
  if (about != kNobody && view.recoverable() && log_.publications[about].first_rel_seq == 0)
    log_.publications[about].first_rel_seq = view.rel_seq();
  if (about != kNobody && !sent.part) {
    sent.publication = about;
    Publication& publication = log_.publications[about];
    if (publication.transmissions++ == 0) {
      publication.sent_ns = now_ns_;
      if (view.recoverable()) publication.rel_seq = view.rel_seq();
    }
  }
  if (transmitter == life) {
    uint64_t& last = nodes_[log_.lives[life].node].last_rel_seq;
    last = std::max(last, view.rel_seq());
  }
  if (trace_) {
    say(name_of(transmitter) + (transmitter == life ? "" : " relays " + name_of(life)) +
        " sends frame " + std::to_string(sent.frame_seq) + " rel_seq " +
        std::to_string(sent.rel_seq) + (sent.repair ? " (repair)" : "") +
        (sent.marks ? std::string(" marks")
                    : (sent.part ? " part of message " : " message ") + std::to_string(about)));
  }
  log_.frames.push_back(sent);
  return static_cast<uint32_t>(log_.frames.size() - 1);
}

// A message's number stands in its first packet.
uint32_t Simulation::publication_in(uint32_t life, const FrameView& view) {
  if (view.fragment()) {
    const auto known = long_messages_.find({life, view.message_id()});
    if (known != long_messages_.end()) return known->second;
  }
  const auto id = read_message_id(view.message());
  const bool ours = id && id->life == life && id->publication < log_.publications.size() &&
                    (!view.fragment() || view.first_fragment());
  if (!ours) return kNobody;
  if (view.fragment()) long_messages_.insert({{life, view.message_id()}, id->publication});
  return id->publication;
}

void Simulation::deliver(uint32_t life, const endpoint::PacketInfo& info,
                         std::span<const uint8_t> message) {
  Told told;
  told.receiver = life;
  told.at_ns = now_ns_;
  told.arrivals = static_cast<uint32_t>(log_.arrivals.size());
  const bool own = info.peer == endpoint::kNoPeer && is_ordered(info.qos);
  told.sender = own ? life : life_of_peer(life, info.peer, info.incarnation);
  told.group = info.group;
  told.qos = info.qos;
  told.rel_seq = info.rel_seq;
  told.parts = info.kind == wire::Kind::kFragment;
  if (is_ordered(info.qos)) {
    told.epoch = info.epoch;
    told.index = info.index;
    told.domain = info.domain;
  }
  const auto id = read_message_id(message);
  if (id && id->publication < log_.publications.size() &&
      log_.publications[id->publication].life == id->life) {
    told.publication = id->publication;
    const Publication& publication = log_.publications[id->publication];
    told.intact = message.size() == publication.bytes &&
                  (publication.content == 0
                       ? message_intact(*id, message)
                       : publication.content == hash_content(message.subspan(kMessageIdBytes)));
  }
  hash(told.publication);
  if (trace_) {
    say(name_of(life) + " delivers message " + std::to_string(told.publication) + " rel_seq " +
        std::to_string(told.rel_seq) + " of " + name_of(told.sender) + " to group " +
        std::to_string(told.group) +
        (told.epoch == 0
             ? std::string()
             : ", epoch " + std::to_string(told.epoch) + " domain " + std::to_string(told.domain) +
                   " index " + std::to_string(told.index)));
  }
  log_.told.push_back(told);
  tell_groups(nodes_[log_.lives[life].node], told, info, message);
}

void Simulation::gap(uint32_t life, const endpoint::GapEvent& gap) {
  Told told;
  told.what = Told::What::kGap;
  told.receiver = life;
  told.at_ns = now_ns_;
  told.sender = life_of_peer(life, gap.peer, gap.incarnation);
  told.first = gap.first_rel_seq;
  told.count = gap.count;
  told.reason = gap.reason;
  if (told.sender != kNobody) {
    const Heard& heard = log_.heard[life][told.sender];
    told.silent_ns = std::max(heard.longest_silence_ns, now_ns_ - heard.last_ns);
    for (uint32_t other = told.sender + 1; other < log_.lives.size(); ++other) {
      told.restarted |=
          log_.lives[other].node == log_.lives[told.sender].node && log_.heard[life][other].any;
    }
  }
  hash(told.first);
  if (trace_) {
    say(name_of(life) + " declares rel_seq " + std::to_string(told.first) + " + " +
        std::to_string(told.count) + " of " + name_of(told.sender) +
        " lost: " + reliability::name(told.reason));
  }
  log_.told.push_back(told);
}

void Simulation::receiver_event(uint32_t life, const reliability::ReceiverEvent& event) {
  Membership membership;
  membership.sender = life;
  membership.receiver = life_of_peer(life, event.peer, event.incarnation);
  membership.at_ns = now_ns_;
  membership.what = event.what;
  membership.position = event.position;
  membership.last_sent = nodes_[log_.lives[life].node].rel_before_poll;
  if (membership.receiver != kNobody) {
    const Heard& heard = log_.heard[life][membership.receiver];
    membership.told_to_end = heard.end_ns < now_ns_;
    membership.silent_ns =
        heard.last_about_ns == now_ns_ ? heard.about_gap_ns : now_ns_ - heard.last_about_ns;
  }
  hash(event.position);
  if (trace_) {
    constexpr const char* kNames[] = {"admits", "evicts for its lag", "evicts for its silence",
                                      "sees the restart of", "sees off"};
    say(name_of(life) + " " + kNames[static_cast<size_t>(event.what)] + " " +
        name_of(membership.receiver) + " at rel_seq " + std::to_string(event.position));
  }
  log_.memberships.push_back(membership);
}

void Simulation::note_lost(uint32_t sender, size_t receiver) {
  if (nodes_[receiver].alive()) ++log_.heard[nodes_[receiver].life][sender].lost;
}

// Before the next control frame, or at the end.
void Simulation::note_silence(uint32_t receiver, uint32_t sender) {
  const Heard& heard = log_.heard[receiver][sender];
  const uint64_t suspect_ns = scenario_.membership.views.suspect_after_ns;
  const uint64_t since_ns =
      heard.said_ns != 0 ? heard.said_ns
                         : std::max(log_.lives[receiver].born_ns, log_.lives[sender].born_ns);
  if (!log_.membership || log_.lives[receiver].node == log_.lives[sender].node) return;
  if (now_ns_ - since_ns >= suspect_ns - suspect_ns / 1000)
    log_.silences.push_back({sender, receiver, since_ns, now_ns_, heard.lost});
}

void Simulation::note_said(uint32_t receiver, uint32_t sender) {
  note_silence(receiver, sender);
  Heard& heard = log_.heard[receiver][sender];
  heard.said_ns = now_ns_;
  heard.lost = 0;
}

void Simulation::note_stable(Node& node) {
  for (const uint64_t stable = node.endpoint->stable(); node.stable < stable; ++node.stable) {
    if (node.stable == node.recoverable.size()) {
      log_.misuse.push_back(name_of(node.life) + " calls stable what it was not given");
      return;
    }
    const uint32_t number = node.recoverable[node.stable];
    const bool more =
        node.stable + 1 < node.recoverable.size() && node.recoverable[node.stable + 1] == number;
    if (more) continue;  // packets of it
    Publication& publication = log_.publications[number];
    publication.stable_ns = now_ns_;
    publication.stable_arrivals = static_cast<uint32_t>(log_.arrivals.size());
  }
}

void Simulation::view_event(uint32_t life, const endpoint::ViewEvent& event) {
  using What = endpoint::ViewEvent::What;
  Told told;
  told.receiver = life;
  told.at_ns = now_ns_;
  told.arrivals = static_cast<uint32_t>(log_.arrivals.size());
  hash(event.id.epoch);
  if (event.what != What::kView) {
    if (trace_) say(name_of(life) + " is out of its view");
    told.what = Told::What::kExcluded;
    log_.told.push_back(told);
    if (GroupHost* const groups = nodes_[log_.lives[life].node].groups.get()) groups->out();
    if (event.what == What::kExcluded)
      events_.push(now_ns_ + scenario_.membership.linger_ns, {Event::What::kOut, life, {}});
    return;
  }
  InstalledView view{life, now_ns_,     event.id.epoch, event.id.round, event.id.coordinator,
                     {},   event.stayed};
  std::string members;
  for (const wire::StreamName& name : event.members) {
    view.members.push_back(life_named(name.gid, name.incarnation));
    members += ", " + name_of(view.members.back());
  }
  if (trace_) {
    say(name_of(life) + " installs view " + std::to_string(view.epoch) + "." +
        std::to_string(view.round) + members);
  }
  told.what = Told::What::kView;
  told.view = static_cast<uint32_t>(log_.views.size());
  log_.views.push_back(std::move(view));
  log_.told.push_back(told);
  if (GroupHost* const groups = nodes_[log_.lives[life].node].groups.get())
    groups->view(event.id.epoch, event.members, event.stayed);
}

// --- names ---------------------------------------------------------------------------------------

uint32_t Simulation::life_of_peer(uint32_t life, size_t peer, uint32_t incarnation) const {
  const Node& node = nodes_[log_.lives[life].node];
  const endpoint::PeerTable& peers = node.endpoint->core().frame_classifier().peers();
  return peer < peers.size() ? life_named(peers.at(peer).gid, incarnation) : kNobody;
}

size_t Simulation::node_of(const wire::Gid& gid) const {
  return static_cast<size_t>(std::find(gids_.begin(), gids_.end(), gid) - gids_.begin());
}

uint32_t Simulation::life_named(const wire::Gid& gid, uint32_t incarnation) const {
  const size_t node = node_of(gid);
  for (size_t life = log_.lives.size(); life-- > 0;) {
    if (log_.lives[life].node == node && log_.lives[life].incarnation == incarnation)
      return static_cast<uint32_t>(life);
  }
  return kNobody;
}

std::string Simulation::name_of(uint32_t life) const {
  if (life >= log_.lives.size()) return "nobody";
  const Life& of = log_.lives[life];
  return "node " + std::to_string(of.node) + "/" + std::to_string(of.incarnation);
}

std::string Simulation::describe(const FrameView& view) const {
  std::string line = view.kind_name();
  if (view.kind() == FrameView::Kind::kHeartbeat)
    line += " last " + std::to_string(view.last_sent());
  if (view.about_views()) {
    line += ' ';
    line += std::to_string(view.epoch()) + "." + std::to_string(view.round()) + " step " +
            std::to_string(view.step());
  }
  view.for_each_stream([&](const NamedStream& stream, uint64_t position, uint8_t verdict) {
    line += ", " + name_of(life_named(stream.gid, stream.incarnation)) + " " +
            std::to_string(position) + (verdict != 0 ? " !" + std::to_string(verdict) : "");
  });
  return line;
}

void Simulation::say(const std::string& line) {
  if (!trace_) return;
  std::string at = std::to_string(now_ns_);
  trace_(std::string(at.size() < 10 ? 10 - at.size() : 0, ' ') + at + " ns  " + line);
}

}  // namespace lambdacast::sim
