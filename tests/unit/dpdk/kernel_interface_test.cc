// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/kernel_interface.h"

#include <gtest/gtest.h>
#include <net/if.h>

namespace lambdacast::dpdk {
namespace {

TEST(KernelInterface, ask_for_the_loopback__expect_its_name_and_mtu) {
  const auto loopback = kernel_interface(::if_nametoindex("lo"));
  ASSERT_TRUE(loopback);
  EXPECT_EQ(loopback->name, "lo");
  EXPECT_GE(loopback->mtu, 1280u);
}

TEST(KernelInterface, ask_for_none__expect_none) {
  EXPECT_FALSE(kernel_interface(0));
  EXPECT_FALSE(kernel_interface(0x7fffffff));
}

TEST(KernelInterface, ask_whose_an_address_is__expect_the_interface_that_has_it) {
  EXPECT_EQ(kernel_owner_of(wire::parse_gid("127.0.0.1").value()).value_or("lo"), "lo");
  EXPECT_FALSE(kernel_owner_of(wire::parse_gid("203.0.113.77").value()));
  EXPECT_FALSE(kernel_owner_of(wire::parse_gid("2001:db8::77").value()));
}

}  // namespace
}  // namespace lambdacast::dpdk
