// SPDX-License-Identifier: BSD-3-Clause
#include "fake_bridge.h"

#include <dlfcn.h>
#include <infiniband/verbs.h>

namespace lambdacast::verbs {

extern "C" {
FakeState lambdacast_fake_state;
}

namespace {

class FakeBridge final : public Bridge {
 public:
  ~FakeBridge() override { ++lambdacast_fake_state.closed; }
  [[nodiscard]] const BridgeFacts& facts() const override { return kFacts; }
  void pump() override { ++lambdacast_fake_state.pumps; }
  void listen(std::span<const wire::Gid> groups) override {
    lambdacast_fake_state.groups.assign(groups.begin(), groups.end());
  }
};

// As the mlx drivers do when EAL loads them.
int devices() {
  using List = ibv_device** (*)(int*);
  const auto list = reinterpret_cast<List>(::dlsym(RTLD_DEFAULT, "ibv_get_device_list"));
  using Free = void (*)(ibv_device**);
  const auto release = reinterpret_cast<Free>(::dlsym(RTLD_DEFAULT, "ibv_free_device_list"));
  if (list == nullptr || release == nullptr) return -1;
  int count = -1;
  release(list(&count));
  return count;
}

}  // namespace

extern "C" {

bool lambdacast_check_bridge(const BridgeOrder& order, std::string& error) {
  if (order.config_file == kGoodFile) return true;
  error = order.config_file + " is wrong";
  return false;
}

Bridge* lambdacast_open_bridge(const BridgeOrder& order, std::string& error) {
  if (!lambdacast_check_bridge(order, error)) return nullptr;
  lambdacast_fake_state.devices_seen = devices();
  ++lambdacast_fake_state.opened;
  return new FakeBridge;
}

}  // extern "C"

}  // namespace lambdacast::verbs
