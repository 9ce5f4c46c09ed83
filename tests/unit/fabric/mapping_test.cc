// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/mapping.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "support.h"

namespace lambdacast::fabric {
namespace mapping_test {

using test::Child;

constexpr std::size_t kBytes = 1 << 16;

class MappingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fd_ = ::open((directories_.shm() + "/file").c_str(), O_RDWR | O_CREAT, 0600);
    ASSERT_EQ(::ftruncate(fd_, kBytes), 0);
  }
  void TearDown() override { ::close(fd_); }
  static bool mapped(const void* address) {
    unsigned char in_core;
    return ::mincore(const_cast<void*>(address), 1, &in_core) == 0;
  }
  test::Directories directories_;
  int fd_ = -1;
};

TEST_F(MappingTest, written_expect_seen_by_the_reading_mapping) {
  auto writable = Mapping::map(fd_, kBytes, Mapping::Access::kReadWrite);
  auto readable = Mapping::map(fd_, kBytes, Mapping::Access::kRead);
  ASSERT_TRUE(writable && readable);
  writable->data()[4711] = 42;
  EXPECT_EQ(readable->data()[4711], 42);
  EXPECT_EQ(readable->size(), kBytes);
}

TEST_F(MappingTest, write_through_the_reading_mapping_expect_sigsegv) {
  Child child([&](Child&) {
    ::signal(SIGSEGV, SIG_DFL);
    auto readable = Mapping::map(fd_, kBytes, Mapping::Access::kRead);
    *const_cast<volatile uint8_t*>(readable->data()) = 1;
    return 0;
  });
  EXPECT_EQ(child.join(), -SIGSEGV);
}

TEST_F(MappingTest, no_file_expect_error) {
  const auto mapping = Mapping::map(-1, kBytes, Mapping::Access::kRead);
  ASSERT_FALSE(mapping);
  EXPECT_EQ(mapping.error().message, "cannot map 65536 bytes of the fabric: Bad file descriptor");
}

TEST_F(MappingTest, moved_expect_one_owner_that_unmaps) {
  auto first = Mapping::map(fd_, kBytes, Mapping::Access::kRead);
  ASSERT_TRUE(first);
  const uint8_t* address = first->data();
  Mapping second = std::move(*first);
  EXPECT_EQ(first->data(), nullptr);
  EXPECT_EQ(second.data(), address);
  second = Mapping();
  EXPECT_FALSE(mapped(address));
}

TEST_F(MappingTest, populate_any_range_expect_contents_kept) {
  auto writable = Mapping::map(fd_, kBytes, Mapping::Access::kReadWrite);
  ASSERT_TRUE(writable);
  writable->data()[5000] = 7;
  writable->populate(4999, 3);
  writable->populate(0, kBytes);
  EXPECT_EQ(writable->data()[5000], 7);
}

TEST_F(MappingTest, forked_child_expect_not_mapped_and_what_lies_there_by_then_unharmed) {
  auto mapping = Mapping::map(fd_, kBytes, Mapping::Access::kReadWrite);
  ASSERT_TRUE(mapping);
  Child child([&](Child&) {
    uint8_t* address = mapping->data();
    if (mapped(address)) return 1;
    void* other =
        ::mmap(address, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    *mapping = Mapping();
    return mapped(other) ? 0 : 2;
  });
  EXPECT_EQ(child.join(), 0);
}

}  // namespace mapping_test
}  // namespace lambdacast::fabric
