// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/fabric.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>

#include "fabric/file_owner.h"
#include "support.h"

namespace lambdacast::fabric {
namespace {

using test::Child;

class FabricTest : public ::testing::Test {
 protected:
  [[nodiscard]] AttachOptions small() const { return {2, 64, 256, directories_.plain()}; }
  [[nodiscard]] std::unique_ptr<Fabric> attach(const std::string& name = "rack") const {
    auto fabric = Fabric::attach(name, small());
    EXPECT_TRUE(fabric) << fabric.error().message;
    return fabric ? std::move(*fabric) : nullptr;
  }
  [[nodiscard]] std::string error_of(const std::string& name, const AttachOptions& options) const {
    auto fabric = Fabric::attach(name, options);
    return fabric ? "" : fabric.error().message;
  }
  static std::string claim_error(Fabric& fabric, uint32_t wavelength) {
    auto transmitter = fabric.claim(wavelength);
    return transmitter ? "" : transmitter.error().message;
  }
  test::Directories directories_;
};

TEST_F(FabricTest, first_attach_expect_control_and_data_file_and_the_defaults) {
  auto options = small();
  options.wavelengths.reset();
  options.slots.reset();
  options.frame_bytes = 64;  // small, for the test's sake
  auto fabric = Fabric::attach("rack", options);
  ASSERT_TRUE(fabric);
  EXPECT_EQ((*fabric)->geometry(), (Geometry{40, 1024, 64}));
  EXPECT_EQ(directories_.files(), 2u);
  EXPECT_TRUE(std::filesystem::exists(directories_.shm() + "/odbss.rack"));
  EXPECT_TRUE(std::filesystem::exists((*fabric)->data_path()));
  EXPECT_EQ((*fabric)->data_path().find("map_"), std::string::npos);
}

TEST_F(FabricTest, last_one_out_expect_both_files_removed_and_not_before) {
  auto first = attach();
  auto second = attach();
  first.reset();
  EXPECT_EQ(directories_.files(), 2u);
  EXPECT_NE(attach(), nullptr);
  second.reset();
  EXPECT_EQ(directories_.files(), 0u);
}

TEST_F(FabricTest, bad_name_expect_error_naming_it_and_what_is_allowed) {
  for (const std::string& name : {std::string(), std::string("a/b"), std::string("a b"),
                                  std::string("\xc3\xa4"), std::string(33, 'a')}) {
    EXPECT_EQ(
        error_of(name, small()),
        "fabric=" + name + " is not allowed; allowed: 1 to 32 letters, digits, '_', '.' or '-'");
  }
  EXPECT_EQ(error_of("A_z.0-9", small()), "");
  EXPECT_EQ(error_of(std::string(32, 'a'), small()), "");
  EXPECT_EQ(error_of("map_map_", small()), "");
  EXPECT_EQ(directories_.files(), 0u);
}

TEST_F(FabricTest, bad_geometry_expect_error_and_nothing_left) {
  auto options = small();
  options.slots = 100;
  EXPECT_EQ(error_of("rack", options),
            "slots=100 is not allowed; allowed: a power of two from 64 to 1048576");
  EXPECT_EQ(directories_.files(), 0u);
}

TEST_F(FabricTest, join_without_a_wish_expect_the_geometry_that_is_there) {
  auto first = attach();
  auto second = Fabric::attach("rack", {{}, {}, {}, directories_.plain()});
  ASSERT_TRUE(second);
  EXPECT_EQ((*second)->geometry(), first->geometry());
}

TEST_F(FabricTest, join_with_another_geometry_expect_error_naming_both) {
  auto first = attach();
  auto wavelengths = small(), slots = small(), frame_bytes = small();
  wavelengths.wavelengths = 3;
  slots.slots = 128;
  frame_bytes.frame_bytes = 512;
  EXPECT_EQ(error_of("rack", wavelengths),
            "fabric rack has wavelengths=2, this port asks for wavelengths=3; use the same value "
            "or another fabric name");
  EXPECT_EQ(error_of("rack", slots),
            "fabric rack has slots=64, this port asks for slots=128; "
            "use the same value or another fabric name");
  EXPECT_EQ(error_of("rack", frame_bytes),
            "fabric rack has frame_bytes=256, this port asks for frame_bytes=512; use the same "
            "value or another fabric name");
  EXPECT_EQ(directories_.files(), 2u);
  EXPECT_EQ(claim_error(*first, 0), "");
}

TEST_F(FabricTest, join_with_another_grid_expect_error_naming_both_and_without_one_the_fabrics) {
  auto options = small();
  options.grid_ghz = 50;
  auto first = Fabric::attach("rack", options);
  ASSERT_TRUE(first);
  auto second = Fabric::attach("rack", small());
  ASSERT_TRUE(second);
  EXPECT_EQ((*second)->geometry().grid_ghz, 50u);
  options.grid_ghz = 100;
  EXPECT_EQ(error_of("rack", options),
            "fabric rack has grid=50GHz, this port asks for grid=100GHz; use the same value or "
            "another fabric name");
  options.grid_ghz = 75;
  EXPECT_EQ(error_of("other", options), "grid=75GHz is not allowed; allowed: 100GHz or 50GHz");
}

TEST_F(FabricTest, join_another_layout_version_expect_error_naming_both) {
  auto first = attach();
  const int fd = ::open((directories_.shm() + "/odbss.rack").c_str(), O_RDWR);
  const uint32_t other = kLayoutVersion + 1;
  ASSERT_EQ(::pwrite(fd, &other, sizeof other, offsetof(ControlFile, layout_version)), 4);
  EXPECT_EQ(error_of("rack", small()),
            "fabric rack has layout version 4, this program speaks version 3; end the programs "
            "that use it or choose another fabric name");
  ::close(fd);
}

TEST_F(FabricTest, file_of_somebody_else_in_use_expect_error_and_the_file_kept) {
  const std::string path = directories_.shm() + "/odbss.rack";
  std::ofstream(path) << "not ours";
  LockedFile holder(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(holder.lock_shared());
  EXPECT_EQ(error_of("rack", small()), path +
                                           " is in use but is no fabric of ours; remove it or "
                                           "choose another fabric name");
  EXPECT_EQ(directories_.files(), 1u);
}

// Of another user: made by one's own and given away, as only root can.
TEST_F(FabricTest, fabric_of_another_user__expect_whose_live_or_stale_and_what_mends_it) {
  constexpr uid_t kNobody = 65534;
  auto live = attach();
  const std::string path = directories_.shm() + "/odbss.rack";
  const std::string data = live->data_path();
  if (::chown(path.c_str(), kNobody, kNobody) != 0) GTEST_SKIP() << "only root gives files away";
  const std::string whose = "fabric rack is that of " + user_name(kNobody);
  EXPECT_EQ(error_of("rack", small()),
            whose + " and live: this process uses " + path + "; run as that user, end it (kill " +
                std::to_string(::getpid()) + ") or choose another fabric name");
  live.reset();
  for (const std::string& file : {path, data}) std::ofstream(file) << "left";
  ASSERT_EQ(::chown(path.c_str(), kNobody, kNobody), 0);
  EXPECT_EQ(error_of("rack", small()), whose + " and stale: no process uses " + path +
                                           "; to mend: rm -f " + path + " " + data +
                                           ", or choose another fabric name");
  EXPECT_EQ(directories_.files(), 2u) << "they are not ours to remove";
  ::unlink(path.c_str());
  EXPECT_NE(attach(), nullptr);
}

TEST_F(FabricTest, data_file_of_another_size_expect_error) {
  auto first = attach();
  ASSERT_EQ(::truncate(first->data_path().c_str(), 4096), 0);
  EXPECT_NE(error_of("rack", small()).find("does not have the size of wavelengths=2,slots=64"),
            std::string::npos);
}

TEST_F(FabricTest, all_users_killed_expect_the_stale_fabric_rebuilt_with_another_geometry) {
  Child child([&](Child& parent) {
    auto fabric = attach();
    auto transmitter = fabric->claim(0);
    if (!transmitter) return 1;
    test::send_burst(*transmitter, 10);
    parent.tell();
    return parent.wait() ? 2 : 3;
  });
  ASSERT_TRUE(child.wait());
  EXPECT_NE(error_of("rack", {3, 64, 256, directories_.plain()}), "");
  child.kill(SIGKILL);
  child.join();
  EXPECT_EQ(directories_.files(), 2u);
  auto fabric = Fabric::attach("rack", {3, 64, 256, directories_.plain()});
  ASSERT_TRUE(fabric);
  EXPECT_EQ(directories_.files(), 2u);
  EXPECT_FALSE((*fabric)->listen(0).lit());
  EXPECT_EQ((*fabric)->listen(0).head(), 0u);
}

TEST_F(FabricTest, stale_fabric_and_a_failing_rebuild_expect_nothing_left) {
  Child child([&](Child&) -> int {
    auto fabric = Fabric::attach("rack", {2, 64, 256, directories_.both()});
    ::_exit(fabric ? 0 : 1);  // leaves its files, as a kill does
  });
  ASSERT_EQ(child.join(), 0);
  ASSERT_EQ(directories_.files(), 2u);
  EXPECT_NE(error_of("rack", {0, 64, 256, directories_.both()}), "");
  EXPECT_EQ(directories_.files(), 0u);
}

TEST_F(FabricTest, hugetlbfs_with_room_expect_the_data_there) {
  auto fabric = Fabric::attach("rack", {2, 64, 256, directories_.both()});
  ASSERT_TRUE(fabric);
  EXPECT_EQ((*fabric)->data_path().find(directories_.huge()), 0u);
  // A program that does not know of the hugetlbfs joins by the control file.
  EXPECT_EQ(attach()->data_path(), (*fabric)->data_path());
}

TEST_F(FabricTest, no_room_expect_error_and_nothing_left) {
  Child child([&](Child&) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return error_of("rack", small()).find("cannot reserve 2 MiB") == 0 ? 0 : 1;
  });
  EXPECT_EQ(child.join(), 0);
  EXPECT_EQ(directories_.files(), 0u);
}

TEST_F(FabricTest, claim_beyond_the_geometry_expect_error) {
  EXPECT_EQ(claim_error(*attach(), 2), "wavelength 2 is not on fabric rack, which has 2");
}

TEST_F(FabricTest, claim_a_second_wavelength_expect_error) {
  auto fabric = attach();
  EXPECT_EQ(claim_error(*fabric, 1), "");
  EXPECT_EQ(claim_error(*fabric, 0), "this port already transmits on wavelength 1");
  EXPECT_EQ(fabric->owned_wavelength(), 1u);
}

TEST_F(FabricTest, two_owners_in_one_process_expect_error_until_released) {
  auto first = attach();
  auto second = attach();
  EXPECT_EQ(claim_error(*first, 0), "");
  EXPECT_EQ(claim_error(*second, 0),
            "wavelength 0 of fabric rack already has a transmitter: this process; choose another "
            "wavelength or end it");
  EXPECT_EQ(claim_error(*second, 1), "");
  second->release();
  first->release();
  EXPECT_EQ(claim_error(*second, 0), "");
}

TEST_F(FabricTest, owner_stopped_expect_still_owner_owner_killed_expect_taken_over) {
  auto fabric = attach();
  Receiver receiver = fabric->listen(0);
  Child owner([&](Child& parent) {
    auto its = attach();
    auto transmitter = its->claim(0);
    if (!transmitter) return 1;
    test::send_burst(*transmitter, 7);
    for (int i = 0; i < 2; ++i) test::send_frame(*transmitter);
    (void)transmitter->begin_frame();
    parent.tell();
    return parent.wait() ? 2 : 3;
  });
  ASSERT_TRUE(owner.wait());
  owner.stop();
  EXPECT_EQ(claim_error(*fabric, 0),
            "wavelength 0 of fabric rack already has a transmitter: process " +
                std::to_string(owner.pid()) +
                " (fabric_test); choose another wavelength or end it");
  owner.kill(SIGKILL);
  ASSERT_EQ(owner.join(), -SIGKILL);
  auto transmitter = fabric->claim(0);
  ASSERT_TRUE(transmitter);
  EXPECT_EQ(transmitter->epoch(), 2u);
  EXPECT_EQ(transmitter->next_index(), 9u);
  EXPECT_EQ(receiver.epoch(), 2u);
}

TEST_F(FabricTest, owner_dies_and_its_child_lives_on_expect_the_wavelength_free) {
  auto fabric = attach();
  int alive[2], born[2];
  ASSERT_EQ(::pipe(alive), 0);
  ASSERT_EQ(::pipe(born), 0);
  Child owner([&](Child&) {
    auto its = attach();
    if (!its->claim(0)) return 1;
    if (::fork() != 0) ::_exit(0);
    ::close(alive[1]);
    char byte = 1;
    (void)!::write(born[1], &byte, 1);
    (void)!::read(alive[0], &byte, 1);  // until the test closes it
    ::_exit(0);
  });
  char byte;
  ASSERT_EQ(::read(born[0], &byte, 1), 1);
  ASSERT_EQ(owner.join(), 0);
  EXPECT_EQ(claim_error(*fabric, 0), "");
  for (const int fd : {alive[0], alive[1], born[0], born[1]}) ::close(fd);
}

TEST_F(FabricTest, forked_child_destroys_its_copy_expect_the_parent_undisturbed) {
  auto fabric = attach();
  auto transmitter = fabric->claim(0);
  ASSERT_TRUE(transmitter);
  Child child([&](Child&) {
    auto its = attach();  // its descriptors have the numbers of the parent's
    fabric.reset();
    return its->claim(0) ? 1 : its->claim(1) ? 0 : 2;
  });
  EXPECT_EQ(child.join(), 0);
  EXPECT_EQ(directories_.files(), 2u);
  test::send_burst(*transmitter, 1);
  EXPECT_EQ(fabric->listen(0).head(), 1u);
}

TEST_F(FabricTest, listen_before_and_after_the_light_expect_lit_generation_to_tell) {
  auto fabric = attach();
  auto other = attach();
  Receiver receiver = fabric->listen(1);
  const uint64_t generation = fabric->lit_generation();
  auto transmitter = other->claim(1);
  ASSERT_TRUE(transmitter);
  EXPECT_GT(fabric->lit_generation(), generation);
  EXPECT_TRUE(receiver.lit());
  test::send_burst(*transmitter, 2);
  EXPECT_EQ(receiver.peek(), Peek::kFrame);
  EXPECT_EQ(receiver.head(), 2u);
}

TEST_F(FabricTest, many_processes_come_and_go_at_once_expect_no_file_left) {
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(std::make_unique<Child>([&](Child&) {
      for (int round = 0; round < 30; ++round) {
        auto fabric = Fabric::attach("rack", small());
        if (!fabric) return 1;
        if (auto transmitter = (*fabric)->claim(0)) test::send_burst(*transmitter, 1);
      }
      return 0;
    }));
  }
  for (auto& child : children) EXPECT_EQ(child->join(), 0);
  EXPECT_EQ(directories_.files(), 0u);
}

}  // namespace
}  // namespace lambdacast::fabric
