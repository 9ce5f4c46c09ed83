// The configuration of one Lambdacast process: what a TOML file says, as plain values with units in
// their names. A Config that `parse` returned is valid and consistent; nothing in it has to be
// checked again.
//
// The initialisers below ARE the defaults: keys.cc binds each member to its key, range and help
// sentence, and the reference in doc/guide.md is generated from both. Pure: no DPDK, and only
// `load_file` reads a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "config/address.h"
#include "wdm/channel.h"
#include "wdm/power_budget.h"

namespace lambdacast::config {

inline constexpr uint32_t kMaxEndpoints = 32;  // the ports Debian's DPDK allows a process
inline constexpr uint32_t kMaxLcores = 128;
inline constexpr uint32_t kMaxRxPorts = 31;     // of an endpoint, beside its own
inline constexpr uint32_t kMaxNeighbors = 128;  // of an endpoint
// Around a RoCE payload at most: Ethernet 14, VLAN 4, IPv6 40, UDP 8, BTH 12, DETH 8, ImmDt 4,
// ICRC 4.
inline constexpr uint32_t kMaxFrameOverheadBytes = 14 + 4 + 40 + 8 + 12 + 8 + 4 + 4;
// Of a RoCE payload; equal to the transport header of lib/wire, which configuration may not
// include.
inline constexpr uint32_t kTransportHeaderBytes = 48;

// With membership, group numbers from here on are those of groups with names.
inline constexpr uint32_t kFirstNamedGroup = uint32_t{1} << 31;

// The longest message, as lib/wire has it.
inline constexpr uint32_t kMaxMessageBytes = 16u << 20;

// The group address of the fabric if a file names none, by the family of the endpoint's address.
[[nodiscard]] IpAddress default_multicast(bool is_v6);

// [fabric]: the embedded ODBSS that endpoints with a wavelength attach to.
struct Fabric {
  std::string name;             // of the control file in /dev/shm
  uint32_t wavelengths = 40;    // rings in the data segment
  uint32_t slots = 1024;        // frames a ring holds, a power of two
  uint32_t frame_bytes = 4464;  // the longest frame, ICRC included
  wdm::Grid grid = wdm::Grid::k100GHz;
  uint64_t line_rate_bps = 0;  // of each wavelength; 0: unlimited
  wdm::CouplerOptics coupler;  // [fabric.optical]
};

// What an lcore does when none of its stages has work.
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
  uint32_t sleep_max_us = 1000;  // likewise
};

// The lcore that runs each stage of one endpoint.
struct StageLcores {
  uint32_t receive = 0;
  uint32_t reliability = 0;
  uint32_t ordering = 0;
  uint32_t rate_control = 0;
  bool operator==(const StageLcores&) const = default;
};

// Faults the embedded fabric injects at this endpoint's receiver.
struct Faults {
  double loss = 0;       // probability per frame
  double corrupt = 0;    // probability per frame
  double duplicate = 0;  // probability per frame
  uint64_t seed = 1;
  double burst_enter = 0;  // bursts of loss: probability per frame that one begins
  double burst_leave = 0.1;
  double burst_loss = 1;
  uint64_t delay_ns = 0;
  uint64_t jitter_ns = 0;
  uint64_t rx_rate_bps = 0;  // 0: unlimited
  uint64_t rx_buffer_bytes = 256 << 10;
  [[nodiscard]] bool any() const {
    return loss > 0 || corrupt > 0 || duplicate > 0 || burst_enter > 0 || delay_ns != 0 ||
           jitter_ns != 0 || rx_rate_bps != 0;
  }
};

// The service asked for: the levels of wire::Qos, in its order.
enum class Qos : uint8_t {
  kUnreliable,
  kReliable,
  kSourceOrdered,
  kTotallyOrdered,
  kKResilient,
  kMajority,
  kTotallyResilient
};

// What a sender does about a receiver that holds its window back.
enum class SlowReceiver : uint8_t { kPace, kEvict };

// Where a newcomer enters a stream.
enum class LateJoin : uint8_t { kNow, kRetained };

