// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: control payloads, as they are and with the names in them mended, to a receiver
// and a sender of reliable multicast, among data, time passing and everything the two say. What
// load_control accepts is read within its bytes; what the two write is accepted; every packet is
// given back once; nothing grows beyond its configuration.
//
// The input: of each event one byte of kind, then as Event::take() reads it.
#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>

#include "base/bytes.h"
#include "fuzz_input.h"
#include "reliability/stream_receiver.h"
#include "reliability/stream_sender.h"
#include "wire/control/view_control.h"

namespace {

using namespace lambdacast;
using reliability::PacketHandle;
using reliability::StreamReceiver;
using Bytes = std::vector<uint8_t>;

constexpr size_t kPeers = 4;
constexpr size_t kMaxEvents = 256;
constexpr int kMaxFrames = 32;  // of control at a time: a NACK a peer, statuses, heartbeats

void require(bool holds, const char* rule) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", rule);
  std::abort();
}

wire::Gid peer_gid(size_t peer) {
  return wire::gid_from_ipv4(0x0a000100 + static_cast<uint32_t>(peer));
}

reliability::ReliabilityConfig config(uint8_t choice) {
  reliability::ReliabilityConfig config;
  config.self = {wire::gid_from_ipv4(0x0a000001), 0x20, 7};
  config.max_peers = kPeers;
  config.first_rel_seq = (choice & 1) != 0 ? 1'000 : wire::kMaxPosition - 100'000;
  config.transmit_window_pkts = config.receive_window_pkts = 64;
  config.transmit_window_bytes = 64 * 100;
  config.hold_pkts = 40;
  config.slow_receiver = static_cast<reliability::SlowReceiver>(choice >> 1 & 1);
  config.late_join = static_cast<reliability::LateJoin>(choice >> 2 & 1);
  config.nack_delay_ns = (choice & 8) != 0 ? 1'000 : 0;
  config.nack_backoff_ns = (choice & 16) != 0 ? 10'000 : 0;
  return config;
}

uint64_t read_view_control(const Bytes& payload, const wire::ControlHeader& header) {
  uint64_t sum = 0;
  switch (header.kind) {
    case wire::ControlKind::kMember: {
      const wire::MemberFrame member = wire::load_member(payload.data());
      for (size_t i = 0; i < header.entries; ++i) sum += wire::load_member_ack(payload.data(), i);
      for (size_t i = 0; i < member.names; ++i)
        sum += wire::load_member_name(payload.data(), header.entries, i).qpn;
      break;
    }
    case wire::ControlKind::kBallot: {
      const wire::BallotFrame ballot = wire::load_ballot(payload.data());
      require(ballot.first + header.entries <= ballot.total, "a part lies in its value");
      for (size_t i = 0; i < header.entries; ++i)
        sum += wire::load_ballot_entry(payload.data(), i).cut;
      break;
    }
    case wire::ControlKind::kVote:
      require(wire::load_vote(payload.data()).ballot.epoch ==
                  wire::load_vote(payload.data()).accepted.epoch,
              "one epoch");
      for (size_t i = 0; i < header.entries; ++i)
        sum += wire::load_vote_position(payload.data(), i);
      break;
    case wire::ControlKind::kSkip: {
      const wire::SkipFrame skip = wire::load_skip(payload.data());
      require(skip.first + skip.count <= wire::kMaxPosition, "what is skipped has positions");
      break;
    }
    default:
      require(false, "no other kind is accepted");
  }
  return sum;
}

void read_statuses(const Bytes& payload, const wire::ControlHeader& header, size_t at,
                   size_t entries) {
  for (size_t i = 0; i < entries; ++i) {
    const auto entry = wire::load_status_entry(payload.data(), at);
    require(entry.runs <= wire::kMaxLossRuns, "runs of losses");
  }
  require(at == payload.size(), "a payload ends with its statuses");
  (void)wire::find_status_entry(payload.data(), header, wire::StreamName{});
}

