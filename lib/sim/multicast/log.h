// SPDX-License-Identifier: BSD-3-Clause
// The log of a run: what truly happened. The simulator writes it, never the code under test, and
// the checkers read it. A node that restarts begins another life; lives, publications and frames
// are named by their places here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "counters/drop_reason.h"
#include "node/stage_counters.h"
#include "reliability/frame_account.h"
#include "reliability/loss_reason.h"
#include "reliability/stream_sender.h"
#include "sim/engine/node_clock.h"
#include "sim/multicast/call_told.h"
#include "sim/multicast/log_names.h"
#include "sim/multicast/rate_log.h"
#include "sim/multicast/wild.h"
#include "wire/control/transport.h"

namespace lambdacast::sim {

// The account of one peer's frames that the code under test gives when its life ends.
struct StreamAccount {
  uint32_t sender = kNobody;  // the life that was heard last
  reliability::StreamReport frames;
};

// The counts of a life's stages.
struct StageTotals {
  node::StageCounters receive;
  node::StageCounters reliability;
  uint64_t received_link = 0;        // packets on their way from the one to the other
  uint64_t transmitted_packets = 0;  // data frames, repairs included, that the port has taken
};

struct Life {
  size_t node = 0;
  uint32_t incarnation = 0;
  uint64_t first_frame_seq = 0;
  uint64_t first_rel_seq = 0;  // before the first recoverable message
  uint64_t born_ns = 0;
  uint64_t died_ns = kNever;
  uint64_t left_ns = kNever;  // when it began to leave in order
  bool finished = false;      // its application published all it meant to

  // The endpoint's own report at its end.
  bool flushed = false;
  uint64_t copies_given = 0;  // of frames, by the simulator's count
  uint64_t in_runs = 0;       // packets judged a run at a time
  uint64_t most_packets = 0;  // in use at a time, of both halves
  uint64_t most_held = 0;     // of those received, at a time
  uint64_t packets_left = 0;  // not given back
  uint64_t nacks_sent = 0;
  uint64_t nacks_suppressed = 0;
  uint64_t repairs_sent = 0;
  uint64_t lost_by_all = 0;
  uint64_t resumed = 0;        // fragments of its own that it sent once more
  uint64_t repetitions = 0;    // of requests by sessions, which it has not executed
  uint64_t refused_again = 0;  // requests by sessions that were refused before
  uint64_t holes = 0;          // views of it that ended with passes behind one that nobody had
  StageTotals counters;
  bool wild = false;  // its surroundings
  PortCounts port;
  uint64_t links_filled = 0;          // times that a full link was relieved
  uint64_t deaf = 0;                  // times that it was the one behind the reliability stage
  uint64_t pool_empty = 0;            // allocations refused
  uint64_t application_refusals = 0;  // times that it took nothing for a while
  std::vector<StreamAccount> accounts;
};

// A message that an endpoint accepted.
struct Publication {
  uint32_t life = 0;
  uint32_t group = 0;
  wire::Qos qos = wire::Qos::kUnreliable;
  uint32_t bytes = 0;
  uint64_t content = 0;        // hash of what is behind its number; 0: as message.h has it
  uint64_t rel_seq = 0;        // its position, if recoverable; of several packets the last one's,
  uint64_t first_rel_seq = 0;  // and the first one's; 0: it has not been sent
  uint64_t accepted_ns = 0;
  uint64_t sent_ns = kNever;  // for the first time
  uint32_t transmissions = 0;
  uint64_t stable_ns = kNever;   // when its sender called it so
  uint32_t stable_arrivals = 0;  // how many of Log::arrivals had come before
  uint32_t place = 0;            // among the messages that share its packet,
  uint32_t sharing = 1;          // and how many they are
  bool epilogue = false;
};

// One transmission to the data queue pair.
struct SentFrame {
  uint32_t life = 0;              // whose stream it is of
  uint32_t relayed_by = kNobody;  // another life that transmits it as it was
  bool marks = false;             // the protocol's own, to order messages: no publication
  bool part = false;              // of a longer message, and not its last: no publication
  uint64_t at_ns = 0;
  uint64_t frame_seq = 0;          // as its bytes say
  uint64_t rel_seq = 0;            // as its bytes say
  bool repair = false;             // as its bytes say
  bool recoverable = false;        // as its bytes say
  uint32_t publication = kNobody;  // the last one of a packet that several share
  uint32_t shared_begin = 0;       // all of those, in Log::shared
  uint32_t shared = 0;             // so many; 0: it is a packet of one message
  uint32_t part_of = kNobody;      // with `part`: publication
  bool lost_at_transmitter = false;
  bool held_back = false;  // its port had refused it for a while

