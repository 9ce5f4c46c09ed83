// SPDX-License-Identifier: BSD-3-Clause
// Protection domains, memory regions, address handles, groups: the calls of a program's set-up.
#include <cstring>

#include "context.h"
#include "wire/roce/ethernet.h"

namespace lambdacast::verbs {
namespace {

wire::Gid from_verbs(const ibv_gid& gid) {
  wire::Gid out;
  std::memcpy(out.bytes.data(), gid.raw, out.bytes.size());
  return out;
}

// ibv_create_ah(3): on Ethernet there is no address without a GID.
bool valid(const ibv_ah_attr& a) {
  if (a.is_global == 0 || a.port_num != 1 || a.grh.sgid_index >= kGidTableEntries) return false;
  const wire::Gid source = device().addresses().gid(a.grh.sgid_index);
  const wire::Gid destination = from_verbs(a.grh.dgid);
  return source != wire::Gid{} && destination != wire::Gid{} &&
         wire::is_ipv4_mapped(source) == wire::is_ipv4_mapped(destination);
}

MemoryRegion* register_region(ibv_pd* pd, void* address, size_t length, uint64_t iova,
                              unsigned int access) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return refuse(error);
  constexpr unsigned int kRemoteWrites = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
  const bool local = (access & IBV_ACCESS_LOCAL_WRITE) != 0;
  if ((!local && (access & kRemoteWrites) != 0) || iova + length < iova) return refuse(EINVAL);
  // The optional range has hints, which who does not know them ignores.
  constexpr unsigned int kKnown = (IBV_ACCESS_HUGETLB << 1) - 1 - IBV_ACCESS_ON_DEMAND;
  if ((access & ~(kKnown | IBV_ACCESS_OPTIONAL_RANGE)) != 0) return refuse(EOPNOTSUPP);
  auto* region = new MemoryRegion{};
  region->context = pd->context;
  region->pd = pd;
  region->addr = address;
  region->length = length;
  region->handle = device().next_handle++;
  region->iova = (access & IBV_ACCESS_ZERO_BASED) != 0 ? 0 : iova;
  region->access = access;
  if (!device().keys.add(*region)) {
    delete region;
    return refuse(ENOMEM);
  }
  ++static_cast<ProtectionDomain*>(pd)->users;
  return region;
}

}  // namespace

extern "C" {

ibv_pd* ibv_alloc_pd(ibv_context* context) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return refuse(error);
  auto* pd = new ProtectionDomain{};
  pd->context = context;
  pd->handle = device().next_handle++;
  return pd;
}

int ibv_dealloc_pd(ibv_pd* base) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  auto* pd = static_cast<ProtectionDomain*>(base);
  if (pd->users > 0) return EBUSY;
  delete pd;
  return 0;
}

ibv_mr*(ibv_reg_mr)(ibv_pd* pd, void* address, size_t length, int access) {
  return register_region(pd, address, length, reinterpret_cast<uint64_t>(address),
                         static_cast<unsigned int>(access));
}
ibv_mr*(ibv_reg_mr_iova)(ibv_pd* pd, void* address, size_t length, uint64_t iova, int access) {
  return register_region(pd, address, length, iova, static_cast<unsigned int>(access));
}
ibv_mr* ibv_reg_mr_iova2(ibv_pd* pd, void* address, size_t length, uint64_t iova,
                         unsigned int access) {
  return register_region(pd, address, length, iova, access);
}
ibv_mr* ibv_reg_dmabuf_mr(ibv_pd*, uint64_t, size_t, uint64_t, int, int) {
  return refuse(EOPNOTSUPP);
}
int ibv_rereg_mr(ibv_mr*, int, ibv_pd*, void*, size_t, int) {
  errno = EOPNOTSUPP;
  return IBV_REREG_MR_ERR_INPUT;
}

int ibv_dereg_mr(ibv_mr* base) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  auto* region = static_cast<MemoryRegion*>(base);
  device().keys.remove(*region);
  --static_cast<ProtectionDomain*>(region->pd)->users;
  delete region;
  return 0;
}

