// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/mbuf_env.h"

namespace lambdacast::dpdk {

std::string unique_name(const char* what) {
  static uint32_t next = 0;
  return "lambdacast_" + std::string(what) + std::to_string(next++);
}

base::Result<Link> MbufEnv::make_queue(node::LinkId, uint32_t slots) {
  return Link::create(unique_name("link"), slots);
}

base::Result<ReleaseRing> MbufEnv::make_handle_queue(uint32_t slots) {
  return ReleaseRing::create(unique_name("released"), slots);
}

}  // namespace lambdacast::dpdk