// [endpoint.reliability]: of messages that are not unreliable. Windows in packets.
struct Reliability {
  uint32_t transmit_window = 1024;             // retained for repair, a power of two
  uint32_t transmit_window_bytes = 64u << 20;  // of frames, likewise
  uint32_t receive_window = 1024;              // positions of each sender, a power of two
  uint32_t in_flight = 512;                    // beyond what all receivers have heard of
  uint32_t hold = 1024;                        // that wait for earlier ones, of all senders
  uint32_t status_us = 20;                     // between two statuses, at least
  uint32_t heartbeat_us = 10000;               // between heartbeats, statuses too, at most
  uint32_t nack_delay_us = 0;                  // reordering to expect
  uint32_t nack_backoff_us = 0;                // RFC 5401's
  uint32_t repair_share = 50;                  // percent of the frames while data waits
  SlowReceiver slow_receiver = SlowReceiver::kPace;
  LateJoin late_join = LateJoin::kNow;
  uint32_t evict_lag_ms = 50;
  uint32_t suspect_after_ms = 2000;
  uint32_t repair_deadline_ms = 5000;
  uint32_t retain_ms = 10000;
  uint32_t initial_rtt_us = 100;
};

// [endpoint.membership]: views and total order, the same at every node of a fabric.
struct Membership {
  bool enabled = false;
  uint32_t initial_nodes = 2;            // that the first view ever needs
  uint32_t minimum_partition = 1;        // members that a view has at least
  std::optional<IpAddress> tie_breaker;  // with whom exactly half of a view goes on
  uint32_t heartbeat_us = 1000;          // between two signs of life
  uint32_t suspect_after_us = 1'000'000;
  uint32_t retry_us = 200;           // of a ballot's frames that are not answered
  uint32_t ack_us = 20;              // between two acknowledgements, at least
  uint32_t k = 1;                    // K-resilient: more than so many members hold it
  uint32_t order_domains = 1024;     // groups share them by hash; a power of two
  uint32_t names = 16384;            // of groups, in the whole fabric; a power of two
  uint32_t state_bytes = 64u << 20;  // of snapshots on their way, and what waits for them
};

// Who sees to the ICRC of an endpoint's frames.
enum class Icrc : uint8_t {
  kFull,      // made and verified
  kGenerate,  // made, not verified
  kOff,       // neither: sent as zero, not looked at
};

// The built-in application of an endpoint: publishes messages of one size at one rate.
struct Traffic {
  bool enabled = false;
  uint32_t group = 1;
  uint32_t payload_bytes = 16;  // application bytes, any message length
  bool coalesce = false;        // whether its messages may share packets
  uint64_t rate_pps = 0;        // 0: as fast as the endpoint takes them
  Qos qos = Qos::kUnreliable;
};

// How an endpoint of the embedded fabric polls the wavelengths it hears.
enum class RxQueues : uint8_t {
  kOne,         // one receive queue for all
  kWavelength,  // one for each, in turn
};

// [[endpoint.neighbor]]: where a peer is, for networks on which it cannot be asked.
struct Neighbor {
  IpAddress address;
  MacBytes mac{};
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
  std::optional<MacBytes> mac;             // none: the port's own
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
  Icrc icrc = Icrc::kFull;
  uint32_t max_message_bytes = kMaxMessageBytes;  // sent, and put together from fragments
  uint32_t reassembly_bytes = 64u << 20;          // a power of two, at least twice the above
  uint32_t reassembly_ms = 100;                   // of silence end the wait for a fragment
  uint32_t reassembly_recoverable_ms = 60'000;    // likewise of a message that is recoverable
  uint32_t coalesce_us = 10;                      // 0: no shared packets
  std::vector<uint32_t> groups = {1};             // subscribed
  uint64_t rate_pps = 0;                          // all the endpoint transmits; 0: unlimited
  std::vector<Neighbor> neighbors;                // with a port
  wdm::NodeOptics optics;                         // [endpoint.optical]
  Faults faults;                                  // zero unless it has a wavelength
  Traffic traffic;
  Reliability reliability;
  Membership membership;
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

// One line each, with its newline.
[[nodiscard]] std::string text(const std::vector<Problem>& problems);

[[nodiscard]] std::string_view name(IdlePolicy policy);
[[nodiscard]] std::string_view name(Qos qos);
[[nodiscard]] std::string_view name(SlowReceiver policy);
[[nodiscard]] std::string_view name(LateJoin policy);
[[nodiscard]] std::string_view name(RxQueues queues);
[[nodiscard]] std::string_view name(Icrc icrc);

}  // namespace lambdacast::config
