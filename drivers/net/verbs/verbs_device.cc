// SPDX-License-Identifier: BSD-3-Clause
#include "verbs_device.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

namespace lambdacast::net_verbs {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string hex(uint16_t value) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%04x", value);
  return text;
}

void add(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

std::string reason(int error) { return std::strerror(error); }

}  // namespace

ibv_gid to_verbs(const wire::Gid& gid) {
  ibv_gid out;
  std::memcpy(out.raw, gid.bytes.data(), sizeof out.raw);
  return out;
}

wire::Gid from_verbs(const ibv_gid& gid) {
  wire::Gid out;
  std::memcpy(out.bytes.data(), gid.raw, out.bytes.size());
  return out;
}

base::Result<std::unique_ptr<Device>> Device::open(const Devargs& wanted) {
  std::unique_ptr<Device> device(new Device);
  device->port_ = wanted.port;
  if (auto found = device->find(wanted.device); !found) return tl::unexpected(found.error());
  if (auto port = device->look_at_port(); !port) return tl::unexpected(port.error());
  if (auto gid = device->find_gid(wanted.gid); !gid) return tl::unexpected(gid.error());
  if (auto pkey = device->find_pkey(wanted.pkey); !pkey) return tl::unexpected(pkey.error());
  device->pd_ = ::ibv_alloc_pd(device->context_);
  if (device->pd_ == nullptr) {
    return base::fail("device " + wanted.device + " gives no protection domain: " + reason(errno));
  }
  device->find_interface();
  return device;
}

Device::~Device() {
  if (pd_ != nullptr) (void)::ibv_dealloc_pd(pd_);
  if (context_ != nullptr) (void)::ibv_close_device(context_);
}

base::Result<void> Device::find(const std::string& name) {
  name_ = name;
  int count = 0;
  ibv_device** list = ::ibv_get_device_list(&count);
  std::string others;
  bool there = false;
  int error = 0;
  for (int i = 0; list != nullptr && i < count; ++i) {
    const std::string each = ::ibv_get_device_name(list[i]);
    add(others, each);
    if (each != name) continue;
    there = true;
    context_ = ::ibv_open_device(list[i]);
    error = errno;
  }
  if (list != nullptr) ::ibv_free_device_list(list);
  if (context_ != nullptr) {
    // Events of the device are taken where nobody may wait.
    const int flags = ::fcntl(context_->async_fd, F_GETFL);
    ::fcntl(context_->async_fd, F_SETFL, flags | O_NONBLOCK);
    return {};
  }
  if (there) return base::fail("verbs device " + name + " does not open: " + reason(error));
  return base::fail("there is no verbs device " + name + "; " +
                    (others.empty() ? "there is none at all: load the network card's RDMA module, "
                                      "or: rdma link add rxe0 type rxe netdev INTERFACE"
                                    : "there are: " + others));
}

base::Result<void> Device::look_at_port() {
  ibv_device_attr device{};
  if (const int error = ::ibv_query_device(context_, &device); error != 0) {
    return base::fail("verbs device " + name_ + " tells nothing about itself: " + reason(error));
  }
  max_work_requests_ = static_cast<uint32_t>(device.max_qp_wr);
  const std::string title = "port " + std::to_string(port_) + " of verbs device " + name_;
  if (port_ > device.phys_port_cnt) {
    return base::fail(title + " is not there; allowed: 1 to " +
                      std::to_string(device.phys_port_cnt));
  }
  ibv_port_attr port{};
  if (const int error = ibv_query_port(context_, port_, &port); error != 0) {
    return base::fail(title + " tells nothing about itself: " + reason(error));
  }
  if (port.link_layer != IBV_LINK_LAYER_ETHERNET) {
    return base::fail(title + " is InfiniBand; allowed: a port of Ethernet (RoCE v2)");
  }
  find_interface();
  if (port.state != IBV_PORT_ACTIVE) {
    return base::fail(title + " is " + ::ibv_port_state_str(port.state) + "; bring it up: " +
                      "ip link set " + (interface_.empty() ? "INTERFACE" : interface_) + " up");
  }
  path_mtu_ = 128u << port.active_mtu;  // IBTA's enumeration: 1 is 256
  return {};
}

