// SPDX-License-Identifier: BSD-3-Clause
#include "counters/drop_reason.h"

#include "counters/snake_case.h"

namespace lambdacast::counters {
namespace {

constexpr std::array<Key, kDropReasons> kKeys{
    snake_case("None"),
#define LAMBDACAST_DROP(name, help) snake_case(#name),
#include "counters/drop_reason.def"
#undef LAMBDACAST_DROP
};

constexpr std::array<const char*, kDropReasons> kHelp{
    "The frame was not dropped.",
#define LAMBDACAST_DROP(name, help) help,
#include "counters/drop_reason.def"
#undef LAMBDACAST_DROP
};

}  // namespace

const char* name(DropReason reason) {
  const auto index = static_cast<size_t>(reason);
  return index < kDropReasons ? kKeys[index].data() : "invalid";
}

const char* help(DropReason reason) {
  const auto index = static_cast<size_t>(reason);
  return index < kDropReasons ? kHelp[index] : "Not a drop reason.";
}

}  // namespace lambdacast::counters
