// SPDX-License-Identifier: BSD-3-Clause
#include "group/directory.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ranks.h"

namespace lambdacast::group {
namespace {

// Nothing but groups.
bool load(Directory& directory, std::span<const uint8_t> in, size_t ranks) {
  return directory.load(in, ranks) && in.empty();
}

TEST(Directory, NamesHaveNumbersOfTheirOwn) {
  Directory directory(1024);
  std::set<uint32_t> numbers;
  for (int i = 0; i < 1024; ++i) {
    const std::string name = "group " + std::to_string(i);
    const Group* const group = directory.enroll(name);
    ASSERT_NE(group, nullptr);
    EXPECT_GE(group->number, wire::kFirstNamedGroup);
    EXPECT_LT(group->number, wire::kDirectoryGroup);
    EXPECT_TRUE(numbers.insert(group->number).second);
    EXPECT_EQ(directory.find(name), group);
    EXPECT_EQ(directory.find(group->number), group);
    EXPECT_EQ(directory.enroll(name), group) << "twice is once";
  }
  EXPECT_EQ(directory.enroll("one more"), nullptr);
  EXPECT_EQ(directory.find("one more"), nullptr);
}

TEST(Directory, a_wish_for_an_engine__expect_a_number_that_it_orders) {
  const auto ring = [](uint32_t number) { return number % 2 == 1; };
  const EngineFits fits = [&](uint32_t number, Engine engine) {
    return engine == Engine::kAny || ring(number) == (engine == Engine::kRing);
  };
  Directory directory(1024, fits);
  Directory other(1024, fits);
  for (int i = 0; i < 100; ++i) {
    const std::string name = "group " + std::to_string(i);
    const Engine engine = i % 2 == 0 ? Engine::kRing : Engine::kSequencer;
    const uint32_t number = directory.enroll(name, engine)->number;
    EXPECT_EQ(ring(number), engine == Engine::kRing) << name;
    EXPECT_EQ(other.enroll(name, engine)->number, number) << name;
    EXPECT_EQ(directory.enroll(name, Engine::kAny)->number, number) << "it has its number";
  }
  Directory free(1024, fits);
  EXPECT_EQ(free.enroll("a")->number, numbered(hash_name("a"), 0));
}

// Of two names that ask for the same number first, the one that is enrolled first has it.
TEST(Directory, ACollisionIsResolvedByTheOrderOfRegistration) {
  const std::string first = "a";
  const uint32_t wanted = numbered(hash_name(first), 0);
  Directory directory(8);
  directory.known(wanted);  // joined by its number, the name still to come
  EXPECT_EQ(directory.enroll(first)->number, wanted) << "free for whoever registers it";
  Directory other(8);
  Group* const taken = other.known(wanted);
  taken->name_bytes = 1;
  taken->text[0] = 'b';  // another name's
  EXPECT_EQ(other.enroll(first)->number, numbered(hash_name(first), 1));
}

TEST(Directory, SavedAndLoadedIsTheSame) {
  Directory directory(16);
  directory.enroll("a")->members = members_of(0b111, 0b110, 0b100);
  directory.enroll("a longer name, with \xc3\xa4")->members = members_of(0b1000, 0, 0);
  directory.known(wire::kFirstNamedGroup + 7);
  std::vector<uint8_t> saved;
  directory.save(saved, 4);
  Directory loaded(16);
  loaded.enroll("is forgotten");
  ASSERT_TRUE(load(loaded, saved, 4));
  EXPECT_EQ(loaded.size(), 3u);
  EXPECT_EQ(loaded.find("is forgotten"), nullptr);
  for (size_t i = 0; i < directory.size(); ++i) {
    const Group* const group = loaded.find(directory.at(i).number);
    ASSERT_NE(group, nullptr);
    EXPECT_EQ(group->name(), directory.at(i).name());
    EXPECT_EQ(group->members, directory.at(i).members);
    EXPECT_EQ(group->local, Group::kNotLocal);
  }
  std::vector<uint8_t> again;
  loaded.save(again, 4);
  EXPECT_EQ(again, saved);
}

// The bytes of a view of up to 64 members are those that nodes of earlier versions know.
TEST(Directory, OneWordASetInViewsOfUpTo64Members) {
  Directory directory(4);
  directory.enroll("ab")->members = members_of(uint64_t{1} << 63 | 0b11, 0b10, 0b10);
  std::vector<uint8_t> saved;
  directory.save(saved, 64);
  ASSERT_EQ(saved.size(), 4u + 3 * 8 + 1 + 2);
  EXPECT_EQ(saved[4], 0x80);
  EXPECT_EQ(saved[11], 0b11);
  EXPECT_EQ(saved[19], 0b10);
  EXPECT_EQ(saved[27], 0b10);
  EXPECT_EQ(saved[28], 2) << "bytes of the name";
}

TEST(Directory, TwoWordsASetInLargerViews) {
  for (const size_t members : {size_t{65}, size_t{80}, NodeSet::kCapacity}) {
    Directory directory(4);
    const size_t first = members - 4;
    directory.enroll("ab")->members = members_of(0b1111, 0b1100, 0b1000, first);
    directory.enroll("c")->members.all = NodeSet::first(members);
    std::vector<uint8_t> saved;
    directory.save(saved, members);
    ASSERT_EQ(saved.size(), 2 * (4u + 3 * 16 + 1) + 3);
    Directory loaded(4);
    ASSERT_TRUE(load(loaded, saved, members));
    EXPECT_EQ(loaded.find("ab")->members, members_of(0b1111, 0b1100, 0b1000, first));
    EXPECT_EQ(loaded.find("c")->members.all.count(), members);
    EXPECT_FALSE(load(loaded, saved, members - 1)) << "a member that is none";
  }
}

TEST(Directory, LoadsNothingThatCannotBe) {
  Directory directory(4);
  directory.enroll("ab")->members = members_of(0b11, 0b10, 0b10);
  std::vector<uint8_t> good;
  directory.save(good, 2);
  ASSERT_TRUE(load(directory, good, 2));
  for (size_t cut = 1; cut < good.size(); ++cut) {
    EXPECT_FALSE(load(directory, std::span(good).first(cut), 2)) << cut;
    EXPECT_EQ(directory.size(), 0u);
  }
  EXPECT_FALSE(load(directory, good, 1)) << "a member that is none";
  const auto refused = [&](size_t at, uint8_t value) {
    std::vector<uint8_t> bad = good;
    bad[at] = value;
    return !load(directory, bad, 2);
  };
  EXPECT_TRUE(refused(0, 0)) << "not a named group's number";
  EXPECT_TRUE(refused(19, 0b100)) << "waits and is no member";
  EXPECT_TRUE(refused(27, 0b01)) << "unserved, but does not wait";
  EXPECT_TRUE(refused(28, 63)) << "a name beyond the end";
  EXPECT_TRUE(refused(29, '\n')) << "no name";
  std::vector<uint8_t> twice = good;
  twice.insert(twice.end(), good.begin(), good.end());
  EXPECT_FALSE(load(directory, twice, 2));
  std::vector<uint8_t> many;
  Directory large(8);
  for (char name = 'a'; name < 'f'; ++name) large.enroll(std::string(1, name));
  large.save(many, 2);
  EXPECT_FALSE(load(directory, many, 2)) << "more than it has room for";
}

}  // namespace
}  // namespace lambdacast::group
