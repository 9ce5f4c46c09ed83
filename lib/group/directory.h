// The groups of the fabric: names, numbers and members. Every endpoint with membership has the same
// one after the same events, so that it can tell a newcomer.
//
// Bounded: Config::names groups, never fewer again, because a publisher may know a group's number
// that has no member now. Not thread-safe. Allocates at construction only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "group/members.h"
#include "group/numbering.h"

namespace lambdacast::group {

struct Group {  // 120 bytes
  uint32_t number = kNoGroup;
  uint32_t local = kNotLocal;  // the owner's, of a group that this endpoint has joined
  uint8_t name_bytes = 0;      // 0: someone has joined, and its registration is still to come
  char text[wire::kMaxGroupNameBytes];
  Members members;

  static constexpr uint32_t kNotLocal = ~uint32_t{0};
  [[nodiscard]] std::string_view name() const { return {text, name_bytes}; }
};

// A group's name in four bytes: its place in the directory and how long it is. Until clear().
struct NameKey {
  static constexpr uint32_t kLengthBits = 6;
  uint32_t place_and_bytes = 0;
};
static_assert(wire::kMaxGroupNameBytes < size_t{1} << NameKey::kLengthBits);

class Directory {
 public:
  explicit Directory(size_t names);  // a power of two, 2^26 at most

  void clear();
  [[nodiscard]] size_t size() const { return used_; }
  [[nodiscard]] size_t capacity() const { return names_; }
  [[nodiscard]] Group& at(size_t i) { return groups_[i]; }
  [[nodiscard]] const Group& at(size_t i) const { return groups_[i]; }

  [[nodiscard]] NameKey key_of(const Group& group) const {
    const auto place = static_cast<uint32_t>(&group - groups_.get());
    return {place << NameKey::kLengthBits | group.name_bytes};
  }
  // Looks at nothing of the group.
  [[nodiscard]] std::string_view name(NameKey key) const {
    return {groups_[key.place_and_bytes >> NameKey::kLengthBits].text,
            key.place_and_bytes & ((1u << NameKey::kLengthBits) - 1)};
  }

  // Null: there is none.
  [[nodiscard]] Group* find(std::string_view name);
  [[nodiscard]] Group* find(uint32_t number);
  [[nodiscard]] const Group* find(std::string_view name) const {
    return const_cast<Directory*>(this)->find(name);
  }
  [[nodiscard]] const Group* find(uint32_t number) const {
    return const_cast<Directory*>(this)->find(number);
  }

  // The name's group, which has a number from now on. Null: there is no room.
  Group* enroll(std::string_view name);
  // A group whose name is not known yet: its registration comes in another domain. Null: no room.
  Group* known(uint32_t number);

  // For newcomers of a view of `ranks` members: everything but `local`. At most 92 bytes a group in
  // views of up to 64 members, 116 in larger ones.
  void save(std::vector<uint8_t>& out, size_t ranks) const;
  // False: not what save() writes; nothing is known then. `ranks` of members at most.
  [[nodiscard]] bool load(std::span<const uint8_t> in, size_t ranks);

 private:
  [[nodiscard]] size_t slot_of(uint64_t hash) const { return hash & (2 * names_ - 1); }
  [[nodiscard]] static uint64_t hash_number(uint32_t number) { return base::mix64(number); }
  Group& add(uint32_t number);
  void give_name(Group& group, std::string_view name);
  [[nodiscard]] bool load_group(std::span<const uint8_t>& in, size_t words, NodeSet allowed);

  size_t names_;
  size_t used_ = 0;
  std::unique_ptr<Group[]> groups_;  // touched only as needed
  // Open addressing, half full at most: a group's place in groups_ plus 1.
  std::vector<uint32_t> by_name_;
  std::vector<uint32_t> by_number_;
};

}  // namespace lambdacast::group