  [[nodiscard]] bool ends_none() const { return marks || part; }
};

// One undamaged copy of a data frame that its receiver's endpoint was given. In order of time.
struct Arrival {
  uint32_t frame = 0;  // index in Log::frames
  uint32_t receiver = 0;
  counters::DropReason outcome = counters::DropReason::kNone;
  uint64_t at_ns = 0;
};

[[nodiscard]] inline bool is_ordered(wire::Qos qos) { return qos >= wire::Qos::kTotallyOrdered; }

// A call that an application got; they are in the order of time.
struct Told {
  enum class What : uint8_t { kMessage, kGap, kView, kExcluded };  // also: it left
  What what = What::kMessage;
  uint32_t receiver = 0;
  uint64_t at_ns = 0;
  uint32_t arrivals = 0;      // how many of Log::arrivals had come before
  uint32_t sender = kNobody;  // as the endpoint says; kNobody: no such life, or of no sender

  // A message:
  uint32_t publication = kNobody;  // as its bytes say; kNobody: it is none of ours
  bool intact = false;
  bool parts = false;  // it came in several packets
  uint32_t group = 0;
  wire::Qos qos = wire::Qos::kUnreliable;
  uint64_t rel_seq = 0;
  uint32_t place = 0;  // among the messages of its packet that this receiver was handed
  uint64_t epoch = 0;  // of the view in which it has its index; 0: it is not ordered
  uint64_t index = 0;  // in its domain, in that view
  uint32_t domain = 0;

  // A gap:
  uint64_t first = 0;
  uint64_t count = 0;
  reliability::LossReason reason = reliability::LossReason::kNone;
  uint64_t silent_ns = 0;  // the longest for which the receiver was given no frame of it
  bool restarted = false;  // it has been given one of a later life

  // A view:
  uint32_t view = kNobody;  // index in Log::views

  [[nodiscard]] bool is_message() const { return what == What::kMessage; }
  [[nodiscard]] bool is_gap() const { return what == What::kGap; }
  [[nodiscard]] bool is_ordered_message() const { return is_message() && is_ordered(qos); }
};

// A view as one life was told of it.
struct InstalledView {
  uint32_t life = 0;
  uint64_t at_ns = 0;
  uint64_t epoch = 0;
  uint64_t round = 0;
  uint32_t coordinator = 0;       // its incarnation
  std::vector<uint32_t> members;  // lives, by rank; kNobody: no such life
  size_t stayed = 0;              // so many of them, the first, are said not to be new

