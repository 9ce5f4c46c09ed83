// SPDX-License-Identifier: BSD-3-Clause
// An open port of a verbs device, with what the queue pairs on it have in common. Control thread.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "verbs_devargs.h"
#include "wire/roce/gid.h"

namespace lambdacast::net_verbs {

class Device {
 public:
  // Errors: what is not there, what is instead, and the command that mends it.
  [[nodiscard]] static base::Result<std::unique_ptr<Device>> open(const Devargs& wanted);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] ibv_context* context() const { return context_; }
  [[nodiscard]] ibv_pd* pd() const { return pd_; }
  [[nodiscard]] uint8_t port() const { return port_; }
  [[nodiscard]] const wire::Gid& gid() const { return gid_; }
  [[nodiscard]] uint8_t gid_index() const { return gid_index_; }
  [[nodiscard]] uint16_t pkey_index() const { return pkey_index_; }
  [[nodiscard]] uint32_t path_mtu() const { return path_mtu_; }  // bytes of a message at most
  [[nodiscard]] uint32_t max_work_requests() const { return max_work_requests_; }
  // The kernel's interface below it; empty where there is none to be found.
  [[nodiscard]] const std::string& interface() const { return interface_; }
  // That interface's, else one made of the GID.
  [[nodiscard]] const wire::MacAddress& mac() const { return mac_; }
  [[nodiscard]] bool is_up() const;
  [[nodiscard]] uint32_t speed_mbps() const;  // 0: unknown

 private:
  Device() = default;
  [[nodiscard]] base::Result<void> find(const std::string& name);
  [[nodiscard]] base::Result<void> look_at_port();
  [[nodiscard]] base::Result<void> find_gid(const std::optional<wire::Gid>& wanted);
  [[nodiscard]] base::Result<void> find_pkey(uint16_t wanted);
  void find_interface();

  std::string name_;
  ibv_context* context_ = nullptr;
  ibv_pd* pd_ = nullptr;
  uint8_t port_ = 1;
  wire::Gid gid_;
  uint8_t gid_index_ = 0;
  uint16_t pkey_index_ = 0;
  uint32_t path_mtu_ = 0;
  uint32_t max_work_requests_ = 0;
  std::string interface_;
  wire::MacAddress mac_;
};

[[nodiscard]] ibv_gid to_verbs(const wire::Gid& gid);
[[nodiscard]] wire::Gid from_verbs(const ibv_gid& gid);

}  // namespace lambdacast::net_verbs
