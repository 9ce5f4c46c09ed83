// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast/versions.h"

#include <gtest/gtest.h>

namespace lambdacast::appliance {
namespace versions_test {

TEST(Versions, of_data__expect_the_address_both_versions_and_the_counter) {
  EXPECT_EQ(sentence("node1", node::VersionEvent{wire::gid_from_ipv4(0x0a4d0009), 3, false}),
            "node1: 10.77.0.9 speaks version 3 of the protocol of data frames, and this program "
            "version 1: such frames are dropped (transport_version); run programs on one fabric "
            "that have one version\n");
}

TEST(Versions, of_control__expect_that_counter) {
  EXPECT_EQ(sentence("node1", node::VersionEvent{wire::gid_from_ipv4(0x0a4d0009), 5, true}),
            "node1: 10.77.0.9 speaks version 5 of the protocol of control frames, and this "
            "program version 1: such frames are dropped (control_version); run programs on one "
            "fabric that have one version\n");
}

}  // namespace versions_test
}  // namespace lambdacast::appliance
