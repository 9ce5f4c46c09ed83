// SPDX-License-Identifier: BSD-3-Clause
// What a device, its port and its tables say of themselves.
#include <algorithm>
#include <cstring>

#include "context.h"
#include "device_files.h"

namespace lambdacast::verbs {
namespace {

constexpr uint8_t kPort = 1;
// No IEEE identifier is ours; the kernel's own software devices say this.
constexpr uint32_t kVendor = 0xffffff;

ibv_mtu mtu_code(uint32_t bytes) {
  ibv_mtu code = IBV_MTU_256;
  while (code < IBV_MTU_4096 && (128u << (code + 1)) <= bytes)
    code = static_cast<ibv_mtu>(code + 1);
  return code;
}

// By the enumeration of IBTA vol. 1, 14.2.5.6, the lanes of 25 Gbit/s that come nearest.
void set_rate(ibv_port_attr& port, uint64_t bps) {
  constexpr uint8_t kEdr = 32;  // 25 Gbit/s a lane
  const uint64_t lanes = bps / 25'000'000'000;
  port.active_speed = kEdr;
  port.active_width = bps == 0 || lanes >= 12 ? 8 : lanes >= 8 ? 4 : lanes >= 4 ? 2 : 1;
}

void describe(ibv_device_attr& a) {
  a = {};
  kFirmwareVersion.copy(a.fw_ver, sizeof a.fw_ver - 1);
  a.node_guid = a.sys_image_guid = device().addresses().guid();
  a.max_mr_size = ~uint64_t{0};
  a.page_size_cap = 0xfffff000;
  a.vendor_id = kVendor;
  a.max_qp = kMaxQueuePairs;
  a.max_qp_wr = kMaxWorkRequests;
  a.device_cap_flags = IBV_DEVICE_CURR_QP_STATE_MOD | IBV_DEVICE_SYS_IMAGE_GUID;
  a.max_sge = kMaxSges;
  a.max_cq = 1 << 16;
  a.max_cqe = kMaxCompletions;
  a.max_mr = static_cast<int>(kMaxRegions);
  a.max_pd = 1 << 16;
  a.atomic_cap = IBV_ATOMIC_NONE;
  a.max_mcast_grp = static_cast<int>(kMaxGroups);
  a.max_mcast_qp_attach = static_cast<int>(kMaxAttachedPerGroup);
  a.max_total_mcast_qp_attach = static_cast<int>(kMaxGroups * kMaxAttachedPerGroup);
  a.max_ah = 1 << 16;
  a.max_pkeys = static_cast<uint16_t>(device().settings().pkeys.size());
  a.phys_port_cnt = 1;
}

ibv_gid to_verbs(const wire::Gid& gid) {
  ibv_gid out;
  std::memcpy(out.raw, gid.bytes.data(), sizeof out.raw);
  return out;
}

ibv_gid_entry entry(uint32_t index) {
  return {to_verbs(device().addresses().gid(index)), index, kPort, IBV_GID_TYPE_ROCE_V2, 0};
}

bool is_empty(uint32_t index) { return device().addresses().gid(index) == wire::Gid{}; }

}  // namespace

int query_port(ibv_context*, uint8_t number, ibv_port_attr* out, size_t bytes) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  if (number != kPort) return EINVAL;
  ibv_port_attr port{};
  port.state = IBV_PORT_ACTIVE;
  port.max_mtu = IBV_MTU_4096;
  port.active_mtu = mtu_code(device().path_mtu());
  port.gid_tbl_len = kGidTableEntries;
  port.port_cap_flags = IBV_PORT_CM_SUP;
  port.max_msg_sz = device().path_mtu();
  port.pkey_tbl_len = static_cast<uint16_t>(device().settings().pkeys.size());
  port.max_vl_num = 1;
  port.phys_state = 5;  // link up
  port.link_layer = IBV_LINK_LAYER_ETHERNET;
  set_rate(port, device().settings().rate_bps);
  std::memset(out, 0, bytes);
  std::memcpy(out, &port, std::min(bytes, sizeof port));
  return 0;
}

