// SPDX-License-Identifier: BSD-3-Clause
// What is bounded: memory, what recovery takes of the sending, and repairs.
#include <algorithm>
#include <map>
#include <set>

#include "sim/check/checkers.h"
#include "sim/check/log_index.h"
#include "sim/check/violations.h"
#include "wire/control/transport.h"

namespace lambdacast::sim {

namespace {

class Bounds {
 public:
  Bounds(const Scenario& scenario, const Log& log)
      : scenario_(scenario), log_(log), index_(scenario, log), list_("Bounds") {}

  Violations run() {
    for (const std::string& misuse : log_.misuse) list_.add(misuse);
    for (uint32_t life = 0; life < log_.lives.size(); ++life) check_memory(life);
    for (const PairLog& pair : index_.pairs()) {
      for (const uint32_t i : pair.told) {
        if (log_.told[i].is_gap() && log_.told[i].count == 0)
          list_.add(index_.name(pair) + ": an empty gap");
      }
    }
    check_shares();
    check_repairs();
    if (!log_.membership) check_windows();
    return list_.take();
  }

 private:
  void check_memory(uint32_t life) {
    const NodeScenario& node = index_.node(life);
    const Life& of = log_.lives[life];
    // Each member's ordered packets, and copies of its own, are kept until all hold them.
    const uint64_t ordered = scenario_.membership.on
                                 ? scenario_.nodes.size() * scenario_.membership.order.stream_pkts
                                 : 0;
    const uint64_t most = uint64_t{node.repair.transmit_window_pkts} + node.repair.hold_pkts +
                          ordered + 2 * node.max_publications +
                          node::kMaxBurst;  // of bursts in hand
    if (of.most_packets > most) {
      list_.add(index_.name(life) + " used " + std::to_string(of.most_packets) +
                " packets, at most " + std::to_string(most) + " are configured");
    }
    if (of.most_held > node.repair.hold_pkts + ordered) {
      list_.add(index_.name(life) + " held " + std::to_string(of.most_held) +
                " packets received, hold_pkts is " + std::to_string(node.repair.hold_pkts));
    }
    if (of.packets_left != 0) list_.add(index_.name(life) + " kept packets for ever");
  }

  // A sender goes no further than what its receivers have room for, unless it has cut them off, or
  // admits them and has not heard yet how much that is: a window's worth each time. (In a view
  // those who depart hear of it by the next one.)
  void check_windows() {
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> refused;  // by sender and receiver
    for (const Arrival& arrival : log_.arrivals) {
      const uint32_t sender = log_.frames[arrival.frame].life;
      if (arrival.outcome == counters::DropReason::kTooFarAhead)
        ++refused[{sender, arrival.receiver}];
    }
    for (const PairLog& pair : index_.pairs()) {
      const auto found = refused.find({pair.sender, pair.receiver});
      if (found == refused.end() || pair.evicted) continue;
      const uint64_t most = index_.node(pair.sender).repair.transmit_window_pkts;
      if (found->second <= most * pair.memberships.size()) continue;
      list_.add(index_.name(pair) + ": " + std::to_string(found->second) +
                " packets beyond the window, which holds " + std::to_string(most));
    }
  }

  // --- the share of recovery ---------------------------------------------------------------------

  // Times in which a life had data to send without a break: unreliable messages, which nothing but
  // its pacer holds back.
  struct Busy {
    uint64_t begin_ns = 0;
    uint64_t end_ns = 0;
    uint64_t data = 0;
    uint64_t repairs = 0;
  };

  void check_shares() {
    const size_t packet_bytes =
        scenario_.path_mtu - wire::transport_header_bytes(wire::Kind::kData);
    std::vector<std::vector<Busy>> busy(log_.lives.size());
    for (const Publication& each : log_.publications) {
      if (each.qos != wire::Qos::kUnreliable) continue;
      // In wild surroundings the pool may lack a packet, and a message of several waits with the
      // application for it.
      if (log_.lives[each.life].wild && each.bytes > packet_bytes) continue;
      const uint64_t end_ns = std::min(each.sent_ns, log_.lives[each.life].died_ns);
      std::vector<Busy>& of = busy[each.life];
      if (!of.empty() && each.accepted_ns < of.back().end_ns) {
        of.back().end_ns = std::max(of.back().end_ns, end_ns);
      } else {
        of.push_back({each.accepted_ns, end_ns});
      }
    }
    std::vector<size_t> at(log_.lives.size());
    for (const SentFrame& frame : log_.frames) {
      if (frame.relayed_by != kNobody) continue;
      std::vector<Busy>& of = busy[frame.life];
      size_t& i = at[frame.life];
      while (i < of.size() && of[i].end_ns < frame.at_ns) ++i;
      if (i == of.size() || frame.at_ns <= of[i].begin_ns) continue;
      if (!frame.repair) ++of[i].data;
      if (frame.repair && frame.at_ns < of[i].end_ns) ++of[i].repairs;
    }
    for (uint32_t life = 0; life < busy.size(); ++life) {
      for (const Busy& each : busy[life]) check_share(life, each);
    }
  }

  // Repairs have at most their share of the frames sent, and 64 that an idle time may save up.
  void check_share(uint32_t life, const Busy& busy) {
    const uint64_t share = index_.node(life).repair.repair_share_percent;
    if (busy.repairs * (100 - share) <= busy.data * share + 65 * 100) return;
    list_.add(index_.name(life) + ": " + std::to_string(busy.repairs) + " repairs beside " +
              std::to_string(busy.data) + " frames of data that waited, their share is " +
              std::to_string(share) + " %");
  }

