// The node view of a fabric, as one node takes part in it: who is alive, which view comes next, and
// when the old one ends. Chosen by ballot among the members of the view before (round.h), over
// control frames that may be lost, repeated and late.
//
//   joining --installed--> operational --promised--> recovering --installed--> operational
//                               |                         |
//                               '------ told it is out ---'--> excluded (this incarnation is over)
//
// From its promise until the next view a member marks, acknowledges and delivers nothing. One that
// finds no quorum stays there: it is in a partition that is not primary (stranded()).
//
// There is no perfect failure detector: suspicion is silence for longer than suspect_after in time
// lived here, and a newer incarnation of a node is proof that the older one is dead.
//
// Streams and order are the host's. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/uptime_clock.h"
#include "membership/ballot.h"
#include "membership/membership_config.h"
#include "membership/round.h"
#include "membership/view.h"
#include "wire/control/view_control.h"

namespace lambdacast::membership {

// What membership decides about, and tells. Peers by index of the peer table; self is max_peers.
class MembershipHost {
 public:
  virtual ~MembershipHost() = default;
  // The position through which everything of that life's stream has been taken; wire::kNotOpen,
  // also if the peer's stream is another life's.
  virtual uint64_t held_through(size_t peer, const wire::StreamName& name) = 0;
  // This node may be in a view with those who join in `value`, whatever becomes of them: their
  // streams are to be followed to its end, also when a later life speaks. Only the last call
  // counts; nullptr: there will be no such view.
  virtual void hold_on_to(const Value* value) = 0;
  // Likewise of a peer that departs. What its holder does not have either counts as held; it may be
  // on its way through this node.
  virtual uint64_t here_through(size_t peer, const wire::StreamName& name) = 0;
  // The view without the peer is chosen: what its holder does not have, up to there, is lost.
  virtual void give_up(size_t peer, uint64_t cut) = 0;
  // The peer stays, though an earlier ballot had it depart: it has what others do not.
  virtual void stays(size_t peer) = 0;
  // The stream of a departed peer goes up to there: what is missing is to be asked for.
  virtual void fetch(size_t peer, uint64_t cut) = 0;
  // Others will ask this node for it.
  virtual void serve(size_t peer, uint64_t cut) = 0;
  // A member has to stop: nothing is to be marked, acknowledged or delivered until installed(). Who
  // joins has to keep what comes.
  virtual void promised() = 0;
  // Has the end of the view before been delivered? A member is not ready for another one before.
  virtual bool settled() = 0;
  // `value` is what was chosen: its old members make up `before`, its new ones `now`.
  virtual void installed(const View& before, const View& now, const Value& value) = 0;
  // Out of the view; `left`: as it wished.
  virtual void excluded(bool left) = 0;
  // This node has applied the marks of the member of that rank through the result.
  virtual uint64_t own_ack(size_t rank) = 0;
  // Another member has, the marks of each rank; as a rule most of them are known.
  virtual void acknowledged(size_t member_rank, std::span<const uint64_t> through) = 0;
};

struct MembershipCounters {
  uint64_t views = 0;    // installed
  uint64_t rounds = 0;   // begun here
  uint64_t members = 0;  // kMember frames sent
  uint64_t ballots = 0;  // frames sent
  uint64_t votes = 0;    // likewise
  uint64_t starved = 0;  // times that this node was not run for longer than a heartbeat
  uint64_t suspicions = 0;
};

class MembershipProtocol {
 public:
  using State = wire::MemberState;

  MembershipProtocol(const MembershipConfig& config, MembershipHost& host);

  // Any control frame of a peer's own; `name` with its incarnation.
  void heard(size_t peer, const wire::StreamName& name, uint64_t now_ns);
  // A payload of kMember, kBallot or kVote that load_control accepted, of a peer just heard().
  void accept(size_t peer, const uint8_t* payload, const wire::ControlHeader& header,
              uint64_t now_ns);
  void tick(uint64_t now_ns, bool listening = true);
  // Writes the next control payload that is due, or returns 0. `room` at least 256, and for views
  // of more than 19 nodes, old and new together, as much as a vote needs: 104 + 8 a node.
  [[nodiscard]] size_t next_control(uint8_t* payload, size_t room, uint64_t now_ns);
  [[nodiscard]] uint64_t next_deadline_ns() const;

