// SPDX-License-Identifier: BSD-3-Clause
// The command line that all peers share.
#pragma once

#include <cstdint>
#include <string>

namespace lambdacast::peers {

enum class Settings : uint8_t {
  kExamples,  // timers as the library's own examples and defaults have them; a receiver waits
              // for its socket
  kTuned,     // repair as fast as the library sensibly allows; a receiver never sleeps
  kOffload,   // UDP alone: tuned, and a batch passes through the kernel as one packet, cut into
              // datagrams by whoever cannot take it whole (UDP_SEGMENT, UDP_GRO)
};

struct Options {
  bool sends = false;
  std::string interface;
  std::string address;  // of that interface: found, not given
  std::string group = "239.192.77.1";
  uint16_t port = 7701;
  uint32_t bytes = 64;     // of a message, header included
  uint64_t rate = 0;       // messages a second; 0: as fast as the peer takes them
  double seconds = 1;      // measured; 0: until count
  uint64_t count = 0;      // measured; 0: until seconds
  double warm_up_s = 0.2;  // sent before, not measured
  double limit_mbps = 0;   // of a peer that limits its rate, in 10^6 bit/s; 0: its most
  double quiet_s = 1.5;    // a receiver that knows how many were sent ends after so much silence
  double deaf_s = 30;      // and one that does not, after so much
  double linger_s = 2;     // a sender goes on with repairs for so long
  Settings settings = Settings::kExamples;
  std::string config;     // Lambdacast alone: the file of its endpoint
  bool coalesce = false;  // and whether messages may share packets
};

// Exits by itself on --help and on a usage error (2).
Options parse_options(int argc, char** argv);

}  // namespace lambdacast::peers
