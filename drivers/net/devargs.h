// SPDX-License-Identifier: BSD-3-Clause
// Device arguments ("key=value,key=value") of the drivers here, as a table: which keys there are,
// what each allows, and where its value goes. A value that is refused is answered with what is
// allowed.
#pragma once

#include <rte_kvargs.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace lambdacast::net {

enum class Times : uint8_t { kAtMostOnce, kOnce, kOften };

template <typename Devargs>
struct Argument {
  const char* key;
  const char* allowed;                            // for the error
  bool (*parse)(const char* value, Devargs& to);  // false: it is not
  Times times = Times::kAtMostOnce;
};

// Reads `text` into `devargs`. `help`: all keys, for whoever used another.
template <typename Devargs>
base::Result<void> parse_devargs(const char* text, std::span<const Argument<Devargs>> arguments,
                                 const char* help, Devargs& devargs) {
  std::vector<const char*> keys;
  for (const auto& argument : arguments) keys.push_back(argument.key);
  keys.push_back(nullptr);
  const std::unique_ptr<rte_kvargs, decltype(&rte_kvargs_free)> list(
      rte_kvargs_parse(text, keys.data()), rte_kvargs_free);
  if (list == nullptr) {
    return base::fail(std::string("cannot read device arguments \"") + text + "\"; known: " + help);
  }
  struct Visit {
    const Argument<Devargs>& argument;
    Devargs& devargs;
    std::string error;
  };
  for (const auto& argument : arguments) {
    const unsigned given = rte_kvargs_count(list.get(), argument.key);
    if (argument.times == Times::kOnce && given == 0) {
      return base::fail(std::string(argument.key) + " is missing; allowed: " + argument.allowed);
    }
    if (argument.times != Times::kOften && given > 1) {
      return base::fail(std::string(argument.key) + " is given twice; allowed: once");
    }
    Visit visit{argument, devargs, {}};
    const auto take = [](const char* key, const char* value, void* opaque) {
      auto& v = *static_cast<Visit*>(opaque);
      if (value != nullptr && v.argument.parse(value, v.devargs)) return 0;
      v.error = std::string(key) + "=" + (value == nullptr ? "" : value) +
                " is not allowed; allowed: " + v.argument.allowed;
      return -1;
    };
    if (rte_kvargs_process(list.get(), argument.key, take, &visit) != 0)
      return base::fail(visit.error);
  }
  return {};
}

}  // namespace lambdacast::net
