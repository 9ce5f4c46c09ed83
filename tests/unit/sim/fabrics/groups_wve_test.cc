// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/groups_wve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace lambdacast::sim::fabrics {
namespace {

// P(G(scale) >= x) for shape 2.
double beyond(double x, double scale) {
  return x <= 0 ? 1 : (1 + x / scale) * std::exp(-x / scale);
}

// P(size >= n) by the formula: the modulus is of no consequence for tenants of these sizes.
double at_least(uint32_t n, uint32_t vms) {
  if (n <= kLeastGroup) return 1;
  const double large = 1 - beyond((vms - n + 1) * 15.0 / vms, 0.1);
  const double small = beyond((n - kLeastGroup) * 15.0 / vms, 0.2);
  return 0.02 * large + 0.98 * small;
}

// Dvoretzky, Kiefer, Wolfowitz: with n draws the two differ by more than 5 / sqrt(n) with
// probability 2 e^-50.
TEST(GroupsWve, sizes__expect_the_distribution_of_the_formula) {
  constexpr uint32_t kDraws = 200'000;
  for (const uint32_t vms : {20u, 179u, 1'500u}) {
    base::SplitMix64 random(vms);
    std::vector<uint32_t> at_size(vms + 1);
    double sum = 0;
    for (uint32_t i = 0; i < kDraws; ++i) {
      const uint32_t size = draw_wve_size(vms, random);
      ASSERT_GE(size, kLeastGroup);
      ASSERT_LE(size, vms);
      ++at_size[size];
      sum += size;
    }
    uint32_t found = 0;
    for (uint32_t n = vms; n > 0; --n) {
      found += at_size[n];
      ASSERT_NEAR(double(found) / kDraws, at_least(n, vms), 5 / std::sqrt(kDraws)) << n;
    }
    EXPECT_NEAR(sum / kDraws, mean_wve_size(vms), 5.0 * vms * 0.15 / std::sqrt(kDraws)) << vms;
  }
}

// Elmo tells a mean of 60 for tenants of 178.77 VMs, and its tenants are ours unscaled.
TEST(GroupsWve, elmos_mean_size__expect_about_elmos_tenants) {
  const Groups groups({.racks = 576, .mean_size = 60});
  double vms = 0;
  for (const uint32_t n : groups.vms()) vms += n;
  EXPECT_NEAR(vms / 3'000, 178.77, 30);
  EXPECT_NEAR(groups.mean_size(), 60, 0.1);
}

TEST(GroupsWve, mean_sizes__expect_what_was_wanted_in_the_draws_too) {
  for (const uint32_t wanted : {20u, 40u, 51u, 225u}) {
    for (const uint32_t per_rack : {1u, 12u}) {
      const Groups groups({.racks = 4'000,
                           .groups = 4'000,
                           .mean_size = double(wanted),
                           .vms_per_rack = per_rack,
                           .seed = wanted});
      EXPECT_NEAR(groups.mean_size(), wanted, 0.01 * wanted);
      Groups::Scratch scratch;
      Group group;
      double sum = 0, squares = 0;
      for (uint64_t i = 0; i < groups.count(); ++i) {
        groups.draw(i, scratch, group);
        sum += group.size;
        squares += double(group.size) * group.size;
      }
      const double mean = sum / 4'000, deviation = std::sqrt(squares / 4'000 - mean * mean);
      EXPECT_NEAR(mean, wanted, 5 * deviation / std::sqrt(4'000));
    }
  }
}

TEST(GroupsWve, groups__expect_a_tenants_groups_in_proportion_to_its_vms) {
  const Groups groups({.racks = 100, .groups = 50'000, .tenants = 40, .mean_size = 30});
  std::vector<double> found(40);
  double vms = 0;
  for (uint64_t i = 0; i < groups.count(); ++i) ++found[groups.tenant_of(i)];
  for (const uint32_t n : groups.vms()) vms += n;
  for (size_t tenant = 0; tenant < 40; ++tenant)
    EXPECT_NEAR(found[tenant], groups.vms()[tenant] / vms * 50'000, 1);
}

TEST(GroupsWve, draws__expect_racks_of_the_tenant_ascending_without_the_senders) {
  const Groups groups({.racks = 50, .groups = 2'000, .tenants = 20, .mean_size = 30});
  Groups::Scratch scratch;
  Group group;
  std::vector<std::set<uint32_t>> racks(20);
  for (uint64_t i = 0; i < groups.count(); ++i) {
    groups.draw(i, scratch, group);
    auto& of_tenant = racks[groups.tenant_of(i)];
    of_tenant.insert(group.sender);
    of_tenant.insert(group.receivers.begin(), group.receivers.end());
    ASSERT_TRUE(std::is_sorted(group.receivers.begin(), group.receivers.end()));
    ASSERT_EQ(std::adjacent_find(group.receivers.begin(), group.receivers.end()),
              group.receivers.end());
    ASSERT_FALSE(std::binary_search(group.receivers.begin(), group.receivers.end(), group.sender));
    ASSERT_LT(group.receivers.size(), group.size);
    ASSERT_LT(group.sender, 50u);
    for (const uint32_t rack : group.receivers) ASSERT_LT(rack, 50u);
  }
  for (size_t tenant = 0; tenant < 20; ++tenant)
    EXPECT_LE(racks[tenant].size(), (groups.vms()[tenant] + 11) / 12);
}

// One VM a rack: every member but the sender has its own.
TEST(GroupsWve, one_vm_a_rack__expect_a_rack_for_each_member) {
  const Groups groups(
      {.racks = 10'000, .groups = 500, .tenants = 30, .mean_size = 20, .vms_per_rack = 1});
  Groups::Scratch scratch;
  Group group;
  for (uint64_t i = 0; i < groups.count(); ++i) {
    groups.draw(i, scratch, group);
    ASSERT_EQ(group.receivers.size(), group.size - 1);
  }
}

TEST(GroupsWve, seeds__expect_equal_groups_of_equal_seeds_in_any_order) {
  const GroupsConfig config{.racks = 100, .groups = 100, .tenants = 10, .mean_size = 30};
  GroupsConfig other = config;
  other.seed = 2;
  const Groups one(config), same(config), different(other);
  Groups::Scratch scratch, backwards;
  size_t differ = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    Group a, b, c;
    one.draw(99 - i, scratch, a);
    same.draw(99 - i, backwards, b);
    different.draw(99 - i, scratch, c);
    EXPECT_EQ(a.sender, b.sender);
    EXPECT_EQ(a.receivers, b.receivers);
    differ += a.receivers != c.receivers ? 1 : 0;
  }
  EXPECT_GT(differ, 90u);
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
