// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: control payloads of views, as they are and with the names in them mended, to
// one MembershipProtocol among time that passes. Whatever load_control accepts is taken without a
// read out of bounds; what is said is well formed and within its room; views are sound.
//
// The input: of each event one byte of kind, one of choice, then as event() reads it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "fuzz_input.h"
#include "membership/membership_protocol.h"

namespace {

using namespace lambdacast;
using Bytes = std::vector<uint8_t>;
using membership::MembershipProtocol;

constexpr size_t kFewPeers = 6;
constexpr size_t kManyPeers = 70;  // enough for a wide view
constexpr size_t kMaxEvents = 256;
constexpr int kMaxFrames = 200;  // at a time: lists in parts of three entries, of three kinds

void require(bool holds, const char* rule) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", rule);
  std::abort();
}

// Peers from 0 on, and behind the last of them this node.
wire::StreamName named(size_t number) {
  return {wire::gid_from_ipv4(0x0a000100 + static_cast<uint32_t>(number)), 0x10, 1};
}

class Trial final : private membership::MembershipHost {
 public:
  explicit Trial(uint8_t choice)
      : peers_((choice & 16) != 0 ? kManyPeers : kFewPeers),
        held_(peers_, 100),
        core_(config(choice, peers_), *this) {
    core_.tick(now_ns_);
  }

  void control(size_t from, Bytes payload, uint8_t mend) {
    const size_t peer = from % peers_;
    if (payload.size() >= wire::kControlHeaderBytes && (mend & 1) != 0) {
      if (payload[1] < 4 || payload[1] > 7) payload[1] = 4 + payload[1] % 4;
      const bool wide = (payload[0] & 0x20) != 0 && payload[1] != 7;
      payload[0] = static_cast<uint8_t>((wide ? wire::kWideVersion : wire::kControlVersion) << 4);
      base::store_be32(&payload[4], 1);
      fit(payload);
      if ((mend & 2) != 0) mend_ids(payload);
      if ((mend & 4) != 0) mend_entries(payload, mend >> 3);
    }
    payload.shrink_to_fit();
    wire::ControlHeader header;
    if (wire::load_control(payload.data(), payload.size(), header) != counters::DropReason::kNone)
      return;
    core_.heard(peer, named(peer), now_ns_);
    core_.accept(peer, payload.data(), header, now_ns_);
    check();
  }
  void pass(uint64_t ns, bool listening) {
    core_.tick(now_ns_ += ns, listening);
    check();
  }
  void say(size_t room) {
    for (int frames = 0;; ++frames) {
      require(frames < kMaxFrames, "control ends");
      Bytes payload(room);
      const size_t bytes = core_.next_control(payload.data(), room, now_ns_);
      if (bytes == 0) break;
      require(bytes <= room, "what is said fits its packet");
      wire::ControlHeader header;
      require(wire::load_control(payload.data(), bytes, header) == counters::DropReason::kNone,
              "what is said is well formed");
    }
    (void)core_.next_deadline_ns();
    (void)core_.stranded();
  }
  void open(size_t peer, uint64_t position) { held_[peer % peers_] = position; }
  void accuse(size_t peer) { core_.accuse(peer % peers_); }
  void leave() { core_.leave(); }

