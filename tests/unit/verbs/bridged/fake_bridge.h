// SPDX-License-Identifier: BSD-3-Clause
// A bridge to nowhere, in place of drivers/verbs/bridge: tells what the front end did with it.
#pragma once

#include <cstdint>
#include <vector>

#include "bridge.h"

namespace lambdacast::verbs {

struct FakeState {
  int opened = 0;
  int closed = 0;
  int devices_seen = -1;  // by the verbs calls that DPDK's drivers make while it starts
  uint64_t pumps = 0;
  std::vector<wire::Gid> groups;
};
inline constexpr const char* kFakeState = "lambdacast_fake_state";
// The file that it can make a bridge of.
inline constexpr const char* kGoodFile = "good.toml";
inline const BridgeFacts kFacts{
    {{2, 0, 0, 0, 0, 9}}, wire::gid_from_ipv4(0x0a090909), 1024, 0x8001, 0};

}  // namespace lambdacast::verbs
