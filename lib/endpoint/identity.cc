#include "endpoint/identity.h"

#include <string>

namespace lambdacast::endpoint {

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

}  // namespace lambdacast::endpoint
