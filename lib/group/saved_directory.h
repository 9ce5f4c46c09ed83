// SPDX-License-Identifier: BSD-3-Clause
// Saves what a newcomer of the node view is told, as of the view's beginning: all groups
// (Directory), then records of another kind, each behind its type, which is 4 bytes big-endian and
// below any group's number:
//
//   1  lineage 4
//   2  group 4, minimum 1          of each group that has one
//   3  a lock (HandlerTable)       of each that is held or waited for
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "group/directory.h"
#include "group/handler_table.h"

namespace lambdacast::group {

// At most so many bytes with so many groups and locks.
[[nodiscard]] constexpr size_t most_saved_bytes(size_t groups, size_t locks) {
  return groups * (Directory::kMostSavedBytes + 9) + 8 +
         locks * (4 + HandlerTable::kMostSavedBytes);
}

void save_directory(const Directory& directory, const HandlerTable& locks, uint32_t lineage,
                    size_t ranks, std::vector<uint8_t>& out);
// False: these bytes are not what save_directory() writes in a view of `ranks` members. All is
// empty then.
[[nodiscard]] bool load_directory(std::span<const uint8_t> in, size_t ranks, Directory& directory,
                                  HandlerTable& locks, uint32_t& lineage);

}  // namespace lambdacast::group
