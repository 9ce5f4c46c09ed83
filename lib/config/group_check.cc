// SPDX-License-Identifier: BSD-3-Clause
// The groups of a fabric: that of data, which the file names, and that of control, which follows
// it (node/identity.h). Both have to be groups that a network carries, and a neighbouring fabric
// has neither of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/bytes.h"
#include "config/draft.h"
#include "wire/control/group_message.h"

namespace lambdacast::config {
namespace {

// Why a group is nobody's to use, a clause whose subject is the group; empty: it is free.
std::string_view use_of_ipv4(uint32_t address) {
  return address >> 8 == 0xe00000 ? "is in 224.0.0.0/24, the groups of hosts and routers" : "";
}

std::string_view use_of_ipv6(const wire::Gid& group) {
  const std::array<uint8_t, 16>& bytes = group.bytes;
  const uint8_t scope = bytes[1] & 0x0f;
  const uint32_t last = base::load_be32(&bytes[12]);
  const bool is_short =
      std::all_of(bytes.begin() + 2, bytes.begin() + 11, [](uint8_t b) { return b == 0; });
  if (scope <= 1 || scope == 0x0f) return "has a scope that no network carries (RFC 4291, 2.7)";
  const bool well_known = (bytes[1] & 0xf0) == 0;
  if (well_known && is_short && bytes[11] == 0 && last <= 0xffff)
    return "is in ff0x::/112, the groups of hosts and routers";
  if (well_known && is_short && bytes[11] == 1 && last >> 24 == 0xff)
    return "is a solicited-node group (RFC 4291, 2.7.1)";
  if (bytes[1] == 0x15 && is_short && bytes[11] == 0x4d && last >= wire::kFirstNamedGroup)
    return "is among those of groups with names, from ff15::4d:8000:0 on";
  return "";
}

std::string_view use_of(const wire::Gid& group) {
  return wire::is_ipv4_mapped(group) ? use_of_ipv4(wire::ipv4_of(group)) : use_of_ipv6(group);
}

// Nothing: none follows within the family, or that is no multicast group.
std::optional<wire::Gid> control_group(const IpAddress& multicast) {
  wire::Gid group = multicast.gid;
  const uint32_t last = base::load_be32(&group.bytes[12]);
  base::store_be32(&group.bytes[12], last + 1);
  if (last == UINT32_MAX || !wire::is_multicast(group)) return std::nullopt;
  return group;
}

std::string free_groups(bool is_v6) {
  return is_v6 ? "such as ff15::4d:1, with ff15::4d:2 for control"
               : "such as 239.255.77.1, with 239.255.77.2 for control";
}

void check_free(const Draft<Endpoint>& draft, const Origin& origin, Report& report) {
  const IpAddress& multicast = draft.value.multicast;
  const auto control = control_group(multicast);
  const std::string allowed = free_groups(multicast.is_v6);
  if (const std::string_view use = use_of(multicast.gid); !use.empty()) {
    report.add(origin, std::string(use), allowed);
  } else if (!control) {
    report.add(origin, "leaves no group for control, which is the address behind it", allowed);
  } else if (const std::string_view taken = use_of(*control); !taken.empty()) {
    report.add(
        origin,
        fmt::format("makes {} the group of control, which {}", wire::format(*control), taken),
        allowed);
  }
}

// Endpoints in two VLANs do not hear each other, whatever their groups.
bool may_hear(const Endpoint& a, const Endpoint& b) {
  return a.vlan == b.vlan && a.wavelength.has_value() == b.wavelength.has_value();
}

// `late` or `early` has no key of its own if its group is the default.
void check_apart(const Draft<Endpoint>& late, const Draft<Endpoint>& early, Report& report) {
  const wire::Gid& of_late = late.value.multicast.gid;
  const wire::Gid& of_early = early.value.multicast.gid;
  const bool behind = control_group(early.value.multicast) == of_late;
  const bool before = control_group(late.value.multicast) == of_early;
  if (!(behind || before) || !may_hear(late.value, early.value)) return;
  const Draft<Endpoint>& set = late.origins.find("multicast") != nullptr ? late : early;
  const Draft<Endpoint>& other = &set == &late ? early : late;
  const bool is_control = (&set == &late) == behind;
  report.add(place(set.origins, {"multicast"}),
             fmt::format("of {} is {} {}, {}", title(set),
                         is_control ? "the group of control of" : "followed by the group of",
                         title(other), other.value.multicast.text),
             "the same for all of a fabric, and at least two apart for two fabrics");
}

}  // namespace

void check_fabric_groups(const FileDraft& file, Report& report) {
  for (auto late = file.endpoints.begin(); late != file.endpoints.end(); ++late) {
    if (late->origins.invalid("multicast")) continue;
    if (const Origin* origin = late->origins.find("multicast")) check_free(*late, *origin, report);
    for (auto early = file.endpoints.begin(); early != late; ++early) {
      if (!early->origins.invalid("multicast")) check_apart(*late, *early, report);
    }
  }
}

}  // namespace lambdacast::config
