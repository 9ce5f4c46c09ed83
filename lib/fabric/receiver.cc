// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/receiver.h"

namespace lambdacast::fabric {

Receiver::Receiver(const uint8_t* segment, const Geometry& geometry, uint32_t wavelength)
    : ring_(segment + geometry.ring_offset(wavelength)),
      control_(reinterpret_cast<const WavelengthControl*>(segment +
                                                          geometry.control_offset(wavelength))),
      mask_(geometry.slots - 1),
      stride_(geometry.slot_stride_bytes()),
      max_frame_bytes_(geometry.frame_bytes) {
  known_head_ = head();
  move_to(known_head_);
}

}  // namespace lambdacast::fabric
