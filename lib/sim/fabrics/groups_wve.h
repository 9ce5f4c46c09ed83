// SPDX-License-Identifier: BSD-3-Clause
// Multicast groups of a data centre, drawn as in Elmo's evaluation: tenants of virtual machines
// (VMs), groups in proportion to a tenant's VMs, and group sizes as Li and Freedman found them in
// IBM WebSphere Virtual Enterprise (WVE). A group is a function of the seed and its number, so
// that a million of them take no memory.
//
// Tenants: 2 of 100 have 10 to 5 000 VMs, uniformly; the others 10 and an exponential number of
// mean 123. All are scaled alike, so that a group has the wanted mean size. Racks are drawn for
// each tenant, with vms_per_rack of its VMs in each; how much a rack has room for is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"

namespace lambdacast::sim::fabrics {

struct GroupsConfig {
  uint32_t racks = 0;  // at least 1
  uint64_t groups = 1'000'000;
  uint32_t tenants = 3'000;
  double mean_size = 60;  // VMs of a group, its sender among them; at least kLeastGroup + 1
  uint32_t vms_per_rack = 12;
  uint64_t seed = 1;
};

inline constexpr uint32_t kLeastGroup = 5;
inline constexpr uint32_t kLeastTenant = 10;

// The size of a group of a tenant with `vms` VMs. G(s) is a random number of the gamma distribution
// with shape 2 and scale s: of 100 groups 2 have vms - floor(G(0.1) vms / 15) mod vms members, the
// others 1 + floor(G(0.2) vms / 15 + 4) mod vms.
[[nodiscard]] uint32_t draw_wve_size(uint32_t vms, base::SplitMix64& random);
// Its mean.
[[nodiscard]] double mean_wve_size(uint32_t vms);

struct Group {
  uint32_t size = 0;                // VMs, the sender among them
  uint32_t sender = 0;              // its rack
  std::vector<uint32_t> receivers;  // other racks with members, ascending
};

class Groups {
 public:
  explicit Groups(const GroupsConfig& config);

  [[nodiscard]] uint64_t count() const { return config_.groups; }
  [[nodiscard]] double mean_size() const;  // as it follows from the tenants
  [[nodiscard]] const std::vector<uint32_t>& vms() const { return vms_; }  // by tenant
  [[nodiscard]] size_t tenant_of(uint64_t group) const;

  // Working memory in which a group is drawn; one for each thread.
  struct Scratch {
    std::vector<uint32_t> taken;  // by VM: the draw that took it
    std::vector<uint32_t> members;
    uint32_t draws = 0;
  };
  void draw(uint64_t group, Scratch& scratch, Group& out) const;

 private:
  [[nodiscard]] uint32_t racks_of(size_t tenant) const;
  void scale_tenants(const std::vector<double>& unscaled);
  void place();

  GroupsConfig config_;
  std::vector<uint32_t> vms_;        // by tenant
  std::vector<uint64_t> vms_up_to_;  // by tenant: of it and those before it
  std::vector<uint64_t> places_at_;  // by tenant: its first place in places_
  std::vector<uint32_t> places_;     // racks
};

// All groups in order of their senders' racks, so that a sender's trees share a search.
[[nodiscard]] std::vector<uint32_t> by_sender(const Groups& groups);

}  // namespace lambdacast::sim::fabrics