  // The life that makes that pass of the token; kNobody: no such life.
  [[nodiscard]] uint32_t site(uint64_t pass) const {
    return members[(epoch % (stayed == 0 ? members.size() : stayed) + pass - 1) % members.size()];
  }
};

// A life speaks in a ballot for a view: from then on it applies nothing more of the view before.
struct BallotSpeech {
  uint32_t life = 0;
  uint64_t at_ns = 0;
  uint64_t epoch = 0;  // of the view that the ballot is about
};

// The first word of a ballot that its value is chosen: who knows it may begin that view, of which
// its application is told later.
struct ChosenSaid {
  uint64_t at_ns = 0;
  uint64_t epoch = 0;  // of the view
  uint64_t round = 0;
  uint32_t life = 0;
};

// A life was given no undamaged control frame of another one for longer than suspect_after, though
// both lived and it was not paused itself.
struct Silence {
  uint32_t sender = 0;
  uint32_t receiver = 0;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint64_t copies_lost = 0;  // or damaged, of those sent in that time
};

// A pass of the token, when it is sent for the first time.
struct PassSent {
  struct Item {
    uint16_t rank = 0;
    uint64_t through = 0;
  };
  uint32_t life = 0;
  uint64_t at_ns = 0;
  uint32_t arrivals = 0;  // how many of Log::arrivals had come before
  uint64_t rel_seq = 0;
  uint64_t epoch = 0;
  uint64_t number = 0;
  std::vector<Item> items;
};

// The first word of a life by which others know that it has begun a view: a member frame that says
// operational there, or a pass.
struct BegunSaid {
  uint32_t life = 0;
  uint64_t at_ns = 0;
  uint64_t epoch = 0;
};

// An event that a sender reports about a receiver.
struct Membership {
  uint32_t sender = 0;
  uint32_t receiver = kNobody;
  uint64_t at_ns = 0;
  reliability::ReceiverEvent::What what = reliability::ReceiverEvent::What::kJoined;
  uint64_t position = 0;
  uint64_t last_sent = 0;    // when it decided so
  bool told_to_end = false;  // the sender had been given the last words of it
  uint64_t silent_ns = 0;    // since the sender was last given a status or NACK of it about itself
};

// Where a receiver's part in a sender's stream begins: the first welcome that it was given.
struct Welcome {
  uint32_t sender = 0;
  uint32_t receiver = 0;
  uint64_t at_ns = 0;
  uint64_t open_at = 0;
};

// What a receiver has heard from a sender, up to the end.
struct Heard {
  uint64_t last_ns = 0;             // an undamaged frame
  uint64_t last_about_ns = 0;       // an undamaged status or NACK about the stream of who hears it
  uint64_t highest = 0;             // position that any frame told of
  uint64_t longest_silence_ns = 0;  // between two undamaged frames
  uint64_t about_gap_ns = 0;        // before the last status or NACK about it
  uint64_t end_ns = kNever;         // when it was told that it leaves
  bool any = false;
  bool welcomed = false;
  bool cut_off = false;  // by the last verdict that it heard
  uint64_t said_ns = 0;  // an undamaged control frame, by which membership tells who lives
  uint64_t lost = 0;     // copies since that, or damaged
};

// A call about a group that an application got; they are in the order of time.
struct GroupTold {
  enum class What : uint8_t { kMessage, kView, kSnapshot, kRestored, kLost, kEnded, kLock };
  enum class Lock : uint8_t { kGranted, kMoved, kFreed, kQueued, kRefused };
  What what = What::kMessage;
  uint32_t life = 0;
  uint32_t view = kNobody;         // of the nodes: index in Log::views
  uint32_t name = 0;               // index in kGroupNames
  uint32_t number = 0;             // of the group; 0: it has been told of none
  uint32_t publication = kNobody;  // kMessage: as its bytes say
  uint64_t state = 0;              // behind it
  std::vector<uint32_t> members;   // kView: lives, kNobody: no such life
  bool suspended = false;          // kView
  Lock lock = Lock::kGranted;      // kLock, as the next three
  uint32_t handler = 0;
  uint32_t holder = kNobody;  // life
  LockGrant grant;
};

// A message about a lock of a group, or the leave that ends all of a member's: as its bytes say.
struct LockSaid {
  enum class What : uint8_t { kAcquire, kRelease, kWithdraw, kLeave };
  What what = What::kAcquire;
  uint32_t life = 0;
  uint32_t publication = 0;
  uint32_t membership = 0;  // of this life in that group, from 1 on
  LockName lock;
  bool only_if_free = false;
  uint64_t epoch = 0;       // kRelease: of the token
  uint64_t place = 0;       // the same
  uint32_t heir = kNobody;  // life
};

// A write to a register outside the order, one a lock, which refuses a token below the newest that
// it has taken.
struct RegisterWrite {
  uint32_t life = 0;
  uint64_t at_ns = 0;
  LockName lock;
  LockGrant grant;  // that it writes by
  bool taken = false;
  uint32_t believers = 0;  // lives that believe they hold the lock at that moment, the writer's
                           // included
};

// The groups of a life when the run ends.
struct GroupStanding {
  struct Group {                    // by name
    uint32_t number = 0;            // 0: it knows of none
    std::vector<uint32_t> members;  // lives, by rank
    bool waiting = false;           // some of them, for state
    bool in = false;                // it is a member, and has the state
    bool wanted = false;            // its application wants it to be
    bool operator==(const Group&) const = default;
  };
  uint32_t life = 0;
  bool informed = false;
  std::vector<Group> groups;
};

// A life that was told for certain that another one is over.
struct Buried {
  uint32_t told = 0;
  uint32_t over = kNobody;  // kNobody: there was no such life
  uint64_t at_ns = 0;
};

struct Log {
  bool membership = false;  // the nodes have views and total order
  bool rates = false;       // they agree on their rates
  std::vector<Life> lives;
  std::vector<Publication> publications;
  std::vector<SentFrame> frames;
  std::vector<uint32_t> shared;  // publications, of packets that several share
  std::vector<Arrival> arrivals;
  std::vector<Told> told;
  std::vector<Membership> memberships;
  std::vector<Welcome> welcomes;
  std::vector<std::vector<Heard>> heard;  // [receiver's life][sender's life]
  std::vector<InstalledView> views;       // in order of time
  std::vector<Silence> silences;          // with membership
  std::vector<BallotSpeech> ballots;      // in order of time; of each life and epoch the first
  std::vector<ChosenSaid> chosen;         // in order of time; of each epoch and round the first
  std::vector<PassSent> passes;           // in order of time
  std::vector<BegunSaid> begun;           // in order of time; of each life and epoch the first
  bool tells_deaths = false;              // the fabric, to some node
  std::vector<Buried> buried;             // in order of time

  // With rates, all in order of time.
  std::vector<OnWire> wire;
  std::vector<Vouched> vouched;
  std::vector<RatesSaid> rates_said;
  std::vector<Allowance> allowances;  // each time that it is another one
  std::vector<uint32_t> nack_frames;  // of every life, in order: who sent it
  uint64_t copies_lost = 0;
  uint64_t copies_damaged = 0;
  uint64_t ring_losses = 0;
  uint64_t control_frames = 0;
  std::vector<GroupTold> group_told;
  std::vector<GroupStanding> group_standings;
  std::vector<LockSaid> locks_said;
  std::vector<RegisterWrite> register_writes;
  std::vector<CallTold> calls_told;
  std::vector<std::string> misuse;  // of memory, by the code under test
};

// visit(publication) for each message that ends with that frame, in their order.
template <typename Visitor>
void for_each_publication(const Log& log, const SentFrame& frame, Visitor&& visit) {
  for (uint32_t i = 0; i < frame.shared; ++i) visit(log.shared[frame.shared_begin + i]);
  if (frame.shared == 0 && frame.publication != kNobody) visit(frame.publication);
}

struct Report {
  Log log;
  uint64_t trace_hash = 0;
};

}  // namespace lambdacast::sim
