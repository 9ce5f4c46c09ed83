// SPDX-License-Identifier: BSD-3-Clause
// Tells the service manager the state of the rack: ready when every port's link is up and every
// endpoint with membership is in a view; alive while every lcore's loop moves; a line of status a
// second. Control thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rack/rack.h"
#include "service_notify.h"

namespace lambdacast::appliance {

class ServiceWatch {
 public:
  explicit ServiceWatch(rack::Rack& rack);

  void look(uint64_t now_ns);
  void stopping() { notify_.stopping(); }

 private:
  [[nodiscard]] bool is_ready() const;
  [[nodiscard]] std::string status() const;
  // Has every lcore begun another loop since this was last true?
  [[nodiscard]] bool lcores_move();

  rack::Rack& rack_;
  ServiceNotify notify_;
  bool ready_ = false;
  std::string said_;  // the last status
  uint64_t next_status_ns_ = 0;
  uint64_t next_alive_ns_ = 0;
  std::vector<uint64_t> loops_;  // of each lcore, when all had moved
};

}  // namespace lambdacast::appliance
