// SPDX-License-Identifier: BSD-3-Clause
// On the embedded fabric: names the endpoints of this process as the owners of their wavelengths,
// and is told by the kernel when the process of another one ends, however it ends. A thread that
// sleeps does both, so that no lcore looks at anything for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "node/life_watch.h"
#include "wire/control/control.h"

namespace lambdacast::rack {

class DeathWatch {
 public:
  // A life that is over, on the thread of the watch.
  using Over = std::function<void(const wire::StreamName&)>;
  // Of the endpoints of this process: the wavelength, which its port has claimed, and its name.
  using Owners = std::vector<std::pair<uint32_t, wire::StreamName>>;

  // Errors: the fabric's, or no thread can be made.
  [[nodiscard]] static base::Result<std::unique_ptr<DeathWatch>> begin(const std::string& fabric,
                                                                       const Owners& owners,
                                                                       Over over);
  ~DeathWatch();  // tells nobody's end any more, and lets go of the names
  DeathWatch(const DeathWatch&) = delete;
  DeathWatch& operator=(const DeathWatch&) = delete;

  // Tells nobody's end any more; the names stay.
  void stop();

 private:
  DeathWatch(std::unique_ptr<fabric::Fabric> fabric, Over over);
  void run();

  std::unique_ptr<fabric::Fabric> fabric_;
  std::vector<std::unique_ptr<fabric::OwnerHold>> holds_;
  fabric::OwnerWatch watch_;
  node::LifeWatch lives_;
  const Over over_;
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace lambdacast::rack
