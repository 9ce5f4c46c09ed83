// SPDX-License-Identifier: BSD-3-Clause
// The groups of the fabric: names, numbers and members. The directories of all endpoints with
// membership are equal after the same events, so that any of them can tell a newcomer.
//
// It has room for a fixed number of groups. None is ever removed: a publisher may know the number
// of a group that has no member now. Not thread-safe. Allocates at construction only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "group/handlers.h"
#include "group/members.h"
#include "group/numbering.h"

namespace lambdacast::group {

struct Group {  // 128 bytes
  uint32_t number = kNoGroup;
  uint32_t local = kNotLocal;  // place among LocalGroups, if this endpoint has joined
  uint8_t name_bytes = 0;      // 0: the registration is still to come, behind a join
  char text[wire::kMaxGroupNameBytes];
  uint8_t minimum = 0;          // members with state with which it goes on
  bool told_suspended = false;  // as the last event left it
  Members members;

  [[nodiscard]] bool suspended() const { return members.holders().count() < minimum; }

  static constexpr uint32_t kNotLocal = ~uint32_t{0};
  [[nodiscard]] std::string_view name() const { return {text, name_bytes}; }
};

// A group's name in four bytes: its place in the directory and its length. Valid until clear().
struct NameKey {
  static constexpr uint32_t kLengthBits = 6;
  uint32_t place_and_bytes = 0;
};
static_assert(wire::kMaxGroupNameBytes < size_t{1} << NameKey::kLengthBits);

// Does that engine order the group of that number? Null: one orders all.
using EngineFits = std::function<bool(uint32_t number, Engine engine)>;

class Directory {
 public:
  // `names`: a power of two, 2^26 at most. `fits` is the same at every endpoint.
  explicit Directory(size_t names, EngineFits fits = {});

  void clear();
  [[nodiscard]] size_t size() const { return used_; }
  [[nodiscard]] size_t capacity() const { return names_; }
  [[nodiscard]] Group& at(size_t i) { return groups_[i]; }
  [[nodiscard]] const Group& at(size_t i) const { return groups_[i]; }

  [[nodiscard]] NameKey key_of(const Group& group) const {
    return {static_cast<uint32_t>(index_of(group)) << NameKey::kLengthBits | group.name_bytes};
  }
  // Reads nothing of the group.
  [[nodiscard]] std::string_view name(NameKey key) const {
    return {groups_[key.place_and_bytes >> NameKey::kLengthBits].text,
            key.place_and_bytes & ((1u << NameKey::kLengthBits) - 1)};
  }

  // Null: there is no such group.
  [[nodiscard]] Group* find(std::string_view name);
  [[nodiscard]] Group* find(uint32_t number);
  [[nodiscard]] const Group* find(std::string_view name) const {
    return const_cast<Directory*>(this)->find(name);
  }
  [[nodiscard]] const Group* find(uint32_t number) const {
    return const_cast<Directory*>(this)->find(number);
  }

  // Gives the name a number, unless it has one, and returns its group. Null: there is no room.
  // A new name gets a number of a group that the engine orders.
  Group* enroll(std::string_view name, Engine engine = Engine::kAny);
  // With so few members with state the group is suspended from now on.
  void set_minimum(Group& group, uint8_t minimum) {
    group.minimum = minimum;
    any_minimum_ |= minimum != 0;
  }
  // A member joined or left the group at that place of the epoch. A new view of the nodes changes
  // all groups, so that newcomers know of each as much as the others.
  void change(const Group& group, uint64_t place) { changed_[index_of(group)] = place; }
  void begin_view() { std::fill_n(changed_.begin(), used_, 0); }
  // 0: the beginning of the view.
  [[nodiscard]] uint64_t last_change(const Group& group) const { return changed_[index_of(group)]; }
  // False: no group is ever suspended.
  [[nodiscard]] bool any_minimum() const { return any_minimum_; }
  // The group of that number. Its name may be unknown yet: the registration comes in another domain
  // of the order. Null: there is no room.
  Group* known(uint32_t number);

  // Appends numbers, names and members, for newcomers of a view of `ranks` members: at most 92
  // bytes a group in views of up to 64 members, 116 in larger ones.
  void save(std::vector<uint8_t>& out, size_t ranks) const;
  static constexpr size_t kMostSavedBytes = 53 + wire::kMaxGroupNameBytes;
  // Takes what save() writes in a view of `ranks` members off `in`, up to the first record that is
  // no group's. False: it cannot be; the directory is empty then.
  [[nodiscard]] bool load(std::span<const uint8_t>& in, size_t ranks);

 private:
  [[nodiscard]] size_t index_of(const Group& group) const {
    return static_cast<size_t>(&group - groups_.get());
  }
  [[nodiscard]] size_t slot_of(uint64_t hash) const { return hash & (2 * names_ - 1); }
  [[nodiscard]] static uint64_t hash_number(uint32_t number) { return base::mix64(number); }
  Group& add(uint32_t number);
  void give_name(Group& group, std::string_view name);
  [[nodiscard]] bool load_group(std::span<const uint8_t>& in, size_t words, NodeSet allowed);

  size_t names_;
  EngineFits fits_;
  std::vector<uint64_t> changed_;  // of each group, its last change's place in the epoch
  size_t used_ = 0;
  bool any_minimum_ = false;
  std::unique_ptr<Group[]> groups_;  // not initialised: pages are touched as groups come
  // Open addressing, half full at most: a group's place in groups_ plus 1.
  std::vector<uint32_t> by_name_;
  std::vector<uint32_t> by_number_;
};

}  // namespace lambdacast::group
