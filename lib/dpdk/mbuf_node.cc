// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/mbuf_node.h"

#include "node/node_impl.h"

namespace lambdacast::node {

template class NeighborStage<dpdk::MbufEnv>;
template class ReceiveStage<dpdk::MbufEnv>;
template class ReliabilityStage<dpdk::MbufEnv>;
template class OrderingStage<dpdk::MbufEnv>;
template class OrderedDelivery<dpdk::MbufEnv>;
template class RateControlStage<dpdk::MbufEnv>;
template class Publisher<dpdk::MbufEnv>;
template class Groups<dpdk::MbufEnv>;
template class Node<dpdk::MbufEnv>;

}  // namespace lambdacast::node
