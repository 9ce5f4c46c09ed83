#include "verbs_devargs.h"

#include <rte_kvargs.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

namespace lambdacast::net_verbs {
namespace {

using Value = const char*;

template <typename Number>
bool number_in(Value value, uint64_t least, uint64_t most, Number& out) {
  char* end = nullptr;
  errno = 0;
  const uint64_t number = std::strtoull(value, &end, 0);
  if (errno != 0 || end == value || *end != '\0' || number < least || number > most) return false;
  out = static_cast<Number>(number);
  return true;
}

bool address(Value value, bool multicast, wire::Gid& out) {
  const auto gid = wire::parse_gid(value);
  if (!gid || wire::is_multicast(*gid) != multicast) return false;
  out = *gid;
  return true;
}

struct Argument {
  const char* key;
  const char* allowed;
  bool (*parse)(Value, Devargs&);
};

// Without the highest bit: queue pairs with such keys are the privileged users' (IBTA vol. 1,
// 10.2.5), and in a work request it stands for another.
constexpr Argument kArguments[] = {
    {"device", "a name that ibv_devices lists",
     [](Value v, Devargs& d) { return !(d.device = v).empty(); }},
    {"port", "1 to 254", [](Value v, Devargs& d) { return number_in(v, 1, 254, d.port); }},
    {"gid", "an IPv4 or IPv6 unicast address",
     [](Value v, Devargs& d) { return address(v, false, d.gid.emplace()); }},
    {"qkey", "0 to 0x7fffffff",
     [](Value v, Devargs& d) { return number_in(v, 0, 0x7fffffff, d.qkey); }},
    {"pkey", "0 to 0xffff", [](Value v, Devargs& d) { return number_in(v, 0, 0xffff, d.pkey); }},
    {"group", "at most 8 IPv4 or IPv6 multicast addresses",
     [](Value v, Devargs& d) {
       return d.groups.size() < kMaxQueuePairs && address(v, true, d.groups.emplace_back());
     }},
    {"loopback", "0 or 1", [](Value v, Devargs& d) { return number_in(v, 0, 1, d.loopback); }},
};

struct Visit {
  const Argument* argument;
  Devargs* devargs;
  std::string error;
};

int visit(const char* key, const char* value, void* opaque) {
  auto& v = *static_cast<Visit*>(opaque);
  if (value != nullptr && v.argument->parse(value, *v.devargs)) return 0;
  v.error = std::string(key) + "=" + (value == nullptr ? "" : value) +
            " is not allowed; allowed: " + v.argument->allowed;
  return -1;
}

}  // namespace

base::Result<Devargs> parse_devargs(const char* text) {
  std::vector<const char*> keys;
  for (const Argument& argument : kArguments) keys.push_back(argument.key);
  keys.push_back(nullptr);
  const std::unique_ptr<rte_kvargs, decltype(&rte_kvargs_free)> list(
      rte_kvargs_parse(text, keys.data()), rte_kvargs_free);
  if (list == nullptr) {
    return base::fail(std::string("cannot read device arguments \"") + text +
                      "\"; known: " VERBS_DEVARGS_HELP);
  }
  Devargs devargs;
  for (const Argument& argument : kArguments) {
    if (argument.key != std::string("group") && rte_kvargs_count(list.get(), argument.key) > 1) {
      return base::fail(std::string(argument.key) + " is given twice; allowed: once");
    }
    Visit v{&argument, &devargs, {}};
    if (rte_kvargs_process(list.get(), argument.key, visit, &v) != 0) return base::fail(v.error);
  }
  if (devargs.device.empty()) {
    return base::fail("device is missing; allowed: a name that ibv_devices lists");
  }
  return devargs;
}

}  // namespace lambdacast::net_verbs