  // An acknowledgement has changed: it goes out as soon as ack_ns allows, from that time on.
  void hurry(uint64_t from_ns = 0) { ack_from_ns_ = std::min(ack_from_ns_, from_ns); }
  // It asks to be let out; the next view is without it.
  void leave() {
    leaving_ = true;
    hurry();
  }
  // The peer holds this node's window back for too long (evict): it should not stay a member. Holds
  // for half of suspect_after, unless it is said again.
  void accuse(size_t peer);

  // The index of a node whatever its life; max_peers for self, kNoRank if it was never heard.
  [[nodiscard]] size_t peer_named(const wire::StreamName& name) const;
  // Is the peer, a member, not to be one of the view that is being made?
  [[nodiscard]] bool departs(size_t peer) const;
  // May it be a member of a view that it has not heard of yet?
  [[nodiscard]] bool has_accepted() const { return accepted_.has_value(); }
  [[nodiscard]] const wire::StreamName& self() const { return config_.self; }

  // This node cannot go on as a member.
  void abandon();

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] const View& view() const { return view_; }
  [[nodiscard]] size_t own_rank() const { return own_rank_; }
  // The index in the peer table of the member of that rank; max_peers for self.
  [[nodiscard]] size_t peer_of(size_t rank) const { return rank_peer_[rank]; }
  [[nodiscard]] bool is_member(size_t peer) const {
    return peer < config_.max_peers && peers_[peer].rank != kNoRank;
  }
  // Is that life of the peer out of a view that this node was in?
  [[nodiscard]] bool has_expelled(size_t peer, uint64_t incarnation) const {
    wire::StreamName name = peers_[peer].name;
    name.incarnation = incarnation;
    return was_expelled(name);
  }
  [[nodiscard]] size_t rank_of_peer(size_t peer) const { return peers_[peer].rank; }
  [[nodiscard]] bool left() const { return left_; }
  // Recovering for longer than suspect_after: no quorum is to be had.
  [[nodiscard]] bool stranded() const;
  [[nodiscard]] bool suspects(size_t rank) const { return (suspected_ >> rank & 1) != 0; }
  // Since the member of that rank was heard last, in time lived here; 0: it is this node.
  [[nodiscard]] uint64_t silent_ns(size_t rank) const;
  [[nodiscard]] const MembershipCounters& counters() const { return counters_; }

 private:
  struct Peer {
    bool known = false;
    size_t rank = kNoRank;         // of the life that is a member
    wire::StreamName name;         // of the newest life heard
    uint64_t heard_uptime_ns = 0;  // that life
    uint64_t along_uptime_ns = 0;  // when it was last in our view, or silent
    uint64_t said_ns = 0;          // by its clock, of the newest kMember
    uint8_t flags = 0;             // of that
    wire::MemberFrame said;        // likewise
  };

  void take_member(Peer& peer, const uint8_t* payload, const wire::ControlHeader& header);
  void take_ballot(const uint8_t* payload, const wire::ControlHeader& header);
  void take_vote(Peer& peer, const uint8_t* payload, const wire::ControlHeader& header);
  void take_report(const wire::BallotFrame& frame, const uint8_t* payload, size_t entries);
  [[nodiscard]] bool concerns_us(const Assembly& ballot) const;
  [[nodiscard]] bool leaves_unseen(const Assembly& ballot) const;
  void follow(wire::BallotPhase phase);
  void promise(const wire::BallotId& id);
  [[nodiscard]] bool may_begin_anew(const wire::BallotId& ballot) const;
  void seek_readiness();
  void look_at_streams();
  void hold_on();
  void let_go();
  [[nodiscard]] bool holds_all(const Value& value, bool chosen);
  void accept_value();
  void try_install(uint64_t now_ns);
  void install(const Assembly& chosen, uint64_t now_ns);
  void remember(const Assembly& chosen, uint64_t now_ns);
  void leave_view(bool left);

