// SPDX-License-Identifier: BSD-3-Clause
#include "verbs_counters.h"

#include "counters/snake_case.h"

namespace lambdacast::verbs {
namespace {

constexpr std::array kKeys{
#define LAMBDACAST_VERBS_COUNTER(name, help) counters::snake_case(#name),
#include "counters.def"
#undef LAMBDACAST_VERBS_COUNTER
};

}  // namespace

void write(std::ostream& out, const VerbsCounters& counters) {
  for (size_t i = 0; i < kKeys.size(); ++i) {
    out << kKeys[i].data() << ' ' << counters.values[i] << '\n';
  }
  for (size_t i = 1; i < counters::kDropReasons; ++i) {
    const auto reason = static_cast<counters::DropReason>(i);
    if (counters.drops[reason] != 0) {
      out << "drop_" << counters::name(reason) << ' ' << counters.drops[reason] << '\n';
    }
  }
}

}  // namespace lambdacast::verbs
