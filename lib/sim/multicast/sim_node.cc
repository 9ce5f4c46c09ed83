// SPDX-License-Identifier: BSD-3-Clause
// The node of the simulator, compiled once.
#include "node/node_impl.h"
#include "sim/multicast/sim_env.h"

namespace lambdacast::node {

template class NeighborStage<sim::SimEnv>;
template class ReceiveStage<sim::SimEnv>;
template class ReliabilityStage<sim::SimEnv>;
template class OrderingStage<sim::SimEnv>;
template class OrderedDelivery<sim::SimEnv>;
template class RateControlStage<sim::SimEnv>;
template class Publisher<sim::SimEnv>;
template class Groups<sim::SimEnv>;
template class Node<sim::SimEnv>;

}  // namespace lambdacast::node
