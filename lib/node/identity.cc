// SPDX-License-Identifier: BSD-3-Clause
#include "node/identity.h"

#include <string>

namespace lambdacast::node {

namespace {

bool usable_qpn(uint32_t qpn) { return qpn >= 2 && qpn < wire::kMulticastQpn; }

bool valid_path_mtu(uint32_t bytes) {
  return bytes >= 256 && bytes <= wire::kMaxPayloadBytes && (bytes & (bytes - 1)) == 0;
}

std::string qpn_error(const char* which, uint32_t qpn) {
  return std::string(which) + " queue pair number " + std::to_string(qpn) +
         " is not in 2 .. 16777214 (0 and 1 are management's, 0xffffff means multicast)";
}

}  // namespace

wire::Gid control_gid_of(const wire::Gid& multicast_gid) {
  wire::Gid gid = multicast_gid;
  base::store_be32(&gid.bytes[12], base::load_be32(&gid.bytes[12]) + 1);
  return gid;
}

wire::FrameFields multicast_fields(const EndpointIdentity& identity, const wire::Gid& to,
                                   uint32_t source_qpn) {
  wire::FrameFields fields;
  fields.destination_mac = wire::multicast_mac(to);
  fields.source_mac = identity.mac;
  fields.has_vlan = identity.vlan_tci.has_value();
  fields.vlan_tci = identity.vlan_tci.value_or(0);
  fields.source_gid = identity.gid;
  fields.destination_gid = to;
  fields.udp_source_port = wire::roce_source_port(source_qpn);
  fields.pkey = identity.pkey;
  fields.destination_qpn = wire::kMulticastQpn;
  fields.source_qpn = source_qpn;
  fields.qkey = identity.qkey;
  return fields;
}

base::Result<void> validate(const EndpointIdentity& identity) {
  if (wire::is_multicast(identity.gid)) {
    return base::fail("the endpoint's GID " + wire::format(identity.gid) +
                      " is a multicast address");
  }
  if (identity.gid == wire::Gid{}) return base::fail("the endpoint's GID is not set");
  if (!wire::is_multicast(identity.multicast_gid)) {
    return base::fail("the multicast GID " + wire::format(identity.multicast_gid) +
                      " is not a multicast address");
  }
  if (wire::is_ipv4_mapped(identity.gid) != wire::is_ipv4_mapped(identity.multicast_gid)) {
    return base::fail("the GID " + wire::format(identity.gid) + " and the multicast GID " +
                      wire::format(identity.multicast_gid) +
                      " are of different address families; both must be IPv4 or both IPv6");
  }
  if (!wire::is_multicast(identity.control_gid)) {
    return base::fail("the control GID " + wire::format(identity.control_gid) +
                      " is not a multicast address");
  }
  if (identity.control_gid == identity.multicast_gid ||
      wire::is_ipv4_mapped(identity.control_gid) != wire::is_ipv4_mapped(identity.gid)) {
    return base::fail("the control GID " + wire::format(identity.control_gid) +
                      " must be of the GID's address family and not the multicast GID");
  }
  if (!usable_qpn(identity.data_qpn)) return base::fail(qpn_error("data", identity.data_qpn));
  if (!usable_qpn(identity.control_qpn)) {
    return base::fail(qpn_error("control", identity.control_qpn));
  }
  if (identity.data_qpn == identity.control_qpn) {
    return base::fail("data and control use the same queue pair number " +
                      std::to_string(identity.data_qpn) + "; they must differ");
  }
  if ((identity.pkey & 0x7fff) == 0) {
    return base::fail("the partition key is 0 without its membership bit; it must be 1 .. 32767");
  }
  if (!valid_path_mtu(identity.path_mtu)) {
    return base::fail("the path MTU " + std::to_string(identity.path_mtu) +
                      " is not 256, 512, 1024, 2048 or 4096");
  }
  return {};
}

}  // namespace lambdacast::node
