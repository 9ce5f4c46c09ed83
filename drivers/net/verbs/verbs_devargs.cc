// SPDX-License-Identifier: BSD-3-Clause
#include "verbs_devargs.h"

#include <cerrno>
#include <cstdlib>

#include "../devargs.h"

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

// Without the highest bit: queue pairs with such keys are the privileged users' (IBTA vol. 1,
// 10.2.5), and in a work request it stands for another.
constexpr net::Argument<Devargs> kArguments[] = {
    {"device", "a name that ibv_devices lists",
     [](Value v, Devargs& d) { return !(d.device = v).empty(); }, net::Times::kOnce},
    {"port", "1 to 254", [](Value v, Devargs& d) { return number_in(v, 1, 254, d.port); }},
    {"gid", "an IPv4 or IPv6 unicast address",
     [](Value v, Devargs& d) { return address(v, false, d.gid.emplace()); }},
    {"qkey", "0 to 0x7fffffff",
     [](Value v, Devargs& d) { return number_in(v, 0, 0x7fffffff, d.qkey); }},
    {"pkey", "0 to 0xffff", [](Value v, Devargs& d) { return number_in(v, 0, 0xffff, d.pkey); }},
    {"group", "at most 8 IPv4 or IPv6 multicast addresses",
     [](Value v, Devargs& d) {
       return d.groups.size() < kMaxQueuePairs && address(v, true, d.groups.emplace_back());
     },
     net::Times::kOften},
    {"loopback", "0 or 1", [](Value v, Devargs& d) { return number_in(v, 0, 1, d.loopback); }},
};

}  // namespace

base::Result<Devargs> parse_devargs(const char* text) {
  Devargs devargs;
  const auto read = net::parse_devargs<Devargs>(text, kArguments, VERBS_DEVARGS_HELP, devargs);
  if (!read) return base::fail(read.error().message);
  return devargs;
}

}  // namespace lambdacast::net_verbs
