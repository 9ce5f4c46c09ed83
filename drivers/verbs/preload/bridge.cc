// SPDX-License-Identifier: BSD-3-Clause
// Finds the library of bridges beside this one.
#include "bridge.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>

namespace lambdacast::verbs {
namespace {

thread_local bool opening = false;

class Opening {
 public:
  Opening() { opening = true; }
  ~Opening() { opening = false; }
};

// Beside this library, as installed, or in the build tree.
std::array<std::filesystem::path, 2> places() {
  Dl_info info{};
  ::dladdr(reinterpret_cast<const void*>(&opening_bridge), &info);
  const auto here = std::filesystem::path(info.dli_fname == nullptr ? "" : info.dli_fname);
  const auto folder = here.parent_path();
  return {folder / kBridgeLibrary, folder / ".." / "bridge" / kBridgeLibrary};
}

base::Result<void*> symbol(const char* name) {
  static void* library = nullptr;
  std::string error;
  for (const auto& place : places()) {
    if (library != nullptr) break;
    if (!std::filesystem::exists(place)) continue;
    library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) error = ::dlerror();
  }
  if (library == nullptr) {
    if (error.empty()) error = "it is not beside this library";
    return base::fail("LAMBDACAST_CONFIG wants " + std::string(kBridgeLibrary) + ": " + error);
  }
  return ::dlsym(library, name);
}

}  // namespace

bool opening_bridge() { return opening; }

base::Result<void> check_bridge(const BridgeOrder& order) {
  const Opening now;
  const auto found = symbol(kCheckBridge);
  if (!found) return tl::unexpected(found.error());
  std::string error;
  if (reinterpret_cast<CheckBridge>(*found)(order, error)) return {};
  return base::fail(error);
}

base::Result<std::unique_ptr<Bridge>> open_bridge(const BridgeOrder& order) {
  const Opening now;
  const auto found = symbol(kOpenBridge);
  if (!found) return tl::unexpected(found.error());
  std::string error;
  if (Bridge* made = reinterpret_cast<OpenBridge>(*found)(order, error)) {
    return std::unique_ptr<Bridge>(made);
  }
  return base::fail(error);
}

}  // namespace lambdacast::verbs
