// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/transmitter.h"

namespace lambdacast::fabric {

Transmitter::Transmitter(uint8_t* segment, const Geometry& geometry, uint32_t wavelength)
    : ring_(segment + geometry.ring_offset(wavelength)),
      control_(reinterpret_cast<WavelengthControl*>(segment + geometry.control_offset(wavelength))),
      mask_(geometry.slots - 1),
      stride_(geometry.slot_stride_bytes()),
      max_frame_bytes_(geometry.frame_bytes) {
  // The head may lag by the burst in which the last owner died: the slots are the truth.
  next_ = control_->head.load(std::memory_order_acquire);
  while (slot_at(next_)->state.load(std::memory_order_acquire) == complete_state(next_)) ++next_;
  end_burst();

  epoch_ = control_->epoch.load(std::memory_order_relaxed) + 1;
  control_->epoch.store(epoch_, std::memory_order_release);
  auto* header = reinterpret_cast<SegmentHeader*>(segment);
  header->lit_generation.fetch_add(1, std::memory_order_release);
}

}  // namespace lambdacast::fabric