ibv_ah* ibv_create_ah(ibv_pd* pd, ibv_ah_attr* attributes) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return refuse(error);
  if (!valid(*attributes)) return refuse(EINVAL);
  auto* ah = new AddressHandle{};
  ah->context = pd->context;
  ah->pd = pd;
  ah->handle = ah->serial = device().next_handle++;
  // Hop limit and flow label stay at 64 and 0, as with the kernel's Soft-RoCE.
  ah->fields.source_gid = device().addresses().gid(attributes->grh.sgid_index);
  ah->fields.destination_gid = from_verbs(attributes->grh.dgid);
  ah->fields.source_mac = device().addresses().mac();
  ah->fields.destination_mac = destination_mac(ah->fields.destination_gid);
  ah->fields.traffic_class = attributes->grh.traffic_class;
  ah->may_come_back = wire::is_multicast(ah->fields.destination_gid) ||
                      device().addresses().is_own(ah->fields.destination_gid);
  ++static_cast<ProtectionDomain*>(pd)->users;
  return ah;
}

int ibv_destroy_ah(ibv_ah* base) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  auto* ah = static_cast<AddressHandle*>(base);
  --static_cast<ProtectionDomain*>(ah->pd)->users;
  delete ah;
  return 0;
}

int ibv_init_ah_from_wc(ibv_context* context, uint8_t port, ibv_wc* wc, ibv_grh* grh,
                        ibv_ah_attr* out) {
  *out = {};
  out->port_num = port;
  if ((wc->wc_flags & IBV_WC_GRH) == 0) {
    errno = EINVAL;
    return -1;
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(grh);
  // An IPv4 header stands in the last 20 bytes, behind 20 that are 0; IPv6 begins with a 6.
  const bool ipv6 = bytes[0] >> 4 == 6;
  wire::Gid source, own;
  if (ipv6) {
    std::memcpy(source.bytes.data(), bytes + 8, 16);
    std::memcpy(own.bytes.data(), bytes + 24, 16);
    out->grh.traffic_class = static_cast<uint8_t>(base::load_be16(bytes) >> 4);
  } else {
    source = wire::gid_from_ipv4(base::load_be32(bytes + 32));
    own = wire::gid_from_ipv4(base::load_be32(bytes + 36));
    out->grh.traffic_class = bytes[21];
  }
  out->is_global = 1;
  std::memcpy(out->grh.dgid.raw, source.bytes.data(), 16);
  out->grh.hop_limit = 0xff;
  (void)context;
  const std::scoped_lock held(device().lock);
  // What came to a group is answered from the GID of its family.
  const uint8_t by_family = ipv6 ? 0 : 1;
  out->grh.sgid_index = by_family;
  for (uint8_t i = 0; i < kGidTableEntries; ++i) {
    if (device().addresses().gid(i) == own) out->grh.sgid_index = i;
  }
  return 0;
}

ibv_ah* ibv_create_ah_from_wc(ibv_pd* pd, ibv_wc* wc, ibv_grh* grh, uint8_t port) {
  ibv_ah_attr attributes;
  if (ibv_init_ah_from_wc(pd->context, port, wc, grh, &attributes) != 0) return nullptr;
  return ibv_create_ah(pd, &attributes);
}

int ibv_resolve_eth_l2_from_gid(ibv_context*, ibv_ah_attr* attributes, uint8_t mac[6],
                                uint16_t* vlan) {
  wire::store_mac(mac, destination_mac(from_verbs(attributes->grh.dgid)));
  if (vlan != nullptr) *vlan = 0xffff;  // none
  return 0;
}

int ibv_attach_mcast(ibv_qp* qp, const ibv_gid* gid, uint16_t) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  return device().groups.attach(pair_of(qp), from_verbs(*gid));
}

int ibv_detach_mcast(ibv_qp* qp, const ibv_gid* gid, uint16_t) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  return device().groups.detach(pair_of(qp), from_verbs(*gid));
}

// Shared receive queues, imported objects: not supported.
ibv_srq* ibv_create_srq(ibv_pd*, ibv_srq_init_attr*) { return refuse(EOPNOTSUPP); }
int ibv_modify_srq(ibv_srq*, ibv_srq_attr*, int) { return EOPNOTSUPP; }
int ibv_query_srq(ibv_srq*, ibv_srq_attr*) { return EOPNOTSUPP; }
int ibv_destroy_srq(ibv_srq*) { return EOPNOTSUPP; }
ibv_pd* ibv_import_pd(ibv_context*, uint32_t) { return refuse(EOPNOTSUPP); }
void ibv_unimport_pd(ibv_pd*) {}
ibv_mr* ibv_import_mr(ibv_pd*, uint32_t) { return refuse(EOPNOTSUPP); }
void ibv_unimport_mr(ibv_mr*) {}
ibv_dm* ibv_import_dm(ibv_context*, uint32_t) { return refuse(EOPNOTSUPP); }
void ibv_unimport_dm(ibv_dm*) {}

}  // extern "C"

}  // namespace lambdacast::verbs
