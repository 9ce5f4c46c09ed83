#include "dataplane/eal_device.h"

#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_ethdev.h>

namespace lambdacast::dataplane {
namespace {

rte_device* find_device(const std::string& name) {
  for (const char* bus : {"bus=pci", "bus=vdev"}) {
    rte_dev_iterator each;
    rte_device* device = nullptr;
    rte_device* found = nullptr;
    RTE_DEV_FOREACH(device, bus, &each) {
      if (name == rte_dev_name(device)) found = device;
    }
    if (found != nullptr) return found;
  }
  return nullptr;
}

bool has_ports(const rte_device* device) {
  uint16_t port = 0;
  RTE_ETH_FOREACH_DEV_OF(port, device) { return true; }
  return false;
}

}  // namespace

std::string take_away_device(const std::string& name) {
  rte_device* device = find_device(name);
  if (device == nullptr || has_ports(device)) return {};
  const rte_devargs* made_with = rte_dev_devargs(device);
  std::string again = name;
  if (made_with != nullptr && made_with->args != nullptr && made_with->args[0] != '\0')
    again += "," + std::string(made_with->args);
  if (rte_dev_remove(device) != 0) return {};
  return again;
}

}  // namespace lambdacast::dataplane
