// SPDX-License-Identifier: BSD-3-Clause
// The node of the data path. Its bodies are compiled once, in mbuf_node.cc.
#pragma once

#include "dpdk/mbuf_env.h"
#include "node/node.h"

namespace lambdacast::dpdk {

using MbufNode = node::Node<MbufEnv>;
using Publisher = node::Publisher<MbufEnv>;
using Loan = node::Loan<MbufEnv>;
using Groups = node::Groups<MbufEnv>;
using Caller = node::Caller<MbufEnv>;

}  // namespace lambdacast::dpdk

namespace lambdacast::node {

extern template class NeighborStage<dpdk::MbufEnv>;
extern template class ReceiveStage<dpdk::MbufEnv>;
extern template class ReliabilityStage<dpdk::MbufEnv>;
extern template class OrderingStage<dpdk::MbufEnv>;
extern template class OrderedDelivery<dpdk::MbufEnv>;
extern template class RateControlStage<dpdk::MbufEnv>;
extern template class Publisher<dpdk::MbufEnv>;
extern template class Groups<dpdk::MbufEnv>;
extern template class Node<dpdk::MbufEnv>;

}  // namespace lambdacast::node
