// SPDX-License-Identifier: BSD-3-Clause
#include "node/control_transmit.h"

namespace lambdacast::node {

ControlTransmit::ControlTransmit(const EndpointIdentity& identity, wire::IcrcMode icrc)
    : template_(multicast_fields(identity, identity.control_gid, identity.control_qpn), icrc),
      path_mtu_(identity.path_mtu) {}

}  // namespace lambdacast::node
