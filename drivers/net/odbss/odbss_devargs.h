// Device arguments of net_odbss, the only way to configure a port from outside:
//
//   fabric=NAME           which fabric; default "odbss"
//   wavelength=W          what this port transmits on: C21 .. C60, an index 0 .. 79, or none;
//                         required
//   select=W:W:...        wavelengths it listens to; default all
//   loopback=0|1          hear the own wavelength too; default 0
//   rx_queues=one|wavelength   one queue for all, or up to one per selected wavelength; default one
//   mac=xx:xx:xx:xx:xx:xx default 02:4f:44:.. from fabric name and wavelength
//   wavelengths= slots= frame_bytes=   the fabric's geometry (lib/fabric/geometry.h)
//   loss= corrupt= duplicate=          faults at this receiver, probabilities 0 .. 1
//   seed=                              of the faults; default 1
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rte_ether.h>

#include "base/result.h"
#include "fabric/fabric.h"
#include "fabric/faults.h"

namespace lambdacast::odbss {

struct Devargs {
  std::string fabric = "odbss";
  std::optional<uint32_t> wavelength;  // nothing: receive only
  std::vector<uint32_t> select;        // empty: all
  bool loopback = false;
  bool queue_per_wavelength = false;
  std::optional<rte_ether_addr> mac;
  fabric::AttachOptions attach;
  fabric::FaultRates faults;
};

// For usage texts and the driver's registration, which wants a literal.
#define ODBSS_DEVARGS_HELP                                                                   \
  "fabric=<name> wavelength=<C21..C60|0..79|none> select=<all|W:W:..> loopback=<0|1> "       \
  "rx_queues=<one|wavelength> mac=<address> wavelengths=<1..80> slots=<2^n> "                \
  "frame_bytes=<64..16384> loss=<0..1> corrupt=<0..1> duplicate=<0..1> seed=<u64>"

// The error names the argument, its value and what is allowed.
[[nodiscard]] base::Result<Devargs> parse_devargs(const char* text);

}  // namespace lambdacast::odbss
