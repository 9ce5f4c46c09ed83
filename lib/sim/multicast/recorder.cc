// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/recorder.h"

#include <algorithm>

#include "sim/multicast/message.h"
#include "sim/multicast/trace_names.h"

namespace lambdacast::sim {

Recorder::Recorder(const uint64_t& now_ns, std::vector<wire::Gid> gids,
                   const MembershipScenario& membership, uint64_t seed)
    : now_ns_(now_ns),
      gids_(std::move(gids)),
      suspect_after_ns_(membership.views.suspect_after_ns),
      streams_(gids_.size()),
      trace_(now_ns, seed) {
  log_.membership = membership.on;
  log_.rates = membership.on && membership.rates;
}

uint32_t Recorder::begin_life(Life life, const node::PeerTable& peers) {
  const auto number = static_cast<uint32_t>(log_.lives.size());
  Stream& stream = streams_[life.node];
  stream = {};
  stream.life = number;
  stream.peers = &peers;
  stream.last_rel_seq = life.first_rel_seq;
  log_.lives.push_back(std::move(life));
  for (auto& row : log_.heard) row.emplace_back();
  log_.heard.emplace_back(log_.lives.size());
  trace_.say(name_of(number) + " starts");
  return number;
}

void Recorder::end_life(uint32_t life) {
  stream_of(life).life = kNobody;
  stream_of(life).peers = nullptr;
}

// --- frames --------------------------------------------------------------------------------------

std::optional<Recorder::Transmission> Recorder::transmitted(uint32_t life,
                                                            std::span<const uint8_t> frame,
                                                            uint64_t offered_ns) {
  const FrameView view(frame);
  const uint32_t transmitter = life;
  trace_.add(now_ns_);
  trace_.add(uint64_t{frame.size()} << 32 ^ life);
  rates_.transmitted(life, frame.size(), view, gids_[log_.lives[life].node],
                     {.offered_ns = offered_ns, .at_ns = now_ns_});
  if (view.kind() == FrameView::Kind::kData && view.source() != gids_[log_.lives[life].node]) {
    life = life_named(view.source(), view.incarnation());
    if (life == kNobody) {
      log_.misuse.push_back(name_of(transmitter) + " relays a frame of nobody");
      return std::nullopt;
    }
  }
  Transmission sent{life, kNobody};
  if (transmitter == life) views_.transmitted(life, view, now_ns_);
  if (view.kind() == FrameView::Kind::kData) {
    sent.frame = log_data(life, transmitter, view);
    log_.frames[sent.frame].held_back = offered_ns < now_ns_;
  } else {
    ++log_.control_frames;
    if (view.kind() == FrameView::Kind::kNack) log_.nack_frames.push_back(life);
    if (trace_.heard()) trace_.say(name_of(life) + " sends " + describe(view));
  }
  return sent;
}

void Recorder::lost_at_transmitter(const Transmission& frame) {
  if (frame.frame != kNobody) log_.frames[frame.frame].lost_at_transmitter = true;
  for (size_t receiver = 0; receiver < streams_.size(); ++receiver) note_lost(frame.life, receiver);
  if (trace_.heard()) trace_.say("  lost at the transmitter");
}

void Recorder::lost_before(const Transmission& frame, size_t receiver) {
  ++log_.copies_lost;
  note_lost(frame.life, receiver);
  if (trace_.heard()) trace_.say("  lost before node " + std::to_string(receiver));
}

uint32_t Recorder::log_data(uint32_t life, uint32_t transmitter, const FrameView& view) {
  SentFrame sent;
  sent.life = life;
  if (transmitter != life) sent.relayed_by = transmitter;
  sent.marks = view.marks() || view.rates();
  sent.at_ns = now_ns_;
  sent.frame_seq = view.frame_seq();
  sent.rel_seq = view.rel_seq();
  sent.repair = view.repair();
  sent.recoverable = view.recoverable();
  sent.part = view.fragment() && !view.last_fragment();
  messages_.transmitted(view, sent);
  if (transmitter == life) {
    uint64_t& last = stream_of(life).last_rel_seq;
    last = std::max(last, view.rel_seq());
  }
  if (trace_.heard()) {
    trace_.say(name_of(transmitter) + (transmitter == life ? "" : " relays " + name_of(life)) +
               " sends frame " + std::to_string(sent.frame_seq) + " rel_seq " +
               std::to_string(sent.rel_seq) + (sent.repair ? " (repair)" : "") + carried_by(sent));
  }
  log_.frames.push_back(sent);
  return static_cast<uint32_t>(log_.frames.size() - 1);
}

std::string Recorder::carried_by(const SentFrame& frame) const {
  if (frame.marks) return " marks";
  if (frame.part) return " part of message " + std::to_string(frame.part_of);
  std::string line;
  for_each_publication(log_, frame, [&](uint32_t publication) {
    line += (line.empty() ? " message " : ", ") + std::to_string(publication);
  });
  return line.empty() ? " message of nobody" : line;
}

void Recorder::judged(uint32_t life, const Waiting& waiting, counters::DropReason outcome) {
  const bool damaged = waiting.corrupted && outcome != counters::DropReason::kNone &&
                       outcome <= counters::DropReason::kBadIcrc;
  if (damaged) {
    ++log_.copies_damaged;
    ++log_.heard[life][waiting.sender].lost;
    return;  // what flips in fields that the ICRC does not cover leaves a frame as good as intact
  }
  trace_.add(static_cast<uint64_t>(outcome));
  if (waiting.frame != kNobody) log_.arrivals.push_back({waiting.frame, life, outcome, now_ns_});
  note_heard(life, waiting, outcome);
}

void Recorder::note_heard(uint32_t life, const Waiting& waiting, counters::DropReason outcome) {
  using counters::DropReason;
  if (outcome != DropReason::kNone && outcome != DropReason::kNotJoined &&
      outcome != DropReason::kControlTaken && outcome != DropReason::kTooFarAhead &&
      outcome != DropReason::kSlowConsumer) {
    return;
  }
  const FrameView view(*waiting.bytes);
  Heard& heard = log_.heard[life][waiting.sender];
  if (view.is_control()) note_said(life, waiting.sender);
  rates_.heard(life, view, waiting, now_ns_);
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
  const NamedStream self{gids_[log_.lives[life].node], log_.lives[life].incarnation};
  view.for_each_stream([&](const NamedStream& named, uint64_t position, uint8_t verdict) {
    if (named != self) return;
    if (view.kind() == FrameView::Kind::kHeartbeat) heard.cut_off = verdict != 1;
    if (view.kind() != FrameView::Kind::kHeartbeat) {
      if (heard.last_about_ns != now_ns_) heard.about_gap_ns = now_ns_ - heard.last_about_ns;
      heard.last_about_ns = now_ns_;
    } else if (verdict == 1 && !heard.welcomed) {
      heard.welcomed = true;
      log_.welcomes.push_back({waiting.sender, life, now_ns_, position});
    }
  });
}

// Messages of one packet are handed over one behind the other.
uint32_t Recorder::place_in_packet(uint32_t life, const node::PacketInfo& info) {
  if (!wire::is_messages(info.kind)) return 0;
  Stream& stream = stream_of(life);
  const HandedPacket packet{info.peer, info.incarnation, info.rel_seq, info.frame_seq};
  stream.place = packet == stream.handed ? stream.place + 1 : 0;
  stream.handed = packet;
  return stream.place;
}

const Told& Recorder::delivered(uint32_t life, const node::PacketInfo& info,
                                std::span<const uint8_t> message) {
  Told told;
  told.receiver = life;
  told.at_ns = now_ns_;
  told.arrivals = static_cast<uint32_t>(log_.arrivals.size());
  const bool own = info.peer == node::kNoPeer && is_ordered(info.qos);
  told.sender = own ? life : life_of_peer(life, info.peer, info.incarnation);
  told.group = info.group;
  told.qos = info.qos;
  told.rel_seq = info.rel_seq;
  told.place = place_in_packet(life, info);
  told.parts = wire::is_fragment(info.kind);
  if (is_ordered(info.qos)) {
    told.epoch = info.epoch;
    told.index = info.index + told.place;  // a packet has its first message's
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
  trace_.add(told.publication);
  if (trace_.heard()) {
    trace_.say(name_of(life) + " delivers message " + std::to_string(told.publication) +
               " rel_seq " + std::to_string(told.rel_seq) + " of " + name_of(told.sender) +
               " to group " + std::to_string(told.group) +
               (told.epoch == 0
                    ? std::string()
                    : ", epoch " + std::to_string(told.epoch) + " domain " +
                          std::to_string(told.domain) + " index " + std::to_string(told.index)));
  }
  return log_.told.emplace_back(told);
}

void Recorder::gap(uint32_t life, const node::GapEvent& gap) {
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
  trace_.add(told.first);
  if (trace_.heard()) {
    trace_.say(name_of(life) + " declares rel_seq " + std::to_string(told.first) + " + " +
               std::to_string(told.count) + " of " + name_of(told.sender) +
               " lost: " + reliability::name(told.reason));
  }
  log_.told.push_back(told);
}

void Recorder::receiver_event(uint32_t life, const reliability::ReceiverEvent& event) {
  Membership membership;
  membership.sender = life;
  membership.receiver = life_of_peer(life, event.peer, event.incarnation);
  membership.at_ns = now_ns_;
  membership.what = event.what;
  membership.position = event.position;
  membership.last_sent = stream_of(life).rel_before;
  if (membership.receiver != kNobody) {
    const Heard& heard = log_.heard[life][membership.receiver];
    // Where lcores divide a node, last words may be on their way to the half that decides.
    const uint64_t on_the_way_ns = log_.lives[life].wild ? 100'000 : 0;
    membership.told_to_end = heard.end_ns != kNever && heard.end_ns + on_the_way_ns < now_ns_;
    membership.silent_ns =
        heard.last_about_ns == now_ns_ ? heard.about_gap_ns : now_ns_ - heard.last_about_ns;
  }
  trace_.add(event.position);
  if (trace_.heard()) {
    trace_.say(name_of(life) + " " + word_of(event.what) + " " + name_of(membership.receiver) +
               " at rel_seq " + std::to_string(event.position));
  }
  log_.memberships.push_back(membership);
}

void Recorder::note_lost(uint32_t sender, size_t receiver) {
  if (streams_[receiver].life != kNobody) ++log_.heard[streams_[receiver].life][sender].lost;
}

// Before the next control frame, or at the end.
void Recorder::note_silence(uint32_t receiver, uint32_t sender) {
  const Heard& heard = log_.heard[receiver][sender];
  const uint64_t since_ns =
      heard.said_ns != 0 ? heard.said_ns
                         : std::max(log_.lives[receiver].born_ns, log_.lives[sender].born_ns);
  if (!log_.membership || log_.lives[receiver].node == log_.lives[sender].node) return;
  if (now_ns_ - since_ns >= suspect_after_ns_ - suspect_after_ns_ / 1000)
    log_.silences.push_back({sender, receiver, since_ns, now_ns_, heard.lost});
}

void Recorder::note_said(uint32_t receiver, uint32_t sender) {
  note_silence(receiver, sender);
  Heard& heard = log_.heard[receiver][sender];
  heard.said_ns = now_ns_;
  heard.lost = 0;
}

void Recorder::note_silences(uint32_t life) {
  for (uint32_t sender = 0; sender < log_.lives.size(); ++sender) note_silence(life, sender);
}

void Recorder::published(const Publication& publication, uint64_t packets) {
  const auto number = static_cast<uint32_t>(log_.publications.size());
  Stream& stream = stream_of(publication.life);
  stream.packets += packets;
  if (publication.qos != wire::Qos::kUnreliable)
    stream.recoverable.push_back({number, stream.packets});
  log_.publications.push_back(publication);
}

void Recorder::stable(uint32_t life, uint64_t packets) {
  Stream& stream = stream_of(life);
  if (packets > stream.packets)
    log_.misuse.push_back(name_of(life) + " calls stable what it was not given");
  for (; stream.stable < stream.recoverable.size(); ++stream.stable) {
    const Published& next = stream.recoverable[stream.stable];
    if (next.packets > packets) return;
    Publication& publication = log_.publications[next.publication];
    publication.stable_ns = now_ns_;
    publication.stable_arrivals = static_cast<uint32_t>(log_.arrivals.size());
  }
}

void Recorder::view_event(uint32_t life, const node::ViewEvent& event) {
  using What = node::ViewEvent::What;
  Told told;
  told.receiver = life;
  told.at_ns = now_ns_;
  told.arrivals = static_cast<uint32_t>(log_.arrivals.size());
  trace_.add(event.id.epoch);
  if (event.what != What::kView) {
    if (trace_.heard()) trace_.say(name_of(life) + " is out of its view");
    told.what = Told::What::kExcluded;
    log_.told.push_back(told);
    return;
  }
  InstalledView view{life, now_ns_,     event.id.epoch, event.id.round, event.id.coordinator,
                     {},   event.stayed};
  std::string members;
  for (const wire::StreamName& name : event.members) {
    view.members.push_back(life_named(name.gid, name.incarnation));
    members += ", " + name_of(view.members.back());
  }
  if (trace_.heard()) {
    trace_.say(name_of(life) + " installs view " + std::to_string(view.epoch) + "." +
               std::to_string(view.round) + members);
  }
  told.what = Told::What::kView;
  told.view = static_cast<uint32_t>(log_.views.size());
  log_.views.push_back(std::move(view));
  log_.told.push_back(told);
}

// --- names ---------------------------------------------------------------------------------------

uint32_t Recorder::life_of_peer(uint32_t life, size_t peer, uint32_t incarnation) const {
  const node::PeerTable* const peers = streams_[log_.lives[life].node].peers;
  return peers != nullptr && peer < peers->size()
             ? life_named(peers->name_of(peer).gid, incarnation)
             : kNobody;
}

size_t Recorder::node_of(const wire::Gid& gid) const {
  return static_cast<size_t>(std::find(gids_.begin(), gids_.end(), gid) - gids_.begin());
}

uint32_t Recorder::life_named(const wire::Gid& gid, uint32_t incarnation) const {
  const size_t node = node_of(gid);
  for (size_t life = log_.lives.size(); life-- > 0;) {
    if (log_.lives[life].node == node && log_.lives[life].incarnation == incarnation)
      return static_cast<uint32_t>(life);
  }
  return kNobody;
}

std::string Recorder::name_of(uint32_t life) const {
  if (life >= log_.lives.size()) return "nobody";
  const Life& of = log_.lives[life];
  return "node " + std::to_string(of.node) + "/" + std::to_string(of.incarnation);
}

std::string Recorder::describe(const FrameView& view) const {
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

}  // namespace lambdacast::sim
