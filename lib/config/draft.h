// SPDX-License-Identifier: BSD-3-Clause
// A file as read, key by key valid, before the checks that compare keys. Internal to lib/config.
#pragma once

#include <toml++/toml.h>

#include "config/key.h"
#include "config/report.h"

namespace lambdacast::config {

// A section and where its keys stand.
template <typename S>
struct Draft {
  S value;
  Origins origins;
};

struct FileDraft {
  Origins sections;  // of the file: which sections it has at all
  std::optional<Draft<Fabric>> fabric;
  std::vector<Draft<Endpoint>> endpoints;
  std::vector<Draft<Lcore>> lcores;
  Eal eal;
};

// Reports what is wrong with single keys.
[[nodiscard]] FileDraft read_file_draft(const toml::table& file, Report& report);

// Reports what is wrong between keys, sections and endpoints; and what is of no use, as warnings.
void check(const FileDraft& draft, Report& report);

// Checks it and fills in what follows from other keys: the configuration, or all that is wrong.
[[nodiscard]] Loaded finish(FileDraft draft, Report& report);

// Part of check(), in light.cc: the wavelength plan and the power budget.
void check_light(const FileDraft& draft, Report& report);
// Part of check(), in group_check.cc: the groups of data and of control.
void check_fabric_groups(const FileDraft& draft, Report& report);
// Part of check(), in rate_keys.cc: what an endpoint may send.
void check_rate(const Draft<Endpoint>& draft, Report& report);
// Part of check(), in membership_check.cc: the membership of one endpoint.
void check_membership(const Draft<Endpoint>& draft, Report& report);
// Part of check(), in verbs_check.cc: an endpoint whose port is a verbs device.
void check_verbs(const Draft<Endpoint>& draft, Report& report);

// "endpoint "node0"", or the line it stands at if it has no name.
[[nodiscard]] std::string title(const Draft<Endpoint>& draft);
// The first of the keys that the file sets, else the section: where a mistake between keys is
// shown.
[[nodiscard]] Origin place(const Origins& origins, std::initializer_list<std::string_view> keys);

}  // namespace lambdacast::config
