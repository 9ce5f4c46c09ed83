// SPDX-License-Identifier: BSD-3-Clause
#include "group/saved_directory.h"

#include "base/bytes.h"

namespace lambdacast::group {
namespace {

constexpr uint32_t kLineage = 1;
constexpr uint32_t kMinimum = 2;
constexpr uint32_t kLock = 3;

uint8_t* append(std::vector<uint8_t>& out, uint32_t type, size_t bytes) {
  out.resize(out.size() + 4 + bytes);
  uint8_t* const record = out.data() + out.size() - bytes;
  base::store_be32(record - 4, type);
  return record;
}

// A rank that holds a lock, or waits for it, is a member with state.
bool is_of_members(const Lock& lock, const Directory& directory) {
  const Group* const group = directory.find(lock.group);
  if (group == nullptr) return false;
  const NodeSet holders = group->members.holders();
  for (const uint8_t rank : lock.waiting()) {
    if (!holders.contains(rank)) return false;
  }
  return lock.held() ? holders.contains(lock.holder) : group->suspended();
}

bool load_record(std::span<const uint8_t>& in, size_t ranks, Directory& directory,
                 HandlerTable& locks, uint32_t& lineage) {
  if (in.size() < 8) return false;
  const uint32_t type = base::load_be32(in.data());
  const uint32_t word = base::load_be32(in.data() + 4);
  if (type == kLock) {
    in = in.subspan(4);
    return locks.load(in, ranks);
  }
  if (type == kLineage) {
    lineage = word;
    in = in.subspan(8);
    return true;
  }
  Group* const group = directory.find(word);
  if (type != kMinimum || in.size() < 9 || group == nullptr) return false;
  directory.set_minimum(*group, in[8]);
  group->told_suspended = group->suspended();
  in = in.subspan(9);
  return true;
}

}  // namespace

void save_directory(const Directory& directory, const HandlerTable& locks, uint32_t lineage,
                    size_t ranks, std::vector<uint8_t>& out) {
  directory.save(out, ranks);
  base::store_be32(append(out, kLineage, 4), lineage);
  for (size_t i = 0; i < directory.size(); ++i) {
    const Group& group = directory.at(i);
    if (group.minimum == 0) continue;
    uint8_t* const record = append(out, kMinimum, 5);
    base::store_be32(record, group.number);
    record[4] = group.minimum;
  }
  locks.for_each([&](const Lock& lock) {
    append(out, kLock, 0);
    HandlerTable::save(lock, out);
  });
}

bool load_directory(std::span<const uint8_t> in, size_t ranks, Directory& directory,
                    HandlerTable& locks, uint32_t& lineage) {
  locks.clear();
  bool good = directory.load(in, ranks);
  while (good && !in.empty()) good = load_record(in, ranks, directory, locks, lineage);
  locks.for_each([&](const Lock& lock) { good = good && is_of_members(lock, directory); });
  if (good) return true;
  directory.clear();
  locks.clear();
  return false;
}

}  // namespace lambdacast::group
