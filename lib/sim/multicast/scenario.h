// SPDX-License-Identifier: BSD-3-Clause
// The scenario of a simulation: nodes, their publications and subscriptions, what happens to them,
// and what the fabric does to their frames. Together with a seed it determines a run completely.
//
//   0 ---- publications, faults ---- fabric.faults_end ---- epilogue ---- end
//
// At `epilogue_ns` every node that is alive publishes a few last messages to kEpilogueGroup, to
// which all subscribe: by `end_ns` all survivors must have them, and all else be settled.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "node/node.h"
#include "sim/engine/broadcast_fabric.h"
#include "sim/multicast/sim_endpoint.h"

namespace lambdacast::sim {

inline constexpr uint32_t kEpilogueGroup = 0xe9110906;
inline constexpr uint32_t kEpilogueMessages = 3;

struct Traffic {
  uint64_t messages = 0;             // published in all
  std::vector<uint32_t> publish_to;  // groups, taken in turn; not empty if messages > 0
  uint32_t unreliable_weight = 0;    // of each message's level of service
  uint32_t reliable_weight = 0;
  uint32_t ordered_weight = 1;
  // Totally ordered, K-resilient, majority, totally resilient: with membership only.
  std::array<uint32_t, 4> total_weights = {};
  uint32_t min_message_bytes = 16;  // at least kMessageIdBytes (message.h)
  uint32_t max_message_bytes = 64;  // beyond the path MTU minus 48 a message takes several packets
  // About one in so many messages of the level `long_from` or above takes two to eight packets. At
  // 0 none does.
  uint32_t long_one_in = 0;
  wire::Qos long_from = wire::Qos::kTotallyOrdered;
  uint64_t start_ns = 0;
  uint64_t publish_every_ns = 1000;  // one batch
  uint32_t batch_packets = 1;
};

struct NodeScenario {
  uint64_t first_frame_seq = 0;  // of its first life; later ones begin elsewhere
  uint32_t incarnation = 1;      // of its first life
  int32_t incarnation_step = 1;  // to the next one: negative if its clock was set back
  reliability::ReliabilityConfig repair;
  rate_control::PacerConfig pacer;
  rate_control::RateConfig rate;
  size_t max_peers = 64;
  size_t max_publications = 64;
  ordering::ReassemblyConfig reassembly = {.memory_bytes = size_t{1} << 16};
  std::vector<uint32_t> subscribe;  // and kEpilogueGroup
  Traffic traffic;                  // of its first life; a later one publishes what is left

  uint64_t clock_offset_ns = 1'000'000;
  int32_t clock_ppm = 0;
  uint64_t poll_every_ns = 0;           // at the earliest; 0: after each frame
  std::optional<uint64_t> coalesce_ns;  // short messages may share packets; nothing: they do not
  uint32_t poll_most = 64;              // packets handed on at a time: a slow consumer's is small
  uint32_t ring_frames = 1024;  // that may wait to be received; while faults last more are lost
  NodeWild wild;                // calm, as a rule
  // The fabric knows for certain whose lives have ended, and this node looks so long after each end
  // and each start. kNever: it does not look, and silence alone tells it.
  uint64_t looks_after_ns = kNever;
};

// Something happens to a node.
struct Action {
  enum class What : uint8_t { kStart, kCrash, kLeave, kPause, kResume, kNeed };
  uint64_t at_ns = 0;
  size_t node = 0;
  What what = What::kStart;
  uint64_t need_bps = 0;  // kNeed: that it has from then on; 0: as measured
};

// Views and total order, the same for all nodes. What is not told here is what every fabric has.
struct MembershipScenario {
  bool on = false;
  // initial_nodes 0: all. Who a node is, and who breaks a tie, the simulation fills in.
  membership::MembershipConfig views = {.initial_nodes = 0,
                                        .heartbeat_ns = 100'000,
                                        .suspect_after_ns = 10'000'000,
                                        .retry_ns = 50'000,
                                        .ack_ns = 5'000};
  ordering::TotalOrderConfig order = {.stream_pkts = 256, .domains = 16};
  bool rates = false;                 // members announce their rates
  size_t tie_breaker = 0;             // node
  uint64_t linger_ns = 0;             // who is told that it is out goes on for so long, and ends,
  uint64_t return_after_ns = kNever;  // and starts again so much later
};

// Groups with names, the same for all nodes: with membership only.
struct GroupScenario {
  bool on = false;
  uint64_t act_every_ns = 200'000;  // joins, leaves, publications
  uint64_t busy_ns = 0;             // then nothing but what is still to be said
  bool locks = false;  // applications ask for locks, give them back, and write by their tokens
  // They also ask for locks of the group of the second name, which needs two members with state.
  bool suspended_locks = false;
  bool calls = false;  // and call one another's groups
  // And call them as if from outside the view: by sessions, of which a group remembers so many,
  // and through entries. 0: they do not.
  uint32_t sessions = 0;
};

struct Scenario {
  std::vector<NodeScenario> nodes;
  std::vector<Action> actions;  // a node lives from its first kStart on
  FabricConfig fabric;          // receivers: filled up to one per node
  MembershipScenario membership;
  GroupScenario groups;
  bool ipv6 = false;
  uint32_t path_mtu = 1024;
  // Nodes may need so much longer than settling_ns() to agree on shares behind faults.
  uint64_t unshared_ns = 0;
  uint64_t epilogue_ns = 50'000'000;
  uint64_t end_ns = 100'000'000;
};

// The identity of node `node`: same queue pairs and keys for all, address and MAC by number.
[[nodiscard]] node::EndpointIdentity node_identity(const Scenario& scenario, size_t node);

// The configuration of the node's life number `life` (0, 1, ...).
[[nodiscard]] node::NodeConfig node_config(const Scenario& scenario, size_t node, uint32_t life);
// The surroundings of a node, drawn from the seed.
[[nodiscard]] EndpointScenario endpoint_scenario(const Scenario& scenario, size_t node,
                                                 uint64_t seed);

// `nodes` alike, all started at 0, with timers a hundred times shorter than an appliance's; without
// faults and without traffic.
[[nodiscard]] Scenario quiet_scenario(size_t nodes);

// By then all stages of the node have had a turn.
[[nodiscard]] uint64_t turns_ns(const NodeScenario& node);
// The slowest consumer takes this long for what full receive windows of all streams hold.
[[nodiscard]] uint64_t consuming_ns(const Scenario& scenario);
// A time after the end of all faults in which everything must have settled.
[[nodiscard]] uint64_t settling_ns(const Scenario& scenario);

}  // namespace lambdacast::sim
