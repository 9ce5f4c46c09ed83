// SPDX-License-Identifier: BSD-3-Clause
// The tables of keys: the one place where a key is described.
#include <fmt/format.h>

#include <algorithm>

#include "config/member_key.h"

namespace lambdacast::config {
namespace {

constexpr int64_t kMaxU32 = 0xffffffff;
constexpr int64_t kMaxRatePps = 1'000'000'000;
constexpr int64_t kMaxQpn = 0xfffffe;  // 0xffffff addresses a multicast group; 0 and 1 are reserved
constexpr std::size_t kMaxGroups = 65536;
constexpr std::size_t kMaxEalArgs = 64;
constexpr std::size_t kMaxEalArgChars = 256;

// ---- forms of text ----

bool is_multicast_text(std::string_view text) {
  const auto address = parse_ip(text);
  return address && is_multicast(*address);
}
bool is_mac_text(std::string_view text) {
  const auto mac = wire::parse_mac(text);
  return mac && is_unicast(*mac);
}
bool is_channel_text(std::string_view text) { return wdm::channel_from_name(text).has_value(); }
bool is_eal_arg(std::string_view text) {
  // "--" would end EAL's arguments and start the application's.
  return !text.empty() && text.size() <= kMaxEalArgChars && text != "--" &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

const Form kPortForm{is_port, "a DPDK device with any ,argument=value, or verbs:DEVICE[/PORT]"};
const Form kDeviceForm{is_device, "a DPDK device as in port"};
const Words kPortLoss{{name(PortLoss::kEnd), name(PortLoss::kWait)}};
const Words kRxQueues{{name(RxQueues::kOne), name(RxQueues::kWavelength)}};
const Range kLcoreRange{0, kMaxLcores - 1};

std::string multicast_default() {
  return fmt::format("\"{}\"; for IPv6 \"{}\"", default_multicast(false).text,
                     default_multicast(true).text);
}

// lcore has no member of its own: it sets the four stages, and `stages`, read later, may differ.
void store_lcore(Endpoint& endpoint, const Value& value) {
  const auto id = static_cast<uint32_t>(std::get<int64_t>(value));
  endpoint.stages = {id, id, id, id};
}

// Who it is and what it is attached to.
std::span<const KeyOf<Endpoint>> endpoint_identity_keys() {
  using E = Endpoint;
  static const KeyOf<E> keys[] = {
      key<&E::name>("name", "", name_form(), "The endpoint, in every report and counter",
                    Presence::kRequiredOwn),
      key<&E::address>("address", "", Form{is_unicast_text, "an IPv4 or IPv6 unicast address"},
                       "The endpoint's own address; its GID is made of it", Presence::kRequiredOwn),
      key<&E::wavelength>("wavelength", "",
                          Form{is_channel_text, "\"C21\" to \"C60\" or \"H21\" to \"H60\""},
                          "The wavelength it transmits on in the embedded fabric, by its channel "
                          "in ITU-T G.694.1 (H with fabric.grid = \"50GHz\" only); either this or "
                          "port",
                          Presence::kOwn),
      key<&E::port>("port", "", kPortForm,
                    "The device it uses in place of the embedded fabric: DPDK's, or "
                    "verbs:DEVICE for one of libibverbs; either this or wavelength",
                    Presence::kOwn),
      key<&E::rx_ports>("rx_ports", "", TextList{kDeviceForm, kMaxRxPorts},
                        "The devices it receives on, one for each wavelength demultiplexed; port "
                        "then only transmits, unless it is among them",
                        Presence::kOwn),
      key<&E::rx_queues>("rx_queues", "", kRxQueues,
                         "Receive queues on the embedded fabric: one, or one a wavelength, polled "
                         "in turn"),
      key<&E::on_port_loss>("on_port_loss", "", kPortLoss,
                            "When the interface of its port is taken away: the process ends with "
                            "a reason, or waits until it is back and begins anew"),
      key<&E::mac>("mac", "", Form{is_mac_text, "six hexadecimal pairs, not a group address"},
                   "Its MAC address, if not the port's own", Presence::kOwn),
  };
  return keys;
}

// What its frames say.
std::span<const KeyOf<Endpoint>> endpoint_wire_keys() {
  using E = Endpoint;
  static const KeyOf<E> keys[] = {
      {{"multicast", "", Form{is_multicast_text, "a multicast address of the family of address"},
        Presence::kOptional, "The address all endpoints of the fabric send to and listen on",
        multicast_default},
       [](E& endpoint, const Value& value) { assign(endpoint.multicast, value); },
       [](const E& endpoint) { return show(endpoint.multicast); },
       [](const E& endpoint) { return value_of(endpoint.multicast); }},
      key<&E::vlan>("vlan", "", Range{1, 4094}, "The VLAN of its frames, if they have a tag"),
      key<&E::path_mtu>("path_mtu", "bytes", OneOf{{256, 512, 1024, 2048, 4096}},
                        "The longest RoCE payload, 48 bytes of transport header included"),
      key<&E::data_qpn>("data_qpn", "", Range{2, kMaxQpn, true},
                        "The queue pair of data; never that of control"),
      key<&E::control_qpn>("control_qpn", "", Range{2, kMaxQpn, true},
                           "The queue pair of control; never that of data"),
      key<&E::qkey>("qkey", "", Range{0, kMaxU32, true},
                    "The Q_Key it sends and demands; frames with another are dropped and counted"),
      key<&E::pkey>("pkey", "", Range{0, 0xffff, true},
                    "The P_Key it sends and demands; frames with another are dropped and counted"),
      key<&E::icrc>("icrc", "",
                    Words{{name(wire::IcrcMode::kFull), name(wire::IcrcMode::kGenerate),
                           name(wire::IcrcMode::kOff)}},
                    "The ICRC: made and verified; made but not verified, where ports verify it; or "
                    "neither, sent as zero and not looked at, so that damage goes unnoticed and "
                    "receivers that verify take nothing"),
  };
  return keys;
}

// What it runs on.
std::span<const KeyOf<Endpoint>> endpoint_resource_keys() {
  using E = Endpoint;
  static const KeyOf<E> keys[] = {
      {{"lcore", "", kLcoreRange, Presence::kOptional,
        "The lcore that runs all four stages, except those that stages names",
        [] { return std::string("0"); }},
       store_lcore,
       [](const E&) { return std::string("none"); }},
      key<&E::burst>("burst", "packets", Range{1, 256}, "The most a stage moves at a time"),
      key<&E::link_slots>("link_slots", "packets", PowerOfTwo{64, 65536},
                          "What each link between two stages holds; a full link holds its "
                          "producer back (the application's: two bursts, 64 at least)"),
      key<&E::rx_descriptors>("rx_descriptors", "descriptors", Range{32, 32768},
                              "The port's receive queue; the device may demand more or less"),
      key<&E::tx_descriptors>("tx_descriptors", "descriptors", Range{32, 32768},
                              "The port's transmit queue; the device may demand more or less"),
      key<&E::mbufs>("mbufs", "mbufs", Range{512, 1 << 22},
                     "Its own pool of packet buffers; at least both descriptor counts and two "
                     "bursts"),
      key<&E::max_peers>("max_peers", "transmitters", Range{1, 1024},
                         "The transmitters it keeps receive state for; places of those that are "
                         "gone are used again, and frames of more are dropped and counted"),
  };
  return keys;
}

// What it carries.
std::span<const KeyOf<Endpoint>> endpoint_message_keys() {
  using E = Endpoint;
  using R = ordering::ReassemblyConfig;
  static const KeyOf<E> keys[] = {
      key<&E::reassembly, &R::max_message_bytes>(
          "max_message_bytes", "bytes", Range{1, wire::kMaxMessageBytes},
          "The longest message it sends or puts together; what exceeds a packet goes in fragments"),
      key<&E::reassembly, &R::memory_bytes>(
          "reassembly_bytes", "bytes", PowerOfTwo{65536, 1 << 30},
          "Memory for messages that arrive in fragments; at least twice max_message_bytes"),
      key_in_ms<&E::reassembly, &R::timeout_ns>(
          "reassembly_ms", Range{1, 60000},
          "How long an unreliable message may hear of no further fragment before it is given up"),
      key_in_ms<&E::reassembly, &R::recoverable_timeout_ns>(
          "reassembly_recoverable_ms", Range{1000, 3600000},
          "Likewise a reliable or source ordered one: its sender is gone, for otherwise it comes "
          "whole"),
      key_in_us<&E::coalesce_ns>("coalesce_us", Range{0, 10000},
                                 "How long a short message may wait for others to share its "
                                 "packet while the link is busy; 0 gives each its own"),
      key<&E::groups>("groups", "", IntegerList{{1, kMaxU32, true}, kMaxGroups},
                      "The groups it delivers to its application. With membership numbers up to "
                      "2147483647: the others are for groups with names"),
      key<&E::pacer, &rate_control::PacerConfig::units_per_second>(
          "rate_pps", "packets/s", Range{0, kMaxRatePps},
          "The most it transmits, all kinds together; 0 is unlimited"),
  };
  return keys;
}

}  // namespace

std::span<const KeyOf<Endpoint>> endpoint_keys() {
  static const auto keys = [] {
    std::vector<KeyOf<Endpoint>> list;
    for (const auto& part : {endpoint_identity_keys(), endpoint_wire_keys(),
                             endpoint_resource_keys(), endpoint_message_keys()}) {
      list.insert(list.end(), part.begin(), part.end());
    }
    return list;
  }();
  return keys;
}

std::span<const KeyOf<StageLcores>> stages_keys() {
  constexpr auto like_lcore = [] { return std::string("lcore"); };
  using S = StageLcores;
  static const auto keys = [&] {
    std::vector<KeyOf<S>> list = {
        key<&S::receive>("receive", "", kLcoreRange,
                         "The lcore of receive: parsing, checks, classification"),
        key<&S::reliability>("reliability", "", kLcoreRange,
                             "The lcore of reliability: gaps and duplicates"),
        key<&S::ordering>("ordering", "", kLcoreRange, "The lcore of ordering: delivery"),
        key<&S::rate_control>("rate_control", "", kLcoreRange,
                              "The lcore of rate_control: everything transmitted"),
    };
    for (auto& each : list) each.default_text = like_lcore;
    return list;
  }();
  return keys;
}

std::span<const KeyOf<Traffic>> traffic_keys() {
  using T = Traffic;
  using wire::Qos;
  static const KeyOf<T> keys[] = {
      key<&T::enabled>("enabled", "", AnyBoolean{}, "Whether the built-in application publishes"),
      key<&T::group>("group", "", Range{1, kMaxU32, true}, "The group it publishes to"),
      key<&T::payload_bytes>("payload_bytes", "bytes", Range{0, wire::kMaxMessageBytes},
                             "Application bytes in each message; at most max_message_bytes"),
      key<&T::coalesce>("coalesce", "", AnyBoolean{},
                        "Whether its messages may share packets (coalesce_us)"),
      key<&T::rate_pps>("rate_pps", "packets/s", Range{0, kMaxRatePps},
                        "Messages it publishes; 0 is as fast as the endpoint takes them"),
      key<&T::qos>("qos", "",
                   Words{{name(Qos::kUnreliable), name(Qos::kReliable), name(Qos::kSourceOrdered),
                          name(Qos::kTotallyOrdered), name(Qos::kKResilient), name(Qos::kMajority),
                          name(Qos::kTotallyResilient)}},
                   "The service it asks for; from total on it needs membership"),
  };
  return keys;
}

std::span<const KeyOf<Neighbor>> neighbor_keys() {
  using N = Neighbor;
  static const KeyOf<N> keys[] = {
      key<&N::address>("address", "", Form{is_unicast_text, "an IPv4 or IPv6 unicast address"},
                       "A peer's address, of the family of the endpoint's", Presence::kRequired),
      key<&N::mac>("mac", "", Form{is_mac_text, "six hexadecimal pairs, not a group address"},
                   "The MAC address its frames go to", Presence::kRequired),
  };
  return keys;
}

std::span<const KeyOf<Lcore>> lcore_keys() {
  using L = Lcore;
  static const KeyOf<L> keys[] = {
      key<&L::id>("id", "", kLcoreRange, "The lcore, as endpoints name it", Presence::kRequired),
      key<&L::idle>(
          "idle", "",
          Words{{name(IdlePolicy::kSpin), name(IdlePolicy::kPause), name(IdlePolicy::kSleep)}},
          "What it does when no stage has work: poll on, poll with a pause instruction, "
          "or leave the core; with more lcores than cores, sleep"),
      key<&L::sleep_us>("sleep_us", "us", Range{1, 10000},
                        "How long it leaves the core first; only with idle = \"sleep\""),
      key<&L::sleep_max_us>("sleep_max_us", "us", Range{1, 10000},
                            "And at most: each sleep of a silence is twice the last. Choose "
                            "slots, or descriptors, for what may come in that time"),
  };
  return keys;
}

std::span<const KeyOf<Eal>> eal_keys() {
  static const KeyOf<Eal> keys[] = {
      key<&Eal::args>(
          "args", "",
          TextList{{is_eal_arg, "1 to 256 printable characters, not \"--\""}, kMaxEalArgs},
          "Arguments for EAL, after those the program makes itself"),
  };
  return keys;
}

}  // namespace lambdacast::config
