// SPDX-License-Identifier: BSD-3-Clause
// The configuration of one Lambdacast process: what a TOML file says, as plain values with units in
// their names. A Config that `parse` returned is valid and consistent; nothing in it has to be
// checked again.
//
// A part that has a configuration struct of its own is configured in that struct: a section holds
// it, or is it. The tables in keys.cc, reliability_keys.cc, membership_keys.cc and light_keys.cc
// bind each member to its key, unit, range and help sentence. The members' initialisers ARE the
// defaults, here and there; the reference in doc/guide/configuration.md is generated from both.
// Pure: no DPDK, and only `load_file` reads a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "config/address.h"
#include "fabric/faults.h"
#include "fabric/geometry.h"
#include "group/group_config.h"
#include "membership/membership_config.h"
#include "ordering/ordering_config.h"
#include "rate_control/group_limits.h"
#include "rate_control/pacer.h"
#include "rate_control/rate_config.h"
#include "reliability/reliability_config.h"
#include "wdm/channel.h"
#include "wdm/power_budget.h"
#include "wire/control/transport.h"
#include "wire/roce/icrc.h"

namespace lambdacast::config {

inline constexpr uint32_t kMaxEndpoints = 32;  // the ports Debian's DPDK allows a process
inline constexpr uint32_t kMaxLcores = 128;
inline constexpr uint32_t kMaxRxPorts = 31;     // of an endpoint, beside its own
inline constexpr uint32_t kMaxNeighbors = 128;  // of an endpoint
// Around a RoCE payload at most: Ethernet 14, VLAN 4, IPv6 40, UDP 8, BTH 12, DETH 8, ImmDt 4,
// ICRC 4.
inline constexpr uint32_t kMaxFrameOverheadBytes = 14 + 4 + 40 + 8 + 12 + 8 + 4 + 4;

// The group address of the fabric if a file names none, by the family of the endpoint's address.
[[nodiscard]] IpAddress default_multicast(bool is_v6);

// [fabric]: the embedded ODBSS that endpoints with a wavelength attach to.
struct Fabric {
  std::string name;                                       // of the control file in /dev/shm
  uint32_t wavelengths = fabric::Geometry{}.wavelengths;  // rings in the data segment
  uint32_t slots = fabric::Geometry{}.slots;              // frames a ring holds, a power of two
  uint32_t frame_bytes = fabric::Geometry{}.frame_bytes;  // the longest frame, ICRC included
  wdm::Grid grid = wdm::Grid::k100GHz;
  uint64_t line_rate_bps = 0;  // of each wavelength; 0: unlimited
  wdm::CouplerOptics coupler;  // [fabric.optical]
};

// How an lcore idles when none of its stages has work.
enum class IdlePolicy : uint8_t {
  kSpin,   // poll again at once
  kPause,  // one pause instruction between polls
  kSleep,  // leave the core for sleep_us, and longer while nothing comes
};

// [[lcore]]
struct Lcore {
  uint32_t id = 0;
  IdlePolicy idle = IdlePolicy::kPause;
  uint32_t sleep_us = 50;        // with IdlePolicy::kSleep only
  uint32_t sleep_max_us = 1000;  // with IdlePolicy::kSleep only
};

// The lcore that runs each stage of one endpoint.
struct StageLcores {
  uint32_t receive = 0;
  uint32_t reliability = 0;
  uint32_t ordering = 0;
  uint32_t rate_control = 0;
  bool operator==(const StageLcores&) const = default;
};

// [endpoint.membership]: views, total order and groups with names, the same at every node of a
// fabric.
struct Membership {
  bool enabled = false;
  membership::MembershipConfig views;
  ordering::TotalOrderConfig order;
  group::GroupConfig groups;
  std::string tie_breaker;  // the address that views.tie_breaker is the GID of, as written
};

// [endpoint.requests]: calls of the endpoint, and what it does for those of others.
struct Requests {
  group::RequestsConfig limits;
  std::vector<std::string> entries;  // addresses of members, without membership
};

// The built-in application of an endpoint: publishes messages of one size at one rate.
struct Traffic {
  bool enabled = false;
  uint32_t group = 1;
  uint32_t payload_bytes = 16;  // application bytes, any message length
  bool coalesce = false;        // whether its messages may share packets
  uint64_t rate_pps = 0;        // 0: as fast as the endpoint takes them
  wire::Qos qos = wire::Qos::kUnreliable;
};

// How an endpoint of the embedded fabric polls the wavelengths it hears.
enum class RxQueues : uint8_t {
  kOne,         // one receive queue for all
  kWavelength,  // one for each, in turn
};

// How the process goes on when the device of a port is taken away.
enum class PortLoss : uint8_t {
  kEnd,   // it ends, with a reason
  kWait,  // it waits until the device is back, and begins anew
};

// [[endpoint.neighbor]]: where a peer is, for networks on which it cannot be asked.
struct Neighbor {
  IpAddress address;
  wire::MacAddress mac;
};

// [[endpoint]], with [endpoint_defaults] and [traffic] already merged in.
struct Endpoint {
  std::string name;
  IpAddress address;                       // unicast; its GID
  std::optional<wdm::Channel> wavelength;  // of the embedded fabric: either this
  uint32_t wavelength_index = 0;           // of that channel on the fabric's grid
  std::string port;                        // or a DPDK device string; never both, never neither
  std::vector<std::string> rx_ports;       // with a port: where it receives instead
  RxQueues rx_queues = RxQueues::kOne;     // with a wavelength
  PortLoss on_port_loss = PortLoss::kEnd;  // with a port
  std::optional<wire::MacAddress> mac;     // none: the port's own
  IpAddress multicast = default_multicast(false);  // of the same family as address
  std::optional<uint16_t> vlan;                    // none: untagged
  uint32_t path_mtu = 4096;  // longest RoCE payload, transport header included, bytes
  uint32_t data_qpn = 0x11;
  uint32_t control_qpn = 0x12;  // never data_qpn
  uint32_t qkey = 0x11111111;
  uint16_t pkey = 0xffff;
  StageLcores stages;
  uint32_t burst = 32;         // packets a stage moves at a time, at most
  uint32_t link_slots = 1024;  // packets a link between two stages holds, a power of two
  uint32_t rx_descriptors = 1024;
  uint32_t tx_descriptors = 1024;
  uint32_t mbufs = 8192;    // in the endpoint's own pool
  uint32_t max_peers = 80;  // transmitters heard, at most
  wire::IcrcMode icrc = wire::IcrcMode::kFull;
  ordering::ReassemblyConfig reassembly;  // its longest message is also the longest one sent
  uint64_t coalesce_ns = 10'000;          // 0: no shared packets
  std::vector<uint32_t> groups = {1};     // subscribed
  // All the endpoint transmits, in packets; after a pause it may send a burst of that many at once.
  rate_control::PacerConfig pacer = {.burst_units = 64};
  std::vector<Neighbor> neighbors;  // with a port
  wdm::NodeOptics optics;           // [endpoint.optical]
  fabric::FaultRates faults;        // at its receiver; zero unless it has a wavelength
  Traffic traffic;
  // [endpoint.reliability]. Its first four members, and those of other structs that name the
  // endpoint or count its peers, are not settings: whoever makes the endpoint fills them in.
  reliability::ReliabilityConfig reliability;
  Membership membership;
  Requests requests;
  // [endpoint.rate]: what is not a setting of its own follows from the rest.
  rate_control::RateConfig rate;
  std::vector<rate_control::GroupRate> group_rates;  // [[endpoint.group_rate]]
};

// Something a file says that it must not (or, among warnings, that is of no use), in the words of
// text():
//   config/rack4.toml:17: endpoint.path_mtu: 1500 is not allowed; allowed: 256, 512, 1024, 2048 or
//   4096 bytes
struct Problem {
  std::string file;
  unsigned line = 0;    // from 1; 0 if the file cannot be read at all
  unsigned column = 0;  // from 1, for TOML syntax; else 0
  std::string key;      // with its sections, e.g. endpoint.faults.loss; empty for TOML syntax
  std::string value;    // as TOML; empty where there is none (a missing key)
  std::string reason;   // what is wrong, a clause whose subject is the value
  std::string allowed;  // what would be right; may be empty