  // --- repairs that nobody needs -----------------------------------------------------------------

  // At most a tenth of the repairs may be needless
  // (doc/decisions/0007-eight-receivers-ask-first.md), and kFewRepairs besides. Where frames
  // overtake each other, a receiver asks for one before it comes, and that proves nothing.
  void check_repairs() {
    for (const ReceiverFaults& faults : scenario_.fabric.receivers) {
      if (faults.delay > 0) return;
    }
    // A node whose clock was set back is sent what it asks for before the others hear it.
    for (const NodeScenario& node : scenario_.nodes) {
      if (node.incarnation_step < 0) return;
    }
    const auto [repairs, needless] = count_needless();
    const auto newcomers = static_cast<uint64_t>(std::count_if(
        log_.lives.begin(), log_.lives.end(), [](const Life& life) { return life.born_ns != 0; }));
    if (needless <= repairs / 10 + kFewRepairs + of_newcomers(newcomers)) return;
    list_.add(std::to_string(needless) + " of " + std::to_string(repairs) +
              " repairs were of use to nobody");
  }

  // A node that starts later than others has measured few round trips when it is sent all that is
  // retained, and may ask for that once more.
  [[nodiscard]] uint64_t of_newcomers(uint64_t newcomers) const {
    uint64_t retained = kLeastRetained;
    for (const NodeScenario& node : scenario_.nodes)
      retained = std::max<uint64_t>(retained, node.repair.transmit_window_pkts);
    return newcomers * retained;
  }

  // Until it has measured one a sender holds repairs off for initial_rtt, and that may be too
  // short.
  [[nodiscard]] bool expects_such_round_trips(uint32_t life) const {
    uint64_t slowest_ns = 0;
    for (const NodeScenario& node : scenario_.nodes)
      slowest_ns = std::max(slowest_ns, slowness_ns(node));
    const FabricConfig& fabric = scenario_.fabric;
    const NodeScenario& sender = index_.node(life);
    return sender.repair.initial_rtt_ns >=
           2 * (fabric.latency_ns + fabric.jitter_ns) + slowest_ns + slowness_ns(sender);
  }
  // How long a frame may be with a node on its way in and its answer's way out. Behind short links
  // a slow consumer leaves what is sent to it with its port, and asks for that again: up to a
  // window, of which it takes poll_most at a time.
  [[nodiscard]] static uint64_t slowness_ns(const NodeScenario& node) {
    const bool leaves = node.wild.link_slots != 0 && node.poll_most < NodeScenario{}.poll_most;
    const uint64_t polls = leaves ? node.repair.receive_window_pkts / node.poll_most : 0;
    return (1 + polls) * node.poll_every_ns + kPlaces * node.wild.most_delay_ns +
           node.wild.port.refusal_ns;
  }
  [[nodiscard]] std::pair<uint64_t, uint64_t> count_needless();

  static constexpr uint64_t kFewRepairs = 20;
  static constexpr uint64_t kLeastRetained = 100;
  const Scenario& scenario_;
  const Log& log_;
  const LogIndex index_;
  ViolationList list_;
};

// A repair is needless if an earlier transmission has reached, or will reach, every receiver that
// is entitled to it. Who has died may have asked before: one more is no waste. What a view without
// its sender needs is asked of who holds it; the sender, if it lives, hears that too and answers,
// for it cannot know that it is given up. While a port holds a repair back its receiver may ask for
// it again.
std::pair<uint64_t, uint64_t> Bounds::count_needless() {
  std::set<uint32_t> relayed;
  for (const SentFrame& frame : log_.frames) {
    if (frame.relayed_by != kNobody) relayed.insert(frame.publication);
  }
  std::vector<std::vector<uint32_t>> given(log_.frames.size());  // by frame: to whom, and taken
  for (const Arrival& arrival : log_.arrivals) {
    if (arrival.outcome == counters::DropReason::kNone)
      given[arrival.frame].push_back(arrival.receiver);
  }
  std::vector<std::vector<const PairLog*>> pairs(log_.lives.size());  // by sender
  for (const PairLog& pair : index_.pairs()) {
    if (pair.welcomed) pairs[pair.sender].push_back(&pair);
  }
  std::vector<std::set<uint32_t>> reached(log_.publications.size());
  std::vector<bool> held_back(log_.publications.size());
  uint64_t repairs = 0;
  uint64_t needless = 0;
  for (size_t i = 0; i < log_.frames.size(); ++i) {
    const SentFrame& frame = log_.frames[i];
    if (frame.publication == kNobody) continue;
    std::set<uint32_t>& before = reached[frame.publication];
    const bool repair = frame.repair && !relayed.contains(frame.publication) &&
                        !held_back[frame.publication] && expects_such_round_trips(frame.life);
    if (frame.held_back) held_back[frame.publication] = true;
    repairs += repair ? 1 : 0;
    const std::vector<const PairLog*>& all = pairs[frame.life];
    const bool wanted = std::any_of(all.begin(), all.end(), [&](const PairLog* pair) {
      return pair->open_at <= frame.rel_seq && !before.contains(pair->receiver);
    });
    needless += repair && !wanted ? 1 : 0;
    before.insert(given[i].begin(), given[i].end());
    for (const PairLog* pair : all) {
      if (log_.lives[pair->receiver].died_ns <= frame.at_ns) before.insert(pair->receiver);
    }
  }
  return {repairs, needless};
}

}  // namespace

Violations check_bounds(const Scenario& scenario, const Log& log) {
  return Bounds(scenario, log).run();
}

}  // namespace lambdacast::sim