// Every reader, on bytes that end where the payload ends.
void read_all(const Bytes& payload, const wire::ControlHeader& header) {
  uint64_t sum = 0;
  switch (header.kind) {
    case wire::ControlKind::kHeartbeat:
      sum += wire::load_heartbeat(payload.data()).lost_by_all;
      for (size_t i = 0; i < header.entries; ++i) {
        const auto entry = wire::load_verdict(payload.data(), i);
        require(entry.open_at <= wire::load_heartbeat(payload.data()).last_sent + 1, "open_at");
      }
      break;
    case wire::ControlKind::kStatus:
      read_statuses(payload, header, wire::kControlHeaderBytes, header.entries);
      break;
    case wire::ControlKind::kNack:
      sum += wire::load_nack_stream(payload.data()).qpn;
      wire::for_each_nack_run(payload.data(), header, [&](uint64_t first, uint64_t count) {
        require(first + count >= first, "a run stays within 64 bits");
      });
      read_statuses(payload, header, wire::behind_nack_runs(header), header.statuses);
      break;
    default:
      sum += read_view_control(payload, header);
  }
  (void)sum;
}

class Trial {
 public:
  explicit Trial(uint8_t choice) : config_(config(choice)), receiver_(config_), sender_(config_) {
    for (size_t peer = 0; peer < kPeers; ++peer) receiver_.introduce(peer, peer_gid(peer), 0x10);
    tick();
  }
  ~Trial() {
    receiver_.clear([&](PacketHandle packet) { give_back(packet); });
    sender_.clear([&](PacketHandle packet) { give_back(packet); });
    require(out_.empty(), "every packet is given back");
  }

  void control(size_t peer, Bytes payload, uint8_t mend) {
    if (payload.size() >= wire::kControlHeaderBytes && (mend & 1) != 0) {
      payload[0] = wire::kControlVersion << 4;
      base::store_be32(&payload[4], 1);
    }
    // Where a status and a NACK name a stream first, a heartbeat a receiver.
    const size_t at =
        payload.size() > 1 && payload[1] == 1 ? wire::kHeartbeatBytes : wire::kControlHeaderBytes;
    if ((mend & 6) != 0 && payload.size() >= at + wire::kStreamNameBytes) {
      const wire::Gid gid = (mend & 2) != 0 ? config_.self.gid : peer_gid(mend >> 3 & 3);
      std::copy(gid.bytes.begin(), gid.bytes.end(), &payload[at]);
      base::store_be32(&payload[at + 16], (mend & 2) != 0 ? config_.self.qpn : 0x10);
      base::store_be32(&payload[at + 20], (mend & 2) != 0 ? config_.self.incarnation : 1);
    }
    payload.shrink_to_fit();
    wire::ControlHeader header;
    if (wire::load_control(payload.data(), payload.size(), header) != counters::DropReason::kNone)
      return;
    read_all(payload, header);
    if (header.kind > wire::ControlKind::kNack) return;  // of membership: membership_fuzz.cc
    bool for_sender = false;
    (void)receiver_.accept_control(peer, payload.data(), header, now_ns_, for_sender);
    if (for_sender) sender_.accept_control(peer, payload.data(), header, now_ns_, peer_gid(peer));
  }
  void data(uint16_t peer, uint32_t incarnation, int8_t distance, uint8_t qos) {
    struct {
      uint16_t peer;
      uint32_t incarnation;
      uint64_t rel_seq;
      uint64_t timestamp_ns;
      wire::Qos qos;
    } const info{peer, incarnation,
                 receiver_.report(peer).contiguous + static_cast<uint64_t>(int64_t{distance}),
                 now_ns_, static_cast<wire::Qos>(qos % wire::kQosLevels)};
    const PacketHandle packet = take();
    if (receiver_.accept(info, packet, now_ns_).disposition != StreamReceiver::Disposition::kKeep)
      give_back(packet);
    require(receiver_.kept() <= config_.hold_pkts, "the hold is bounded");
  }
  void send(uint64_t count) {
    for (count = std::min(count, sender_.allowance()); count != 0; --count) {
      (void)sender_.sent(take(), 100, now_ns_, [&](PacketHandle packet) { give_back(packet); });
      sender_.sent_data(1);
    }
    require(sender_.window().size() <= 64, "the transmit window is bounded");
  }
  void repair(bool data_waits, bool postpone) {
    for (int i = 0; i < 200; ++i) {
      const auto repair = sender_.next_repair(data_waits);
      if (!repair) return;
      require(out_.contains(repair->packet), "what is repaired is retained");
      if (postpone) return sender_.postpone(repair->position);
      sender_.repaired(repair->position, now_ns_);
    }
    require(false, "repairs end");
  }
  void pass(uint8_t shift) {
    now_ns_ += uint64_t{1} << (shift % 36);
    tick();
  }
  void say(size_t room) {
    for (int frames = 0;; ++frames) {
      require(frames < kMaxFrames, "control ends");
      Bytes payload(room);
      size_t bytes = receiver_.next_control(payload.data(), room, now_ns_);
      if (bytes == 0) bytes = sender_.next_control(payload.data(), room, 5, now_ns_);
      if (bytes == 0) break;
      wire::ControlHeader header;
      require(wire::load_control(payload.data(), bytes, header) == counters::DropReason::kNone,
              "what is said is well formed");
    }
    (void)receiver_.next_deadline_ns();
    (void)sender_.next_deadline_ns();
    while (sender_.take_event()) {
    }
  }
  void drain(uint32_t most, bool refuse) {
    struct Sink {
      Trial& trial;
      bool refuse;
      void deliver(PacketHandle packet) { trial.give_back(packet); }
      bool gap(size_t, uint32_t, uint64_t, uint64_t count, reliability::LossReason) {
        require(count != 0, "a gap is of something");
        return !refuse;
      }
    };
    require(receiver_.drain(most, now_ns_, Sink{*this, refuse}) <= most, "drain keeps to `most`");
    sender_.release([&](PacketHandle packet) { give_back(packet); });
  }

