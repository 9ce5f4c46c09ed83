// SPDX-License-Identifier: BSD-3-Clause
// The device on a real port, as far as it is the front end's: what it is, and what it has the
// bridge do. The bridge is a fake one that lies beside this program.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "device.h"
#include "fake_bridge.h"

namespace lambdacast::verbs {
namespace {

FakeState& fake() {
  static FakeState* const state = [] {
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    void* library = ::dlopen((folder / kBridgeLibrary).c_str(), RTLD_NOW);
    return library == nullptr ? nullptr : static_cast<FakeState*>(::dlsym(library, kFakeState));
  }();
  if (state == nullptr) throw std::runtime_error("no fake bridge");
  return *state;
}

class Bridged : public ::testing::Test {
 protected:
  Bridged() {
    ::setenv("LAMBDACAST_CONFIG", kGoodFile, 1);
    int devices = 0;
    ibv_device** list = ::ibv_get_device_list(&devices);
    EXPECT_EQ(devices, 1);
    context = ::ibv_open_device(list[0]);
    ::ibv_free_device_list(list);
    if (context == nullptr) throw std::runtime_error("no device");
    pd = ::ibv_alloc_pd(context);
    cq = ::ibv_create_cq(context, 16, nullptr, nullptr, 0);
    ibv_qp_init_attr a{};
    a.send_cq = a.recv_cq = cq;
    a.cap = {4, 4, 1, 1, 64};
    a.qp_type = IBV_QPT_UD;
    qp = ::ibv_create_qp(pd, &a);
  }
  ~Bridged() override {
    EXPECT_EQ(::ibv_destroy_qp(qp), 0);
    EXPECT_EQ(::ibv_destroy_cq(cq), 0);
    EXPECT_EQ(::ibv_dealloc_pd(pd), 0);
    EXPECT_EQ(::ibv_close_device(context), 0);
  }
  void poll() {
    ibv_wc wc;
    EXPECT_EQ(::ibv_poll_cq(cq, 1, &wc), 0);
  }

  ibv_context* context = nullptr;
  ibv_pd* pd = nullptr;
  ibv_cq* cq = nullptr;
  ibv_qp* qp = nullptr;
};

TEST_F(Bridged, TheDeviceIsWhatTheBridgeSays) {
  ibv_port_attr port;
  ASSERT_EQ(ibv_query_port(context, 1, &port), 0);
  EXPECT_EQ(port.active_mtu, IBV_MTU_1024);
  ibv_gid gid;
  ASSERT_EQ(::ibv_query_gid(context, 1, 1, &gid), 0);
  EXPECT_EQ(std::memcmp(gid.raw, kFacts.gid.bytes.data(), 16), 0);
  ASSERT_EQ(::ibv_query_gid(context, 1, 0, &gid), 0);
  EXPECT_EQ(std::memcmp(gid.raw, link_local(kFacts.mac).bytes.data(), 16), 0);
  __be16 pkey = 0;
  ASSERT_EQ(::ibv_query_pkey(context, 1, 0, &pkey), 0);
  EXPECT_EQ(pkey, __builtin_bswap16(kFacts.pkey));
}

TEST_F(Bridged, WhoeverIsLoadedMeanwhileSeesNoDevice) { EXPECT_EQ(fake().devices_seen, 0); }

TEST_F(Bridged, TheBridgeKnowsTheGroups) {
  const wire::Gid group = wire::parse_gid("239.255.9.9").value();
  ibv_gid gid;
  std::memcpy(gid.raw, group.bytes.data(), 16);
  ASSERT_EQ(::ibv_attach_mcast(qp, &gid, 0), 0);
  poll();
  EXPECT_EQ(fake().groups, std::vector<wire::Gid>{group});
  ASSERT_EQ(::ibv_detach_mcast(qp, &gid, 0), 0);
  poll();
  EXPECT_TRUE(fake().groups.empty());
}

TEST_F(Bridged, EachPollIsOneOfThePort) {
  const uint64_t before = fake().pumps;
  poll();
  EXPECT_EQ(fake().pumps, before + 1);
}

TEST_F(Bridged, NothingIsLeftOfTheFabricInBetween) {
  const std::string begin = "odbss.verbs-" + std::to_string(::getpid()) + "-";
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(begin)) << entry.path();
  }
}

// Behind the others, which have opened and closed it.
TEST(BridgedAtTheEnd, EachBridgeIsClosedWithItsDevice) {
  EXPECT_GT(fake().opened, 1);
  EXPECT_EQ(fake().closed, fake().opened);
}

}  // namespace
}  // namespace lambdacast::verbs
