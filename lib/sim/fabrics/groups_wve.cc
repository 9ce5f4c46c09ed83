// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/groups_wve.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lambdacast::sim::fabrics {

namespace {

using base::SplitMix64;

constexpr double kLargeShare = 0.02;  // of groups, and of tenants
constexpr double kLargeScale = 0.1;
constexpr double kSmallScale = 0.2;
constexpr double kDivisor = 15;
constexpr double kMostTenant = 5'000;
constexpr double kTenantMean = (kMostTenant - kLeastTenant) / 40.5;

// In (0, 1].
double uniform(SplitMix64& random) { return (static_cast<double>(random() >> 11) + 1) * 0x1p-53; }

// Shape 2: the sum of two exponential numbers.
double gamma2(double scale, SplitMix64& random) {
  return -scale * (std::log(uniform(random)) + std::log(uniform(random)));
}

// The mean of floor(G vms / 15): the sum over j >= 1 of P(G >= 15 j / vms), and that probability is
// (1 + a j) e^(-a j) with a = 15 / (vms scale).
double mean_floor(uint32_t vms, double scale) {
  const double a = kDivisor / (vms * scale);
  const double r = std::exp(-a);
  return r / (1 - r) + a * r / ((1 - r) * (1 - r));
}

uint32_t scaled(double vms, double scale) {
  return std::max(kLeastTenant, static_cast<uint32_t>(std::lround(vms * scale)));
}

// Groups are in proportion to VMs.
double mean_size(const std::vector<uint32_t>& vms) {
  double sizes = 0, all = 0;
  for (const uint32_t n : vms) {
    sizes += n * mean_wve_size(n);
    all += n;
  }
  return sizes / all;
}

}  // namespace

uint32_t draw_wve_size(uint32_t vms, SplitMix64& random) {
  if (uniform(random) <= kLargeShare)
    return std::max(
        kLeastGroup,
        vms - static_cast<uint32_t>(gamma2(kLargeScale, random) * vms / kDivisor) % vms);
  const double few = gamma2(kSmallScale, random) * vms / kDivisor + (kLeastGroup - 1);
  return std::max(kLeastGroup, static_cast<uint32_t>(few) % vms + 1);
}

double mean_wve_size(uint32_t vms) {
  const double large = vms - mean_floor(vms, kLargeScale);
  const double small = kLeastGroup + mean_floor(vms, kSmallScale);
  return kLargeShare * large + (1 - kLargeShare) * small;
}

Groups::Groups(const GroupsConfig& config) : config_(config) {
  SplitMix64 random(base::mix64(config.seed));
  std::vector<double> unscaled(config.tenants);
  for (double& vms : unscaled) {
    const bool any = uniform(random) <= kLargeShare;
    const double more = any ? uniform(random) * (kMostTenant - kLeastTenant)
                            : -kTenantMean * std::log(uniform(random));
    vms = kLeastTenant + std::fmod(more, kMostTenant - kLeastTenant);
  }
  scale_tenants(unscaled);
  vms_up_to_.resize(vms_.size());
  std::partial_sum(vms_.begin(), vms_.end(), vms_up_to_.begin(),
                   [](uint64_t sum, uint64_t n) { return sum + n; });
  place();
}

// A greater scale gives no smaller mean, so halving finds it.
void Groups::scale_tenants(const std::vector<double>& unscaled) {
  vms_.resize(unscaled.size());
  const auto use = [&](double scale) {
    std::transform(unscaled.begin(), unscaled.end(), vms_.begin(),
                   [scale](double vms) { return scaled(vms, scale); });
  };
  double low = 0, high = 1;
  for (use(high); fabrics::mean_size(vms_) < config_.mean_size && high < 1'000; use(high))
    high *= 2;
  for (int halving = 0; halving < 40; ++halving) {
    const double scale = (low + high) / 2;
    use(scale);
    (fabrics::mean_size(vms_) < config_.mean_size ? low : high) = scale;
  }
}

uint32_t Groups::racks_of(size_t tenant) const {
  return (vms_[tenant] + config_.vms_per_rack - 1) / config_.vms_per_rack;
}

// A tenant with more shares than there are racks gets them all, and then some twice.
void Groups::place() {
  std::vector<uint32_t> racks(config_.racks);
  std::iota(racks.begin(), racks.end(), 0u);
  for (size_t tenant = 0; tenant < vms_.size(); ++tenant) {
    places_at_.push_back(places_.size());
    SplitMix64 random(base::mix64(config_.seed ^ base::mix64(tenant)));
    const uint32_t count = racks_of(tenant);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t at = i % config_.racks;
      std::swap(racks[at], racks[at + random.below(config_.racks - at)]);
      places_.push_back(racks[at]);
    }
  }
}

double Groups::mean_size() const { return fabrics::mean_size(vms_); }

// Groups lie evenly along the VMs of all tenants.
size_t Groups::tenant_of(uint64_t group) const {
  const auto vm = static_cast<uint64_t>(static_cast<unsigned __int128>(2 * group + 1) *
                                        vms_up_to_.back() / (2 * config_.groups));
  return static_cast<size_t>(std::upper_bound(vms_up_to_.begin(), vms_up_to_.end(), vm) -
                             vms_up_to_.begin());
}

// Members are drawn without repetition, by Floyd's method; any of them is the sender.
void Groups::draw(uint64_t group, Scratch& scratch, Group& out) const {
  const size_t tenant = tenant_of(group);
  const uint32_t vms = vms_[tenant];
  SplitMix64 random(base::mix64(config_.seed + base::mix64(~group)));
  out.size = draw_wve_size(vms, random);
  if (scratch.taken.size() < vms) scratch.taken.resize(vms);
  ++scratch.draws;
  scratch.members.clear();
  for (uint32_t last = vms - out.size; last < vms; ++last) {
    auto vm = static_cast<uint32_t>(random.below(last + 1));
    if (scratch.taken[vm] == scratch.draws) vm = last;
    scratch.taken[vm] = scratch.draws;
    scratch.members.push_back(vm);
  }
  const auto rack = [&](uint32_t vm) {
    return places_[places_at_[tenant] + vm / config_.vms_per_rack];
  };
  out.sender = rack(scratch.members[random.below(out.size)]);
  out.receivers.clear();
  for (const uint32_t vm : scratch.members) out.receivers.push_back(rack(vm));
  std::sort(out.receivers.begin(), out.receivers.end());
  out.receivers.erase(std::unique(out.receivers.begin(), out.receivers.end()), out.receivers.end());
  std::erase(out.receivers, out.sender);
}

std::vector<uint32_t> by_sender(const Groups& groups) {
  std::vector<uint32_t> senders(groups.count()), order(groups.count());
  Groups::Scratch scratch;
  Group group;
  for (uint32_t i = 0; i < senders.size(); ++i) {
    groups.draw(i, scratch, group);
    senders[i] = group.sender;
  }
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t one, uint32_t other) { return senders[one] < senders[other]; });
  return order;
}

}  // namespace lambdacast::sim::fabrics
