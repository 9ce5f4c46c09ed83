// SPDX-License-Identifier: BSD-3-Clause
#include "device_files.h"

#include "support.h"

// Of libibverbs' header for drivers, which is not installed.
extern "C" int ibv_read_sysfs_file(const char* directory, const char* file, char* text,
                                   size_t bytes);

namespace lambdacast::verbs {
namespace {

class DeviceFiles : public test::Verbs {};

TEST_F(DeviceFiles, AreOnlyThoseOfTheDevice) {
  EXPECT_TRUE(is_device_path("/sys/class/infiniband/lambdacast0"));
  EXPECT_TRUE(is_device_path("/sys/class/infiniband/lambdacast0/node_type"));
  EXPECT_TRUE(is_device_path("/dev/infiniband/uverbs-lambdacast0"));
  for (const char* other :
       {"", "/", "/sys/class/infiniband", "/sys/class/infiniband/mlx5_0/node_type",
        "/sys/class/infiniband/lambdacast01", "/dev/infiniband/uverbs0",
        "/dev/infiniband/uverbs-lambdacast0/x", "sys/class/infiniband/lambdacast0"}) {
    EXPECT_FALSE(is_device_path(other)) << other;
  }
}

TEST_F(DeviceFiles, SayWhatTheCallsSay) {
  EXPECT_EQ(device_text("node_type"), "1: CA\n");
  EXPECT_EQ(device_text("node_guid"), "004f:0aff:fe4d:0001\n");
  EXPECT_EQ(device_text("sys_image_guid"), device_text("node_guid"));
  EXPECT_EQ(device_text("fw_ver"), std::string(kFirmwareVersion) + '\n');
  EXPECT_EQ(device_text("ports/1/state"), "4: ACTIVE\n");
  EXPECT_EQ(device_text("ports/1/gids/0"), "fe80:0000:0000:0000:004f:0aff:fe4d:0001\n");
  EXPECT_EQ(device_text("ports/1/gids/1"), "0000:0000:0000:0000:0000:ffff:0a4d:0001\n");
  EXPECT_EQ(device_text("ports/1/gids/15"), "0000:0000:0000:0000:0000:0000:0000:0000\n");
  EXPECT_EQ(device_text("ports/1/gid_attrs/types/1"), "RoCE v2\n");
  EXPECT_EQ(device_text("ports/1/pkeys/1"), "0x8001\n");
}

TEST_F(DeviceFiles, ThatAreNotThereAreNothing) {
  for (const char* name :
       {"", "ports", "ports/1", "ports/2/state", "ports/1/gids/16", "ports/1/gids/",
        "ports/1/gids/x", "ports/1/gids/1x", "ports/1/gids/-1", "ports/1/gid_attrs/types/2",
        "ports/1/pkeys/3", "ports/1/gids/99999999999999999999", "node_type/"}) {
    EXPECT_EQ(device_text(name), std::nullopt) << name;
  }
}

TEST_F(DeviceFiles, AreTextsAndTheNode) {
  EXPECT_EQ(device_entry("/dev/infiniband/uverbs-lambdacast0"), DeviceEntry::kNode);
  EXPECT_EQ(device_entry("/sys/class/infiniband/lambdacast0/node_type"), DeviceEntry::kText);
  EXPECT_EQ(device_entry("/sys/class/infiniband/lambdacast0/nothing"), DeviceEntry::kNone);
  EXPECT_EQ(device_entry("/sys/class/infiniband/lambdacast0"), DeviceEntry::kNone);
}

TEST_F(DeviceFiles, AreReadByLibibverbsCallWithoutTheNewline) {
  char text[64];
  const char* directory = context->device->ibdev_path;
  EXPECT_EQ(::ibv_read_sysfs_file(directory, "board_id", text, sizeof text), 16);
  EXPECT_STREQ(text, "LAMBDACAST_ODBSS");
  EXPECT_EQ(::ibv_read_sysfs_file(directory, "board_id", text, 5), 4);
  EXPECT_STREQ(text, "LAMB");
  EXPECT_EQ(::ibv_read_sysfs_file(directory, "nothing", text, sizeof text), -1);
  EXPECT_EQ(::ibv_read_sysfs_file("/sys/class/infiniband/mlx5_0", "fw_ver", text, 64), -1);
  EXPECT_EQ(::ibv_read_sysfs_file(directory, "board_id", text, 0), -1);
}

}  // namespace
}  // namespace lambdacast::verbs
