// SPDX-License-Identifier: BSD-3-Clause
// Tells a wavelength's listeners at once when its owner's process ends, however it ends. A thread
// that does nothing else holds the robust futex OwnerControl::lock: a killed process ends all its
// threads at once, and the kernel marks the futex in the first microseconds of that thread's end.
// It takes the process's memory down after that and its files last, so that a file lock is
// released milliseconds later: 4 to 60 ms for 64 to 256 MB of shared memory.
//
// A stopped process ends no thread, and holds on. A fork's child has no such thread.
#pragma once

#include <linux/futex.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/result.h"
#include "fabric/layout.h"
#include "fabric/mapping.h"

namespace lambdacast::fabric {

// The name that a wavelength's owner gives itself; its listeners know what it means.
using OwnerName = std::array<uint8_t, kOwnerNameBytes>;

class OwnerHold {
 public:
  // `mapping`: of the whole segment, for writing. Error: no thread can be made.
  [[nodiscard]] static base::Result<std::unique_ptr<OwnerHold>> begin(Mapping mapping,
                                                                      std::size_t control_offset,
                                                                      const OwnerName& name);
  ~OwnerHold();  // lets go: the listeners are told that the owner is gone
  OwnerHold(const OwnerHold&) = delete;
  OwnerHold& operator=(const OwnerHold&) = delete;

 private:
  OwnerHold(Mapping mapping, std::size_t control_offset, const OwnerName& name);
  static void* run(void* self);
  void hold();

  Mapping mapping_;
  WavelengthControl& control_;
  const OwnerName name_;
  // What the kernel walks when the thread ends, so that it has to outlive the thread.
  robust_list_head list_{};
  robust_list entry_{};
  pthread_t thread_{};
  bool begun_ = false;
  std::atomic<bool> held_{false};
  std::atomic<bool> ends_{false};
  const uint32_t generation_;  // of the process (locked_file.h)
};

}  // namespace lambdacast::fabric
