// SPDX-License-Identifier: BSD-3-Clause
// Reads cases of max-min sharing from standard input and prints the shares, a line for each:
//   TRANSMITTERS RECEIVERS CAP... ROOM... HEARS...
// HEARS has for each receiver one number for each transmitter, 1: it hears it. What has no limit is
// 18446744073709551615.
#include <iostream>
#include <vector>

#include "rate_control/max_min.h"

using namespace lambdacast;

int main() {
  size_t transmitters = 0;
  size_t receivers = 0;
  while (std::cin >> transmitters >> receivers) {
    std::vector<uint64_t> cap(transmitters);
    std::vector<uint64_t> room(receivers);
    std::vector<base::NodeSet> hears(receivers);
    for (uint64_t& bps : cap) std::cin >> bps;
    for (uint64_t& bps : room) std::cin >> bps;
    for (base::NodeSet& heard : hears) {
      for (size_t i = 0; i < transmitters; ++i) {
        int is_heard = 0;
        std::cin >> is_heard;
        if (is_heard != 0) heard.add(i);
      }
    }
    std::vector<rate_control::FilledShare> shares(transmitters);
    rate_control::fill({cap, room, hears}, shares);
    for (const auto& share : shares) std::cout << share.bps << ' ';
    std::cout << '\n';
  }
}
