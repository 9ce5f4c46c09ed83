// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast/host_check.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "host_tree.h"

namespace lambdacast::appliance {
namespace {

class HostCheckTest : public ::testing::Test {
 protected:
  HostCheckTest() {
    config_.endpoints.resize(1);
    config_.endpoints[0].name = "node0";
    config_.lcores = {{.id = 0}, {.id = 1}};
    tree_.put("sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "1024");
    tree_.put("sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "1024");
    tree_.put("sys/devices/system/cpu/isolated", "0-1");
    tree_.put("proc/mounts", "nodev /dev/hugepages hugetlbfs rw 0 0\n");
    limits_ = {~uint64_t{0}, {0, 1}, uint64_t{1} << 30};
  }
  // The finding about that subject which is not good, or a good one.
  Finding about(const std::string& subject) {
    Finding found{subject, Grade::kGood, "nothing", {}};
    for (const Finding& finding : check_host(tree_.files(), limits_, config_)) {
      if (finding.subject == subject && finding.grade >= found.grade) found = finding;
    }
    return found;
  }
  Finding about_port(const std::string& port) {
    config_.endpoints[0].port = port;
    return about("node0");
  }

  HostTree tree_;
  HostLimits limits_;
  config::Config config_;
};

TEST_F(HostCheckTest, all_is_well__expect_no_remedy) {
  const auto findings = check_host(tree_.files(), limits_, config_);
  EXPECT_TRUE(std::all_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.grade == Grade::kGood && finding.remedy.empty();
  })) << text(findings);
  EXPECT_FALSE(any_wrong(findings));
}

TEST_F(HostCheckTest, too_few_hugepages__expect_how_many_there_should_be) {
  tree_.put("sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "3");
  const Finding found = about("hugepages");
  EXPECT_EQ(found.grade, Grade::kSlow);
  EXPECT_TRUE(found.remedy.starts_with("sysctl -w vm.nr_hugepages=1")) << found.remedy;
}

TEST_F(HostCheckTest, a_core_that_polls_is_not_isolated__expect_it_named_unless_it_sleeps) {
  tree_.put("sys/devices/system/cpu/isolated", "0");
  EXPECT_EQ(about("isolation").sentence,
            "the kernel gives other tasks to CPU 1, where lcores poll");
  EXPECT_EQ(about("isolation").remedy,
            "isolcpus=1 nohz_full=1 rcu_nocbs=1 on the kernel's command line");
  config_.lcores[1].idle = config::IdlePolicy::kSleep;
  EXPECT_EQ(about("isolation").grade, Grade::kGood);
}

TEST_F(HostCheckTest, more_lcores_than_cpus__expect_it_said) {
  limits_.cpus = {0};
  EXPECT_EQ(about("cores").sentence, "2 lcores share 1 CPUs");
}

TEST_F(HostCheckTest, a_governor_saves_power__expect_that_cpu_named) {
  tree_.put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance");
  tree_.put("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave");
  EXPECT_EQ(about("governor").sentence, "CPU 1 (powersave) saves power");
}

TEST_F(HostCheckTest, a_slow_clock__expect_it_named) {
  tree_.put("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet");
  EXPECT_EQ(about("clock").sentence, "the clock source is hpet");
}

TEST_F(HostCheckTest, no_hugetlbfs_and_little_shared_memory__expect_both_said) {
  config_.fabric.emplace();
  tree_.put("proc/mounts", "tmpfs /dev/shm tmpfs rw 0 0\n");
  limits_.shared_memory_bytes = 1 << 20;
  EXPECT_EQ(about("hugetlbfs").grade, Grade::kSlow);
  EXPECT_EQ(about("/dev/shm").grade, Grade::kWrong);
  EXPECT_TRUE(about("/dev/shm").remedy.starts_with("mount -o remount,size="));
}

TEST_F(HostCheckTest, pci_devices__expect_each_driver_judged) {
  const std::string port = "0000:3b:00.0";
  EXPECT_EQ(about_port(port).sentence, "there is no PCI device 0000:3b:00.0");
  tree_.put("sys/bus/pci/devices/0000:3b:00.0/vendor", "0x8086");
  EXPECT_EQ(about_port(port).sentence, "0000:3b:00.0 has no driver");
  tree_.link("sys/bus/pci/devices/0000:3b:00.0/driver", "../drivers/vfio-pci");
  EXPECT_EQ(about_port(port).sentence, "0000:3b:00.0 has vfio-pci and no IOMMU");
  tree_.put("sys/kernel/iommu_groups/0/type", "DMA");
  EXPECT_EQ(about_port(port).grade, Grade::kGood);
  limits_.locked_bytes = 1 << 20;
  EXPECT_EQ(about_port(port).remedy, "ulimit -l unlimited, or LimitMEMLOCK=infinity in a unit");
  limits_.locked_bytes = ~uint64_t{0};
  tree_.put("sys/bus/pci/devices/0000:5e:00.0/vendor", "0x15b3");
  tree_.link("sys/bus/pci/devices/0000:5e:00.0/driver", "../drivers/mlx5_core");
  EXPECT_EQ(about_port("0000:5e:00.0,txq_inline=1").grade, Grade::kGood);
  tree_.put("sys/bus/pci/devices/0000:5f:00.0/vendor", "0x8086");
  tree_.link("sys/bus/pci/devices/0000:5f:00.0/driver", "../drivers/ixgbe");
  EXPECT_EQ(about_port("0000:5f:00.0").remedy, "dpdk-devbind.py -b vfio-pci 0000:5f:00.0");
}

TEST_F(HostCheckTest, verbs_devices__expect_one_that_is_missing_named) {
  EXPECT_EQ(about_port("verbs:rxe0/1").sentence, "there is no verbs device rxe0");
  tree_.put("sys/class/infiniband/rxe0/node_type", "1: CA");
  EXPECT_EQ(about_port("verbs:rxe0/1").grade, Grade::kGood);
}

TEST_F(HostCheckTest, interfaces__expect_mtu_state_and_a_bridge_without_querier) {
  const std::string port = "net_af_packet0,iface=eth9,blocksz=65536";
  EXPECT_EQ(about_port(port).sentence, "there is no interface eth9");
  config_.endpoints[0].path_mtu = 1024;
  tree_.put("sys/class/net/eth9/mtu", "1000");
  EXPECT_TRUE(about_port(port).remedy.starts_with("ip link set eth9 mtu 1"));
  tree_.put("sys/class/net/eth9/mtu", "1500");
  EXPECT_EQ(about_port(port).grade, Grade::kGood);
  tree_.put("sys/class/net/eth9/operstate", "down");
  EXPECT_EQ(about_port(port).sentence, "eth9 is down");
  tree_.put("sys/class/net/eth9/operstate", "up");
  tree_.link("sys/class/net/eth9/master", "../br0");
  tree_.put("sys/class/net/br0/bridge/multicast_snooping", "1");
  tree_.put("sys/class/net/br0/bridge/multicast_querier", "0");
  EXPECT_EQ(about_port(port).remedy, "ip link set br0 type bridge mcast_querier 1");
  tree_.put("sys/class/net/br0/bridge/multicast_querier", "1");
  EXPECT_EQ(about_port(port).grade, Grade::kGood);
}

TEST_F(HostCheckTest, write_findings__expect_the_remedy_on_a_line_of_its_own) {
  EXPECT_EQ(text({{"a", Grade::kGood, "fine", ""}, {"b", Grade::kWrong, "not", "do it"}}),
            "good   a: fine\nwrong  b: not\n       to mend: do it\n");
}

}  // namespace
}  // namespace lambdacast::appliance
