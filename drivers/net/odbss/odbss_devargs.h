// SPDX-License-Identifier: BSD-3-Clause
// Device arguments of net_odbss, the only way to configure a port from outside:
//
//   fabric=NAME           which fabric; default "odbss"
//   wavelength=W          what this port transmits on: C21 .. C60, in a fabric on the 50 GHz grid
//                         also H21 .. H60, an index 0 .. 79, or none; required
//   select=W:W:...        wavelengths it listens to; default all
//   loopback=0|1          hear the own wavelength too; default 0
//   rx_queues=one|wavelength   one queue for all, or up to one per selected wavelength; default one
//   mac=xx:xx:xx:xx:xx:xx default 02:4f:44:.. from fabric name and wavelength
//   wavelengths= slots= frame_bytes=   the fabric's geometry (lib/fabric/geometry.h)
//   grid=100GHz|50GHz     what its indices stand for: C34 is 13 or 26; default the fabric's, and
//                         100GHz for a new one
//   line_rate=            bits/s the transmitter's wavelength carries; default 0, unlimited
// Faults at this receiver (lib/fabric/faults.h has their meaning and defaults):
//   loss= corrupt= duplicate=          probabilities 0 .. 1
//   burst_enter= burst_leave= burst_loss=   bursts of loss: probabilities
//   delay_ns= jitter_ns=               of the fibre
//   rx_rate= rx_buffer=                bits/s and bytes of all wavelengths together; spread evenly
//                                      over the receive queues
//   seed=                              of the faults; default 1
#pragma once

#include <rte_ether.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "fabric/faults.h"
#include "wdm/channel.h"

namespace lambdacast::odbss {

// A wavelength by name or by index. The fabric's grid decides which index a name has.
using Wavelength = std::variant<wdm::Channel, uint32_t>;

// Returns the wavelength as a user writes it: "C34" or "41".
[[nodiscard]] std::string text(const Wavelength& wavelength);
// Returns the index in a fabric of that grid, or an error if the channel is not on the grid.
[[nodiscard]] base::Result<uint32_t> index_of(const Wavelength& wavelength, wdm::Grid grid);

struct Devargs {
  std::string fabric = "odbss";
  std::optional<Wavelength> wavelength;  // nothing: receive only
  std::vector<Wavelength> select;        // empty: all
  bool loopback = false;
  bool queue_per_wavelength = false;
  std::optional<rte_ether_addr> mac;
  fabric::AttachOptions attach;
  uint64_t line_rate_bps = 0;
  fabric::FaultRates faults;
};

// The help for usage texts and for the driver's registration, which wants a literal.
#define ODBSS_DEVARGS_HELP                                                                      \
  "fabric=<name> wavelength=<C21..C60|H21..H60|0..79|none> select=<all|W:W:..> loopback=<0|1> " \
  "rx_queues=<one|wavelength> mac=<address> wavelengths=<1..80> slots=<2^n> "                   \
  "frame_bytes=<64..16384> grid=<100GHz|50GHz> line_rate=<bits/s> loss=<0..1> corrupt=<0..1> "  \
  "duplicate=<0..1> "                                                                           \
  "burst_enter=<0..0.5> burst_leave=<1e-6..1> burst_loss=<0..1> delay_ns=<0..1e8> "             \
  "jitter_ns=<0..1e8> rx_rate=<bits/s> rx_buffer=<bytes> seed=<u64>"

// The values that select= allows, for code that finds a mistake later.
inline constexpr char kSelectAllowed[] =
    "all, or wavelengths (C21 to C60, H21 to H60 or 0 to 79) separated by ':', none twice";

// The error names the argument, its value and what is allowed.
[[nodiscard]] base::Result<Devargs> parse_devargs(const char* text);

}  // namespace lambdacast::odbss
