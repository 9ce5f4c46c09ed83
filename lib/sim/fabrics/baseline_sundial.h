// SPDX-License-Identifier: BSD-3-Clause
// Sundial 2020 as a baseline: waves of time down a tree that a controller has
// made, and a backup father for each switch, which it turns to by itself when a wave is missing.
// A failure that the backups do not cover waits for the controller, 100 ms.
#pragma once

#include "sim/fabrics/clock_run.h"

namespace lambdacast::sim::fabrics {

inline constexpr uint64_t kControllerNs = 100'000'000;

// The backup root, a child of the root, takes over from it with all that hangs below. By node: the
// port of its backup father; kNoPort: it has none. Backup fathers lead from outside of the backup
// root's subtree into it, and from within out of it: whatever fails, switches that turn together
// make no loop.
struct SundialPlan {
  NodeId backup_root = kNone;
  std::vector<size_t> backup;
  std::vector<bool> below_backup_root;  // or it itself
};
[[nodiscard]] SundialPlan sundial_plan(const Fabric& fabric, const ClockTree& tree);

[[nodiscard]] ClockRun run_sundial(const Fabric& fabric, const ClockTree& tree,
                                   const ClockScenario& scenario);

}  // namespace lambdacast::sim::fabrics
