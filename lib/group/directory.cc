// SPDX-License-Identifier: BSD-3-Clause
#include "group/directory.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace lambdacast::group {
namespace {

// A group without its name; each of the three sets of ranks takes so many words.
constexpr size_t saved_bytes(size_t words) { return 4 + 3 * 8 * words + 1; }

}  // namespace

Directory::Directory(size_t names, EngineFits fits)
    : names_(names),
      fits_(std::move(fits)),
      changed_(names),
      groups_(std::make_unique_for_overwrite<Group[]>(names)),
      by_name_(2 * names),
      by_number_(2 * names) {}

void Directory::clear() {
  used_ = 0;
  any_minimum_ = false;
  std::fill(by_name_.begin(), by_name_.end(), 0);
  std::fill(by_number_.begin(), by_number_.end(), 0);
}

Group* Directory::find(std::string_view name) {
  for (size_t i = slot_of(hash_name(name)); by_name_[i] != 0; i = slot_of(i + 1)) {
    Group& group = groups_[by_name_[i] - 1];
    if (group.name() == name) return &group;
  }
  return nullptr;
}

Group* Directory::find(uint32_t number) {
  for (size_t i = slot_of(hash_number(number)); by_number_[i] != 0; i = slot_of(i + 1)) {
    Group& group = groups_[by_number_[i] - 1];
    if (group.number == number) return &group;
  }
  return nullptr;
}

Group& Directory::add(uint32_t number) {
  changed_[used_] = 0;
  Group& group = groups_[used_++];
  group = Group{};
  group.number = number;
  size_t i = slot_of(hash_number(number));
  while (by_number_[i] != 0) i = slot_of(i + 1);
  by_number_[i] = static_cast<uint32_t>(used_);
  return group;
}

void Directory::give_name(Group& group, std::string_view name) {
  group.name_bytes = static_cast<uint8_t>(name.size());
  std::copy(name.begin(), name.end(), group.text);
  size_t i = slot_of(hash_name(name));
  while (by_name_[i] != 0) i = slot_of(i + 1);
  by_name_[i] = static_cast<uint32_t>(&group - groups_.get()) + 1;
}

// A number that has been joined, and has no name yet, is free: it can only be this name's. Another
// name's registration would come before this one at all endpoints, so the number would be taken.
Group* Directory::enroll(std::string_view name, Engine engine) {
  if (Group* const known = find(name); known != nullptr) return known;
  const uint64_t hash = hash_name(name);
  for (uint32_t attempt = 0;; ++attempt) {
    const uint32_t number = numbered(hash, attempt);
    if (fits_ && !fits_(number, engine)) continue;
    Group* group = find(number);
    if (group != nullptr && group->name_bytes != 0) continue;
    if (group == nullptr && used_ == names_) return nullptr;
    if (group == nullptr) group = &add(number);
    give_name(*group, name);
    return group;
  }
}

Group* Directory::known(uint32_t number) {
  if (Group* const group = find(number); group != nullptr) return group;
  return used_ == names_ ? nullptr : &add(number);
}

void Directory::save(std::vector<uint8_t>& out, size_t ranks) const {
  const size_t words = wire::rank_words(ranks);
  const size_t head = saved_bytes(words);
  for (size_t i = 0; i < used_; ++i) {
    const Group& group = groups_[i];
    const size_t at = out.size();
    out.resize(at + head + group.name_bytes);
    uint8_t* to = out.data() + at;
    base::store_be32(to, group.number);
    size_t at_set = 4;
    for (const NodeSet* set :
         {&group.members.all, &group.members.waiting, &group.members.unserved}) {
      wire::store_ranks(*set, words, to + at_set);
      at_set += 8 * words;
    }
    to[at_set] = group.name_bytes;
    std::memcpy(to + head, group.text, group.name_bytes);
  }
}

bool Directory::load(std::span<const uint8_t>& in, size_t ranks) {
  clear();
  while (in.size() >= 4 && base::load_be32(in.data()) >= wire::kFirstNamedGroup) {
    if (load_group(in, wire::rank_words(ranks), NodeSet::first(ranks))) continue;
    clear();
    return false;
  }
  return true;
}

bool Directory::load_group(std::span<const uint8_t>& in, size_t words, NodeSet allowed) {
  if (in.size() < saved_bytes(words) || used_ == names_) return false;
  const uint32_t number = base::load_be32(in.data());
  const uint8_t* const sets = in.data() + 4;
  const Members members{wire::load_ranks(sets, words), wire::load_ranks(sets + 8 * words, words),
                        wire::load_ranks(sets + 16 * words, words)};
  const size_t bytes = in[saved_bytes(words) - 1];
  in = in.subspan(saved_bytes(words));
  const bool nested = members.all.within(allowed) && members.waiting.within(members.all) &&
                      members.unserved.within(members.waiting);
  if (!nested || bytes > in.size() || number - wire::kFirstNamedGroup >= wire::kNamedGroups ||
      find(number) != nullptr) {
    return false;
  }
  const std::string_view name{reinterpret_cast<const char*>(in.data()), bytes};
  if (bytes != 0 && (!wire::valid_group_name(name) || find(name) != nullptr)) return false;
  Group& group = add(number);
  group.members = members;
  if (bytes != 0) give_name(group, name);
  in = in.subspan(bytes);
  return true;
}

}  // namespace lambdacast::group
