// SPDX-License-Identifier: BSD-3-Clause
// The header of every control payload that this endpoint writes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/control/control.h"

namespace lambdacast::reliability {

[[nodiscard]] inline wire::ControlHeader control_header(const wire::StreamName& self,
                                                        wire::ControlKind kind, size_t entries) {
  wire::ControlHeader header;
  header.kind = kind;
  header.incarnation = self.incarnation;
  header.data_qpn = self.qpn;
  header.entries = static_cast<uint16_t>(entries);
  return header;
}

}  // namespace lambdacast::reliability
