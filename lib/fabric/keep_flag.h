// SPDX-License-Identifier: BSD-3-Clause
// The name of a dynamic flag of mbufs (rte_mbuf_dyn.h) that net_odbss registers. A frame whose mbuf
// has it is copied by tx_burst and stays with its sender: nothing is freed, no reference is
// dropped. Who retains frames to repair them saves an atomic operation a frame, a tenth of what
// a short one costs. A frame that tx_burst did not take is as it was.
#pragma once

namespace lambdacast::fabric {

inline constexpr char kKeepFlagName[] = "lambdacast_odbss_keep";

}  // namespace lambdacast::fabric