  [[nodiscard]] bool alive(const Peer& peer) const {
    return peer.known && clock_.uptime_ns() - peer.heard_uptime_ns <= config_.suspect_after_ns;
  }
  void pass(uint64_t now_ns);
  void suspect();
  [[nodiscard]] uint64_t accused() const;
  [[nodiscard]] uint64_t given_up() const;
  // It is ready for the next view.
  [[nodiscard]] bool may_join(const Peer& peer) const;
  [[nodiscard]] bool stays_behind(const Peer& peer) const;
  [[nodiscard]] bool is_leaving(size_t rank) const;
  [[nodiscard]] bool leads() const;
  [[nodiscard]] bool speaks_for_view() const;
  [[nodiscard]] bool another_view_is_there() const;
  [[nodiscard]] bool ready_to_join();
  [[nodiscard]] bool somebody_holds_on() const;
  [[nodiscard]] bool refutes(const wire::StreamName& voter, const wire::VoteFrame& vote) const;
  [[nodiscard]] bool propose(Value& out) const;
  [[nodiscard]] bool outdated(const Value& value) const;
  [[nodiscard]] bool waits_for_its_ballot() const;
  void coordinate(uint64_t now_ns);
  void begin_round(uint64_t now_ns);
  void drive_round(uint64_t now_ns);
  void own_vote();
  void note_latecomer(const Peer& peer);
  [[nodiscard]] bool was_expelled(const wire::StreamName& name) const;

  [[nodiscard]] wire::ControlHeader header_of(wire::ControlKind kind, size_t entries) const;
  [[nodiscard]] size_t write_vote(uint8_t* payload, size_t room);
  [[nodiscard]] size_t write_value(uint8_t* payload, size_t room, const wire::BallotId& id,
                                   const wire::ViewId& previous, wire::BallotPhase phase,
                                   const Value& value, size_t& next);
  [[nodiscard]] uint64_t member_due_ns() const;
  [[nodiscard]] size_t write_member(uint8_t* payload, size_t room, uint64_t now_ns);

  const MembershipConfig config_;
  MembershipHost& host_;
  base::UptimeClock clock_;
  State state_ = State::kJoining;
  View view_;
  View next_view_;  // while it is being made: memory
  size_t own_rank_ = kNoRank;
  std::vector<size_t> rank_peer_;
  std::vector<Peer> peers_;
  uint64_t suspected_ = 0;      // by rank
  uint64_t slow_ = 0;           // by rank: accused by our own sending half,
  uint64_t slow_lived_ns_ = 0;  // last then
  bool leaving_ = false;
  bool left_ = false;
  bool starved_ = false;           // since the last kMember
  uint64_t starved_lived_ns_ = 0;  // last then

  // As a member.
  Assembly ballot_;  // that has been promised
  std::optional<wire::BallotId> promised_;
  wire::VoteStage stage_ = wire::VoteStage::kPromised;
  bool wants_value_ = false;  // proposed, not all held yet
  bool wants_accept_ = false;
  bool holds_on_ = false;  // to the streams of a value that it was ready for,
  wire::ViewId may_be_;    // which would be this view
  std::optional<wire::BallotId> accepted_;
  Value accepted_value_;
  Assembly chosen_;
  bool says_out_ = false;           // of its own accord: the others do not know yet
  bool chosen_waits_ = false;       // for content
  uint64_t progress_lived_ns_ = 0;  // of the ballot promised
  uint64_t frozen_lived_ns_ = 0;

  // As a coordinator.
  Round round_;
  uint64_t seen_round_ = 0;
  Assembly report_;
  Value wanted_;
  std::array<uint64_t, 2 * wire::kMaxMembers> positions_{};  // of a vote, while it is taken
  uint64_t resend_ns_ = 0;
  uint64_t joiners_ = 0;           // how many were seen,
  uint64_t joiners_since_ns_ = 0;  // and since when that many

  // What is to be said.
  bool vote_due_ = false;
  uint64_t ack_from_ns_ = 0;  // kNoAck: there is nothing to acknowledge
  static constexpr uint64_t kNoAck = ~uint64_t{0};
  size_t ballot_next_ = 0;  // entry of the frame to send; all are sent: kDone
  size_t report_next_;
  size_t install_next_;
  static constexpr size_t kDone = ~size_t{0};
  static constexpr uint32_t kFarewells = 3;
  uint32_t farewells_ = 0;  // times that an excluded coordinator still says INSTALL
  wire::BallotId installed_id_;
  wire::ViewId installed_previous_;
  Value installed_value_;
  uint64_t install_said_ns_ = 0;
  uint64_t member_said_ns_ = 0;
  uint64_t tick_ns_ = 0;
  uint64_t next_look_ns_ = 0;
  std::vector<wire::StreamName> out_;  // to be told in the next kMember
  // The lives excluded last: none of them may join, even if it never heard of the view it was in.
  static constexpr size_t kExpelled = 256;
  std::vector<wire::StreamName> expelled_;
  size_t expelled_next_ = 0;
  MembershipCounters counters_;
};

}  // namespace lambdacast::membership