bool Device::is_up() const {
  ibv_port_attr port{};
  return ibv_query_port(context_, port_, &port) == 0 && port.state == IBV_PORT_ACTIVE;
}

// Lanes times the rate of one, by the enumerations of IBTA vol. 1, 14.2.5.6.
uint32_t Device::speed_mbps() const {
  constexpr std::pair<uint32_t, uint32_t> kLanes[] = {{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}};
  constexpr std::pair<uint32_t, uint32_t> kLaneMbps[] = {{1, 2'500},   {2, 5'000},    {4, 10'000},
                                                         {8, 10'000},  {16, 14'000},  {32, 25'000},
                                                         {64, 50'000}, {128, 100'000}};
  const auto value_of = [](const auto& table, uint32_t code) {
    for (const auto& [each, value] : table) {
      if (each == code) return value;
    }
    return 0u;
  };
  ibv_port_attr port{};
  if (ibv_query_port(context_, port_, &port) != 0) return 0;
  return value_of(kLanes, port.active_width) * value_of(kLaneMbps, port.active_speed);
}

base::Result<void> Device::find_gid(const std::optional<wire::Gid>& wanted) {
  ibv_port_attr port{};
  (void)ibv_query_port(context_, port_, &port);
  std::string others;
  for (uint32_t i = 0; i < static_cast<uint32_t>(port.gid_tbl_len); ++i) {
    ibv_gid_entry entry{};
    if (::ibv_query_gid_ex(context_, port_, i, &entry, 0) != 0) continue;
    if (entry.gid_type != IBV_GID_TYPE_ROCE_V2) continue;
    const wire::Gid gid = from_verbs(entry.gid);
    add(others, wire::format(gid));
    if (wanted && gid != *wanted) continue;
    gid_ = gid;
    gid_index_ = static_cast<uint8_t>(i);
    return {};
  }
  const std::string interface = interface_.empty() ? "INTERFACE" : interface_;
  const std::string text = wanted ? wire::format(*wanted) : "ADDRESS";
  return base::fail("address " + text + " is none of verbs device " + name_ + ", " +
                    (others.empty() ? "which has none for RoCE v2" : "which has " + others) +
                    "; use one of its interface's, or: ip addr add " + text +
                    (wanted && !wire::is_ipv4_mapped(*wanted) ? "/64" : "/24") + " dev " +
                    interface);
}

base::Result<void> Device::find_pkey(uint16_t wanted) {
  ibv_port_attr port{};
  (void)ibv_query_port(context_, port_, &port);
  std::string others;
  for (int i = 0; i < port.pkey_tbl_len; ++i) {
    __be16 key = 0;
    if (::ibv_query_pkey(context_, port_, i, &key) != 0) continue;
    const uint16_t value = __builtin_bswap16(key);
    if (value == wanted) {
      pkey_index_ = static_cast<uint16_t>(i);
      return {};
    }
    if (value != 0) add(others, hex(value));
  }
  return base::fail("pkey " + hex(wanted) + " is not in the table of verbs device " + name_ +
                    "; allowed: " + others);
}

void Device::find_interface() {
  const std::string place = "/sys/class/infiniband/" + name_ + "/ports/" + std::to_string(port_) +
                            "/gid_attrs/ndevs/" + std::to_string(gid_index_);
  interface_ = first_line(place);
  const auto mac = wire::parse_mac(first_line("/sys/class/net/" + interface_ + "/address"));
  // 02: locally administered.
  mac_ = mac ? *mac
             : wire::MacAddress{
                   {0x02, 0x4c, gid_.bytes[12], gid_.bytes[13], gid_.bytes[14], gid_.bytes[15]}};
}

}  // namespace lambdacast::net_verbs
