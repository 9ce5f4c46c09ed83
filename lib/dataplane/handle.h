// The cores' packet handles are mbufs.
#pragma once

#include <rte_mbuf.h>

#include "reliability/packet_handle.h"

namespace lambdacast::dataplane {

[[nodiscard]] inline reliability::PacketHandle handle_of(rte_mbuf* m) {
  return static_cast<reliability::PacketHandle>(reinterpret_cast<uintptr_t>(m));
}
[[nodiscard]] inline rte_mbuf* mbuf_of(reliability::PacketHandle packet) {
  return reinterpret_cast<rte_mbuf*>(static_cast<uintptr_t>(packet));
}

}  // namespace lambdacast::dataplane