  [[nodiscard]] std::string text() const;
};

struct Config {
  std::optional<Fabric> fabric;     // as the file has it; set if any endpoint has a wavelength
  std::vector<Endpoint> endpoints;  // 1..kMaxEndpoints, in the file's order
  std::vector<Lcore>
      lcores;  // every lcore that a stage uses, once, by id; default or as configured
  std::vector<std::string> eal_args;  // to append to EAL's
  std::vector<Problem> warnings;      // what the file says in vain
};

// All problems of the file, by line; never an empty list.
using Loaded = tl::expected<Config, std::vector<Problem>>;

// source_name is what the problems call the text.
[[nodiscard]] Loaded parse(std::string_view toml, std::string_view source_name);
[[nodiscard]] Loaded load_file(const std::filesystem::path& path);

// A configuration that a program made, held to the rules of a file: what follows from other members
// is filled in (wavelength_index, the lcores in use, the coupler's ports, the tie-breaker's GID).
[[nodiscard]] Loaded complete(Config config, std::string_view source_name);
// The same of what an endpoint may send: the first thing that is wrong with it.
[[nodiscard]] base::Result<void> check_rates(const Endpoint& endpoint);
[[nodiscard]] base::Result<void> check_group_rate(const rate_control::GroupRate& rate);

// One line each, with its newline.
[[nodiscard]] std::string text(const std::vector<Problem>& problems);

[[nodiscard]] std::string_view name(IdlePolicy policy);
[[nodiscard]] std::string_view name(RxQueues queues);
[[nodiscard]] std::string_view name(PortLoss policy);
[[nodiscard]] std::string_view name(wire::Qos qos);
[[nodiscard]] std::string_view name(wire::IcrcMode icrc);
[[nodiscard]] std::string_view name(reliability::SlowReceiver policy);
[[nodiscard]] std::string_view name(reliability::LateJoin policy);
[[nodiscard]] std::string_view name(rate_control::Policy policy);
[[nodiscard]] std::string_view name(ordering::Order order);
// The policy that `auto` stands for there.
[[nodiscard]] rate_control::Policy rate_policy(const Endpoint& endpoint);

}  // namespace lambdacast::config