int query_device_ex(ibv_context*, const ibv_query_device_ex_input* input, ibv_device_attr_ex* out,
                    size_t bytes) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  if (input != nullptr && input->comp_mask != 0) return EINVAL;
  if (bytes < sizeof(ibv_device_attr)) return EINVAL;
  ibv_device_attr_ex attributes{};
  describe(attributes.orig_attr);
  attributes.phys_port_cnt_ex = 1;
  std::memset(out, 0, bytes);
  std::memcpy(out, &attributes, std::min(bytes, sizeof attributes));
  return 0;
}

extern "C" {

int ibv_query_device(ibv_context*, ibv_device_attr* out) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  describe(*out);
  return 0;
}

// Programs compiled before port_cap_flags2 call this one: their structure ends in front of it.
int(ibv_query_port)(ibv_context* context, uint8_t number, _compat_ibv_port_attr* out) {
  return query_port(context, number, reinterpret_cast<ibv_port_attr*>(out),
                    offsetof(ibv_port_attr, port_cap_flags2));
}

int ibv_query_gid(ibv_context*, uint8_t port, int index, ibv_gid* out) {
  const std::scoped_lock held(device().lock);
  const int error = device().usable();
  if (error != 0 || port != kPort || index < 0 || index >= kGidTableEntries) {
    errno = error != 0 ? error : EINVAL;
    return -1;
  }
  *out = to_verbs(device().addresses().gid(static_cast<size_t>(index)));
  return 0;
}

int ibv_query_pkey(ibv_context*, uint8_t port, int index, __be16* out) {
  const std::scoped_lock held(device().lock);
  const int error = device().usable();
  const auto& keys = device().settings().pkeys;
  if (error != 0 || port != kPort || index < 0 || static_cast<size_t>(index) >= keys.size()) {
    errno = error != 0 ? error : EINVAL;
    return -1;
  }
  *out = __builtin_bswap16(keys[static_cast<size_t>(index)]);
  return 0;
}

int ibv_get_pkey_index(ibv_context* context, uint8_t port, __be16 pkey) {
  __be16 found = 0;
  for (int i = 0; ibv_query_pkey(context, port, i, &found) == 0; ++i) {
    if (found == pkey) return i;
  }
  return -1;
}

int _ibv_query_gid_ex(ibv_context*, uint32_t port, uint32_t index, ibv_gid_entry* out,
                      uint32_t flags, size_t bytes) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  if (flags != 0 || port != kPort || index >= static_cast<uint32_t>(kGidTableEntries))
    return EINVAL;
  if (is_empty(index)) return ENODATA;
  const ibv_gid_entry found = entry(index);
  std::memcpy(out, &found, std::min(bytes, sizeof found));
  return 0;
}

ssize_t _ibv_query_gid_table(ibv_context*, ibv_gid_entry* out, size_t max_entries, uint32_t flags,
                             size_t bytes) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return -error;
  if (flags != 0 || bytes < sizeof(ibv_gid_entry)) return -EINVAL;
  ssize_t count = 0;
  auto* to = reinterpret_cast<uint8_t*>(out);
  for (uint32_t i = 0; i < static_cast<uint32_t>(kGidTableEntries); ++i) {
    if (is_empty(i)) continue;
    if (static_cast<size_t>(count) == max_entries) return -EINVAL;
    const ibv_gid_entry found = entry(i);
    std::memcpy(to + static_cast<size_t>(count++) * bytes, &found, sizeof found);
  }
  return count;
}

// libibverbs' own numbering: 0 InfiniBand and RoCE v1, 1 RoCE v2.
int ibv_query_gid_type(ibv_context*, uint8_t port, unsigned int index, unsigned int* type) {
  if (port != kPort || index >= static_cast<unsigned int>(kGidTableEntries)) {
    errno = EINVAL;
    return -1;
  }
  *type = 1;
  return 0;
}

}  // extern "C"

}  // namespace lambdacast::verbs
