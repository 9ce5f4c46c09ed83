// SPDX-License-Identifier: BSD-3-Clause
// The rules between keys. Each speaks only of keys that are valid by themselves: what `reader`
// reported is not reported again in another guise.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "config/draft.h"

namespace lambdacast::config {
namespace {

void check_count(const FileDraft& draft, Report& report) {
  const std::string allowed = fmt::format("1..{} [[endpoint]] sections", kMaxEndpoints);
  if (!draft.sections.mentions("endpoint")) {
    Origin origin;
    origin.line = 1;
    origin.key = "endpoint";
    report.add(origin, "is missing", allowed);
  }
  if (draft.endpoints.size() > kMaxEndpoints) {
    report.add(draft.endpoints[kMaxEndpoints].origins.section(),
               fmt::format("is number {} of {}", kMaxEndpoints + 1, draft.endpoints.size()),
               allowed);
  }
}

// No two endpoints may share what `key` holds; equal(a, b) tells whether they do.
template <typename Equal>
void check_unique(const FileDraft& draft, std::string_view key, Report& report, Equal equal) {
  for (std::size_t i = 0; i < draft.endpoints.size(); ++i) {
    const Draft<Endpoint>& late = draft.endpoints[i];
    const Origin* origin = late.origins.find(key);
    if (!origin) continue;
    for (std::size_t j = 0; j < i; ++j) {
      const Draft<Endpoint>& early = draft.endpoints[j];
      const Origin* first = early.origins.find(key);
      if (!first || !equal(early.value, late.value)) continue;
      report.add(*origin,
                 fmt::format("of {} is that of {} (line {}) already", title(late), title(early),
                             first->line),
                 fmt::format("another {} for each endpoint", key));
      break;
    }
  }
}

// Whether a device, by its name, is one that the endpoint transmits or receives on.
bool uses(const Endpoint& endpoint, std::string_view device) {
  const auto same = [&](std::string_view other) {
    return device_name(other) == device_name(device);
  };
  return same(endpoint.port) ||
         std::any_of(endpoint.rx_ports.begin(), endpoint.rx_ports.end(), same);
}

void check_rx_ports_unique(const FileDraft& draft, Report& report) {
  for (std::size_t i = 0; i < draft.endpoints.size(); ++i) {
    const Draft<Endpoint>& late = draft.endpoints[i];
    const Origin* origin = late.origins.find("rx_ports");
    if (!origin) continue;
    for (const std::string& port : late.value.rx_ports) {
      for (std::size_t j = 0; j < i; ++j) {
        if (!uses(draft.endpoints[j].value, port)) continue;
        report.add(*origin,
                   fmt::format("of {} has {}, a device of {} already", title(late),
                               device_name(port), title(draft.endpoints[j])),
                   "other devices for each endpoint");
      }
    }
  }
}

void check_all_unique(const FileDraft& draft, Report& report) {
  using E = Endpoint;
  const auto unique = [&](std::string_view key, auto equal) {
    check_unique(draft, key, report, equal);
  };
  unique("name", [](const E& a, const E& b) { return a.name == b.name; });
  unique("address", [](const E& a, const E& b) { return a.address == b.address; });
  // A verbs device gives queue pairs to as many endpoints as want some.
  unique("port", [](const E& a, const E& b) { return !verbs_port(b.port) && uses(a, b.port); });
  unique("mac", [](const E& a, const E& b) { return a.mac == b.mac; });
}

// What only one of the two attachments can do.
void check_receiving(const Draft<Endpoint>& draft, Report& report) {
  const Origins& origins = draft.origins;
  const bool has_port = origins.mentions("port");
  const std::vector<std::string>& ports = draft.value.rx_ports;
  if (const Origin* rx_ports = origins.find("rx_ports")) {
    if (!ports.empty() && !has_port) {
      report.add(*rx_ports,
                 fmt::format("is for {}, which has no port to transmit on", title(draft)),
                 "[], or a port in place of the wavelength");
    }
    std::set<std::string_view> names;
    for (const std::string& port : ports) {
      if (names.insert(device_name(port)).second) continue;
      report.add(*rx_ports, fmt::format("has {} twice", device_name(port)), "each device once");
    }
  }
  const Origin* rx_queues = origins.find("rx_queues");
  if (rx_queues && has_port && draft.value.rx_queues == RxQueues::kWavelength) {
    report.add(*rx_queues, fmt::format("is for {}, which has a port", title(draft)),
               "\"one\": wavelengths come to a port through rx_ports");
  }
}

void check_neighbors(const Draft<Endpoint>& draft, Report& report) {
  const Endpoint& endpoint = draft.value;
  const bool address_known = draft.origins.find("address") != nullptr;
  for (std::size_t i = 0; i < endpoint.neighbors.size(); ++i) {
    const Origin* address = draft.origins.find(fmt::format("neighbor.{}.address", i));
    if (!address) continue;
    const IpAddress& peer = endpoint.neighbors[i].address;
    if (i == kMaxNeighbors) {
      report.add(*address, fmt::format("is of neighbor {} of {}", i + 1, title(draft)),
                 fmt::format("at most {}", kMaxNeighbors));
    }
    if (!draft.origins.mentions("port")) {
      report.add(*address, fmt::format("is a neighbor of {}, which has a wavelength", title(draft)),
                 "neighbors of endpoints with a port");
    } else if (address_known && peer.is_v6 != endpoint.address.is_v6) {
      report.add(*address,
                 fmt::format("is of another family than the address of {}, {}", title(draft),
                             endpoint.address.text),
                 endpoint.address.is_v6 ? "an IPv6 address" : "an IPv4 address");
    } else if (address_known && peer == endpoint.address) {
      report.add(*address, fmt::format("is the address of {} itself", title(draft)),
                 "the address of another");
    }
    const auto same = [&](const Neighbor& other) { return other.address == peer; };
    if (std::find_if(endpoint.neighbors.begin(), endpoint.neighbors.begin() + long(i), same) !=
        endpoint.neighbors.begin() + long(i)) {
      report.add(*address, fmt::format("is a neighbor of {} twice", title(draft)),
                 "one [[endpoint.neighbor]] for each");
    }
  }
}

// Either a wavelength of the embedded fabric or a port of its own.
void check_attachment(const FileDraft& file, const Draft<Endpoint>& draft, Report& report) {
  const Origins& origins = draft.origins;
  const Origin* wavelength = origins.find("wavelength");
  const Origin* port = origins.find("port");
  if (!origins.mentions("wavelength") && !origins.mentions("port")) {
    report.add(origins.section(), "has neither wavelength nor port", "one of the two");
  }
  if (origins.mentions("wavelength") && port) {
    report.add(*port, "stands beside a wavelength", "either wavelength or port");
    return;
  }
  if (wavelength && !file.sections.mentions("fabric")) {
    report.add(*wavelength, "needs an embedded fabric, and the file has no [fabric]",
               "with a [fabric] section, or port in its place");
  }
  if (port && draft.value.faults.any()) {
    report.add(
        place(origins, {"faults.loss", "faults.corrupt", "faults.duplicate", "faults.burst_enter",
                        "faults.delay_ns", "faults.jitter_ns", "faults.rx_rate"}),
        fmt::format("is a fault for {}, which has a port", title(draft)),
        "faults of endpoints with a wavelength: the embedded fabric injects them");
  }
}

void check_frame_fits(const FileDraft& file, const Draft<Endpoint>& draft, Report& report) {
  if (!file.fabric || !draft.origins.find("wavelength")) return;
  if (draft.origins.invalid("path_mtu") || file.fabric->origins.invalid("frame_bytes")) return;
  const uint32_t frame_bytes = file.fabric->value.frame_bytes;
  const uint32_t needed = draft.value.path_mtu + kMaxFrameOverheadBytes;
  if (needed <= frame_bytes) return;
  if (const Origin* path_mtu = draft.origins.find("path_mtu")) {
    report.add(*path_mtu,
               fmt::format("and {} bytes of headers make frames of {} bytes, the fabric's have {}",
                           kMaxFrameOverheadBytes, needed, frame_bytes),
               fmt::format("at most {} bytes, or fabric.frame_bytes of at least {}",
                           frame_bytes - kMaxFrameOverheadBytes, needed));
  } else {
    report.add(place(file.fabric->origins, {"frame_bytes"}),
               fmt::format("is too short for endpoints with a path_mtu of {} bytes (the default)",
                           draft.value.path_mtu),
               fmt::format("at least {} bytes, or a smaller path_mtu", needed));
  }
}

void check_message_sizes(const Draft<Endpoint>& draft, Report& report) {
  const Origins& origins = draft.origins;
  const Endpoint& endpoint = draft.value;
  const ordering::ReassemblyConfig& reassembly = endpoint.reassembly;
  if (origins.invalid("max_message_bytes")) return;
  if (!origins.invalid("traffic.payload_bytes") &&
      endpoint.traffic.payload_bytes > reassembly.max_message_bytes) {
    report.add(place(origins, {"traffic.payload_bytes", "max_message_bytes"}),
               fmt::format("is more than the max_message_bytes of {}, {}", title(draft),
                           reassembly.max_message_bytes),
               fmt::format("0..{} bytes", reassembly.max_message_bytes));
  }
  const uint64_t needed = uint64_t{2} * reassembly.max_message_bytes;
  if (!origins.invalid("reassembly_bytes") && reassembly.memory_bytes < needed) {
    report.add(place(origins, {"reassembly_bytes", "max_message_bytes"}),
               fmt::format("leaves {} reassembly memory of {} bytes for messages of up to {}",
                           title(draft), reassembly.memory_bytes, reassembly.max_message_bytes),
               fmt::format("reassembly_bytes of at least {}, or a smaller max_message_bytes",
                           std::bit_ceil(needed)));
  }
}

uint64_t in_ms(uint64_t ns) { return ns / kNsPerMs; }

// A peer is given up before what it owes.
void check_patience(const Draft<Endpoint>& draft, Report& report) {
  const Origins& origins = draft.origins;
  const reliability::ReliabilityConfig& reliability = draft.value.reliability;
  if (reliability.repair_deadline_ns <= reliability.suspect_after_ns &&
      !origins.invalid("reliability.repair_deadline_ms") &&
      !origins.invalid("reliability.suspect_after_ms")) {
    report.add(place(origins, {"reliability.repair_deadline_ms", "reliability.suspect_after_ms"}),
               fmt::format("makes {} give up a packet after {} ms, and its sender only after {} ms",
                           title(draft), in_ms(reliability.repair_deadline_ns),
                           in_ms(reliability.suspect_after_ns)),
               "a repair_deadline_ms above suspect_after_ms");
  }
  if (reliability.evict_lag_ns > reliability.retain_ns &&
      !origins.invalid("reliability.evict_lag_ms") && !origins.invalid("reliability.retain_ms")) {
    report.add(
        place(origins, {"reliability.evict_lag_ms", "reliability.retain_ms"}),
        fmt::format("lets a receiver of {} lag by {} ms, and packets are retained for {} ms",
                    title(draft), in_ms(reliability.evict_lag_ns), in_ms(reliability.retain_ns)),
        "an evict_lag_ms of at most retain_ms");
  }
}

// Nobody can be told alive who speaks more seldom than a third of another one's patience: it would
// be cut off and admitted anew for ever.
void check_silences(const FileDraft& file, Report& report) {
  const auto impatient = std::min_element(
      file.endpoints.begin(), file.endpoints.end(), [](const auto& a, const auto& b) {
        return a.value.reliability.suspect_after_ns < b.value.reliability.suspect_after_ns;
      });
  if (impatient == file.endpoints.end()) return;
  if (impatient->origins.invalid("reliability.suspect_after_ms")) return;
  const uint64_t patience_us = impatient->value.reliability.suspect_after_ns / kNsPerUs;
  for (const Draft<Endpoint>& draft : file.endpoints) {
    const uint64_t silence_us = draft.value.reliability.heartbeat_max_ns / kNsPerUs;
    if (3 * silence_us < patience_us || draft.origins.invalid("reliability.heartbeat_us")) continue;
    const Origin* own = draft.origins.find("reliability.heartbeat_us");
    const Origin where =
        own != nullptr ? *own : place(impatient->origins, {"reliability.suspect_after_ms"});
    report.add(where,
               fmt::format("lets {} be silent for {} us where {} counts a peer as gone after {} us",
                           title(draft), silence_us, title(*impatient), patience_us),
               fmt::format("a heartbeat_us of at most {}, or a longer suspect_after_ms",
                           (patience_us - 1) / 3));
  }
}

void check_sizes(const Draft<Endpoint>& draft, Report& report) {
  const Origins& origins = draft.origins;
  const Endpoint& endpoint = draft.value;
  const bool pool_known = !origins.invalid("mbufs") && !origins.invalid("rx_descriptors") &&
                          !origins.invalid("tx_descriptors") && !origins.invalid("burst");
  const uint32_t windows =
      endpoint.reliability.transmit_window_pkts + endpoint.reliability.hold_pkts;
  // Over verbs, data and control have a receive queue each.
  const uint32_t rx_queues = verbs_port(endpoint.port) ? 2 : 1;
  const uint32_t needed =
      rx_queues * endpoint.rx_descriptors + endpoint.tx_descriptors + 2 * endpoint.burst + windows;
  if (pool_known && endpoint.mbufs < needed) {
    report.add(
        place(origins, {"mbufs", "rx_descriptors", "tx_descriptors", "reliability.transmit_window",
                        "reliability.hold"}),
        fmt::format("leaves {} a pool of {} mbufs, and its descriptors, bursts and windows hold {}",
                    title(draft), endpoint.mbufs, needed),
        fmt::format("mbufs of at least {}, fewer descriptors, or smaller windows", needed));
  }
  check_message_sizes(draft, report);
  check_patience(draft, report);
  check_membership(draft, report);
  check_rate(draft, report);
}

void check_names_of_wire(const Draft<Endpoint>& draft, Report& report) {
  const Origins& origins = draft.origins;
  const Endpoint& endpoint = draft.value;
  const bool qpns_known = !origins.invalid("data_qpn") && !origins.invalid("control_qpn");
  if (qpns_known && endpoint.data_qpn == endpoint.control_qpn) {
    report.add(place(origins, {"control_qpn", "data_qpn"}),
               "is the queue pair of data and of control", "two that differ");
  }
  const Origin* multicast = origins.find("multicast");
  if (multicast && origins.find("address") && endpoint.multicast.is_v6 != endpoint.address.is_v6) {
    report.add(*multicast,
               fmt::format("is of another family than the address of {}, {}", title(draft),
                           endpoint.address.text),
               endpoint.address.is_v6 ? "an IPv6 multicast address" : "an IPv4 multicast address");
  }
}

std::set<uint32_t> lcores_in_use(const FileDraft& draft) {
  std::set<uint32_t> ids;
  for (const auto& [endpoint, origins] : draft.endpoints) {
    const StageLcores& stages = endpoint.stages;
    ids.insert({stages.receive, stages.reliability, stages.ordering, stages.rate_control});
  }
  return ids;
}

void check_lcores(const FileDraft& draft, Report& report) {
  const std::set<uint32_t> in_use = lcores_in_use(draft);
  std::map<uint32_t, unsigned> line_of;
  for (const auto& [lcore, origins] : draft.lcores) {
    for (const char* key : {"sleep_us", "sleep_max_us"}) {
      const Origin* set = origins.find(key);
      if (!set || origins.invalid("idle") || lcore.idle == IdlePolicy::kSleep) continue;
      report.add(*set, fmt::format("has no meaning with idle = \"{}\"", name(lcore.idle)),
                 "only with idle = \"sleep\"");
    }
    const Origin* id = origins.find("id");
    if (!id) continue;
    const auto [first, is_new] = line_of.try_emplace(lcore.id, id->line);
    if (!is_new) {
      report.add(*id, fmt::format("is described at line {} already", first->second),
                 "one [[lcore]] for each id");
    } else if (!in_use.contains(lcore.id)) {
      report.warn(*id, "is an lcore that no endpoint uses",
                  "an lcore of some endpoint's lcore or stages");
    }
  }
}

void warn_unused_fabric(const FileDraft& draft, Report& report) {
  const auto attached = [](const Draft<Endpoint>& each) {
    return each.value.wavelength.has_value();
  };
  if (draft.fabric && std::none_of(draft.endpoints.begin(), draft.endpoints.end(), attached)) {
    report.warn(draft.fabric->origins.section(), "is used by no endpoint",
                "with an endpoint that has a wavelength");
  }
}

}  // namespace

Origin place(const Origins& origins, std::initializer_list<std::string_view> keys) {
  for (std::string_view key : keys) {
    if (const Origin* origin = origins.find(key)) return *origin;
  }
  return origins.section();
}

std::string title(const Draft<Endpoint>& draft) {
  return draft.value.name.empty()
             ? fmt::format("the endpoint of line {}", draft.origins.section().line)
             : fmt::format("endpoint \"{}\"", draft.value.name);
}

void check(const FileDraft& draft, Report& report) {
  check_count(draft, report);
  check_all_unique(draft, report);
  check_rx_ports_unique(draft, report);
  for (const auto& endpoint : draft.endpoints) {
    check_attachment(draft, endpoint, report);
    check_receiving(endpoint, report);
    check_neighbors(endpoint, report);
    check_verbs(endpoint, report);
    check_frame_fits(draft, endpoint, report);
    check_sizes(endpoint, report);
    check_names_of_wire(endpoint, report);
  }
  check_fabric_groups(draft, report);
  check_silences(draft, report);
  check_light(draft, report);
  check_lcores(draft, report);
  warn_unused_fabric(draft, report);
}

}  // namespace lambdacast::config