 private:
  void tick() {
    receiver_.tick(now_ns_);
    sender_.tick(now_ns_);
  }
  PacketHandle take() {
    const auto packet = static_cast<PacketHandle>(++packets_);
    out_.insert(packet);
    return packet;
  }
  void give_back(PacketHandle packet) {
    require(out_.erase(packet) == 1, "no packet is given back twice");
  }

  reliability::ReliabilityConfig config_;
  std::set<PacketHandle> out_;
  uint64_t packets_ = 0;
  uint64_t now_ns_ = 1'000'000'000;
  StreamReceiver receiver_;
  reliability::StreamSender sender_;
};

using Input = test::FuzzInput;

void event(Trial& trial, Input& in) {
  const uint8_t kind = in.byte();
  const uint8_t choice = in.byte();
  switch (kind % 6) {
    case 0: {
      const uint8_t mend = in.byte();
      const size_t length = size_t{in.byte()} << 8 | in.byte();
      return trial.control(choice % kPeers, in.bytes(length), mend);
    }
    case 1: {
      const uint8_t incarnation = in.byte();
      const auto distance = static_cast<int8_t>(in.byte());
      return trial.data(choice % kPeers, 1 + incarnation / 250, distance, in.byte());
    }
    case 2:
      return trial.pass(choice);
    case 3:
      return trial.say(256 + 16 * size_t{choice});
    case 4:
      return trial.drain(1 + (choice & 31), (choice & 32) != 0);
    default:
      trial.send(choice & 63);
      return trial.repair((choice & 64) != 0, (choice & 128) != 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  Input in(data, bytes);
  Trial trial(in.byte());
  for (size_t events = 0; events < kMaxEvents && !in.empty(); ++events) event(trial, in);
  return 0;
}