 private:
  static membership::MembershipConfig config(uint8_t choice, size_t peers) {
    membership::MembershipConfig config;
    config.self = named(peers);
    config.max_peers = peers;
    config.initial_nodes = choice & 3;
    config.minimum_partition = 1 + (choice >> 2 & 1);
    if ((choice & 8) != 0) config.tie_breaker = named(peers).gid;
    config.suspect_after_ns = 10'000'000;
    config.ack_ns = 5'000;
    return config;
  }
  // As many entries as there are bytes for.
  static void fit(Bytes& payload) {
    const uint8_t kind = payload[1];
    const bool wide = wire::is_wide(payload.data());
    const size_t head = kind == 4   ? wire::member_bytes(wide)
                        : kind == 5 ? wire::kBallotBytes
                        : kind == 6 ? wire::kVoteBytes
                                    : wire::kSkipBytes;
    const size_t entry = kind == 5 ? wire::kBallotEntryBytes : 8;
    if (payload.size() < head) payload.resize(head);
    const size_t entries = kind == 7 ? 0 : (payload.size() - head) / entry;
    payload.resize(head + entries * entry);
    base::store_be16(&payload[12], static_cast<uint16_t>(entries));
    if (kind == 4) payload[45] = 0;
    if (wide && kind == 4) make_whole(&payload[46], base::load_be16(&payload[64]) + entries);
    if (wide && kind == 6) make_whole(&payload[68], base::load_be16(&payload[66]) + entries);
    if (kind == 5) base::store_be16(&payload[78], base::load_be16(&payload[80]) + entries);
  }
  // A part lies inside its whole.
  static void make_whole(uint8_t* whole, size_t end) {
    if (base::load_be16(whole) < end) base::store_be16(whole, static_cast<uint16_t>(end));
  }
  // The view that this node is in, and the epoch behind it.
  void mend_ids(Bytes& payload) const {
    const wire::ViewId& id = core_.view().id;
    if (payload[1] == 4) {
      base::store_be64(&payload[24], id.epoch);
      base::store_be64(&payload[32], id.round);
      base::store_be32(&payload[40], id.coordinator);
    } else if (payload[1] != 7) {
      base::store_be64(&payload[24], id.epoch + 1);
      payload[32] = payload[33] = payload[34] = 0;
      if (payload[1] == 5) {
        base::store_be64(&payload[64], id.round);
        base::store_be32(&payload[72], id.coordinator);
      }
    }
  }
  // Names of nodes that there are.
  void mend_entries(Bytes& payload, size_t shift) const {
    const auto name_at = [&](size_t at, size_t number) {
      wire::store_stream_name(named((number + shift) % (peers_ + 1)), &payload[at]);
    };
    if (payload[1] == 5 || payload[1] == 6) name_at(40, payload[63]);
    if (payload[1] == 6) name_at(80, payload[103]);
    if (payload[1] != 5) return;
    for (size_t i = 0; wire::kBallotBytes + (i + 1) * wire::kBallotEntryBytes <= payload.size();
         ++i)
      name_at(wire::kBallotBytes + i * wire::kBallotEntryBytes, base::load_be16(&payload[80]) + i);
  }
  void check() const {
    const membership::View& view = core_.view();
    require(view.size() <= wire::kMaxMembers, "a view is bounded");
    if (core_.state() != wire::MemberState::kOperational) return;
    require(view.rank_of(core_.self()) == core_.own_rank(), "who is in a view has its rank");
    for (size_t rank = 0; rank < view.size(); ++rank) {
      require(core_.peer_of(rank) <= peers_, "every member is known");
      require(view.rank_of(view.members[rank]) == rank, "nobody is a member twice");
    }
  }

  void hold_on_to(const membership::Value*) override {}
  uint64_t held_through(size_t peer, const wire::StreamName&) override {
    require(peer <= peers_, "a peer of the table");
    return peer == peers_ ? 100 : held_[peer];
  }
  uint64_t here_through(size_t peer, const wire::StreamName&) override {
    require(peer < peers_, "a peer that departs");
    return held_[peer] + 1;
  }
  void give_up(size_t peer, uint64_t) override {
    require(peer < peers_, "a peer to give up");
    ++held_[peer];
  }
  void stays(size_t peer) override { require(peer < peers_, "a peer that stays"); }
  void fetch(size_t peer, uint64_t) override { require(peer < peers_, "a peer to fetch of"); }
  void serve(size_t peer, uint64_t) override { require(peer < peers_, "a peer to serve"); }
  void promised() override {}
  bool settled() override { return true; }
  void installed(const membership::View&, const membership::View& now,
                 const membership::Value& value) override {
    require(now.size() == value.count(wire::kEntryNew), "a view is what its value says");
  }
  void excluded(bool) override {
    require(!excluded_, "excluded once");
    excluded_ = true;
  }
  uint64_t own_ack(size_t) override { return 5; }
  void vouched(size_t) override {}
  void acknowledged(size_t member_rank, std::span<const uint64_t> through) override {
    require(member_rank < core_.view().size() && through.size() <= core_.view().size(), "ranks");
  }

  uint64_t now_ns_ = 1'000'000'000;
  const size_t peers_;
  std::vector<uint64_t> held_;
  bool excluded_ = false;
  MembershipProtocol core_;
};

using Input = test::FuzzInput;

void event(Trial& trial, Input& in) {
  const uint8_t kind = in.byte();
  const uint8_t choice = in.byte();
  switch (kind % 8) {
    case 0:
    case 1:
    case 2: {
      const uint8_t mend = in.byte();
      const size_t length = size_t{in.byte()} << 4 | (in.byte() & 15);
      return trial.control(choice, in.bytes(length), mend);
    }
    case 3:
    case 4:
      return trial.pass(uint64_t{1} << (choice % 28), (choice & 64) == 0);
    case 5:
      return trial.say(256 + 8 * size_t{choice});
    case 6:
      return trial.open(choice, (choice & 64) != 0 ? wire::kNotOpen : in.byte());
    default:
      return (choice & 63) == 0 ? trial.leave() : trial.accuse(choice);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  Input in(data, bytes);
  Trial trial(in.byte());
  for (size_t events = 0; events < kMaxEvents && !in.empty(); ++events) event(trial, in);
  return 0;
}
