// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/eal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "fabric/file_owner.h"
#include "support.h"

namespace lambdacast::dpdk {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;

class EalArgumentsTest : public ::testing::Test {
 protected:
  [[nodiscard]] EalArguments arguments(const std::vector<std::string>& user = {}) const {
    return eal_arguments(config_, user, machine_);
  }
  static bool has(const EalArguments& result, const std::string& argument) {
    return std::count(result.arguments.begin(), result.arguments.end(), argument) != 0;
  }
  // What follows `option`.
  static std::string value_of(const EalArguments& result, const std::string& option) {
    const auto& all = result.arguments;
    const auto at = std::find(all.begin(), all.end(), option);
    return at == all.end() || at + 1 == all.end() ? "" : *(at + 1);
  }

  config::Config config_ =
      test::rack_config({.nodes = 3, .extra = {"lcore = 0", "lcore = 1", "lcore = 2"}});
  Machine machine_{{0, 1}, 2 * kGiB};
};

TEST_F(EalArgumentsTest, have_three_lcores_on_two_cpus__expect_them_in_turn_and_main_floating) {
  const EalArguments result = arguments();
  EXPECT_EQ(value_of(result, "--lcores"), "0@0,1@1,2@0,127@(0,1)");
  EXPECT_EQ(value_of(result, "--main-lcore"), "127");
}

TEST_F(EalArgumentsTest, run_on_the_cpus_5_and_9_only__expect_those) {
  machine_.cpus = {5, 9};
  EXPECT_EQ(value_of(arguments(), "--lcores"), "0@5,1@9,2@5,127@(5,9)");
}

TEST_F(EalArgumentsTest, use_lcore_127_for_a_stage__expect_another_main_lcore) {
  config_ = test::rack_config({.nodes = 1, .extra = {"lcore = 127"}});
  EXPECT_EQ(value_of(arguments(), "--main-lcore"), "126");
}

TEST_F(EalArgumentsTest, have_hugepages__expect_in_memory_and_no_note) {
  const EalArguments result = arguments();
  EXPECT_TRUE(has(result, "--in-memory"));
  EXPECT_FALSE(has(result, "--no-huge"));
  EXPECT_EQ(result.note, "");
}

TEST_F(EalArgumentsTest, lack_hugepages__expect_plain_memory_and_the_remedy_in_one_sentence) {
  machine_.free_hugepage_bytes = memory_bytes(config_) - 1;
  const EalArguments result = arguments();
  EXPECT_FALSE(has(result, "--in-memory"));
  EXPECT_TRUE(has(result, "--no-huge"));
  EXPECT_TRUE(has(result, "--no-shconf"));
  const uint64_t mib = std::stoull(value_of(result, "-m"));
  EXPECT_GE(mib << 20, memory_bytes(config_));
  EXPECT_NE(result.note.find("running without, slower"), std::string::npos) << result.note;
  EXPECT_NE(result.note.find("sysctl -w vm.nr_hugepages=1024"), std::string::npos) << result.note;
  EXPECT_EQ(result.note.find('\n'), std::string::npos);

  machine_.free_hugepage_bytes = memory_bytes(config_);  // just enough
  EXPECT_TRUE(has(arguments(), "--in-memory"));
  EXPECT_TRUE(arguments().hugepages);
  EXPECT_GE(std::stoull(value_of(arguments(), "-m")) << 20, memory_bytes(config_));
}

TEST_F(EalArgumentsTest, let_the_user_speak__expect_him_to_win) {
  machine_.free_hugepage_bytes = 0;
  const std::vector<std::string> user = {"-l", "0-3",          "--in-memory",
                                         "-a", "0000:03:00.0", "--log-level=8"};
  EXPECT_EQ(arguments(user).arguments, user);
  EXPECT_EQ(arguments(user).note, "");
}

TEST_F(EalArgumentsTest, let_the_user_choose_an_amount_of_memory__expect_no_second_one) {
  machine_.free_hugepage_bytes = 0;
  const EalArguments result = arguments({"-m", "2048"});
  EXPECT_EQ(std::count(result.arguments.begin(), result.arguments.end(), "-m"), 1);
  EXPECT_EQ(value_of(result, "-m"), "2048");
}

TEST_F(EalArgumentsTest, accept_long_options_with_equals__expect_them_recognised) {
  const EalArguments result = arguments({"--lcores=0@0", "--huge-dir=/mnt/huge"});
  EXPECT_FALSE(has(result, "--lcores"));
  EXPECT_FALSE(has(result, "--in-memory"));
}

TEST_F(EalArgumentsTest, name_a_prefix__expect_the_memory_to_be_chosen_as_without) {
  EXPECT_TRUE(has(arguments({"--file-prefix=x"}), "--in-memory"));
  machine_.free_hugepage_bytes = 0;
  for (const auto& user : {std::vector<std::string>{"--file-prefix=x"},
                           std::vector<std::string>{"--file-prefix", "x"}}) {
    const EalArguments result = arguments(user);
    EXPECT_TRUE(has(result, "--no-huge"));
    EXPECT_TRUE(has(result, "--no-shconf"));
    EXPECT_EQ(value_of(result, "-m"), value_of(arguments(), "-m"));
    EXPECT_EQ(result.note, arguments().note);
  }
}

TEST_F(EalArgumentsTest, have_no_pci_port__expect_no_scan_and_with_one_a_scan) {
  EXPECT_TRUE(has(arguments(), "--no-pci"));
  config_.endpoints[0].wavelength.reset();
  config_.endpoints[0].port = "net_af_packet0,iface=eth0";
  EXPECT_TRUE(has(arguments(), "--no-pci"));
  config_.endpoints[0].port = "verbs:mlx5_0";
  EXPECT_TRUE(has(arguments(), "--no-pci"));
  config_.endpoints[0].port = "0000:3b:00.0";
  EXPECT_FALSE(has(arguments(), "--no-pci"));
}

TEST_F(EalArgumentsTest, put_the_users_options_last__expect_his_order_kept) {
  const EalArguments result = arguments({"--vdev", "net_null0"});
  ASSERT_GE(result.arguments.size(), 2u);
  EXPECT_EQ(result.arguments[result.arguments.size() - 2], "--vdev");
  EXPECT_EQ(result.arguments.back(), "net_null0");
}

TEST_F(EalArgumentsTest, ask_for_the_memory_needed__expect_it_to_grow_with_mbufs_and_endpoints) {
  const uint64_t before = memory_bytes(config_);
  EXPECT_GT(before, 3u * 512 * kDataRoomBytes);
  config_.endpoints[0].mbufs += 1000;
  EXPECT_GE(memory_bytes(config_), before + uint64_t{1000} * kDataRoomBytes);
  config_.endpoints.pop_back();
  config_.endpoints[0].mbufs -= 1000;
  EXPECT_LT(memory_bytes(config_), before);
}

TEST(MachineTest, look_at_this_one__expect_a_cpu) {
  EXPECT_FALSE(Machine::this_one().cpus.empty());
}

TEST(TelemetryTroubleTest, a_directory_that_can_be_written__expect_none) {
  EXPECT_EQ(telemetry_trouble("/tmp", "/nowhere"), "");
}

TEST(TelemetryTroubleTest, no_directory__expect_the_last_place_that_is_there_and_what_mends_it) {
  std::string parent = std::filesystem::temp_directory_path() / "lambdacast-eal-XXXXXX";
  ASSERT_NE(::mkdtemp(parent.data()), nullptr);
  const std::string mend =
      " cannot be written; to mend: export RUNTIME_DIRECTORY=$(mktemp -d), here and for who reads "
      "it";
  EXPECT_EQ(telemetry_trouble("", parent), "telemetry has no socket: " + parent + mend);
  const std::string deeper = parent + "/dpdk";
  std::filesystem::create_directory(deeper);
  EXPECT_EQ(telemetry_trouble("", parent), "telemetry has no socket: " + deeper + mend);
  constexpr uid_t kNobody = 65534;
  if (::chown(deeper.c_str(), kNobody, kNobody) == 0) {
    EXPECT_EQ(telemetry_trouble("", parent), "telemetry has no socket: " + deeper + " is that of " +
                                                 fabric::user_name(kNobody) + " and" + mend);
  }
  std::filesystem::remove_all(parent);
}

TEST(EalTest, start_it_a_second_time__expect_one_sentence_with_its_arguments) {
  const auto refused = Eal::start("test", {{"--no-huge"}, false, ""});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with("EAL does not start ("))
      << refused.error().message;
  EXPECT_TRUE(refused.error().message.ends_with(" with --no-huge")) << refused.error().message;
}

}  // namespace
}  // namespace lambdacast::dpdk
