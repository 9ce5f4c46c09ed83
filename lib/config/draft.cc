// SPDX-License-Identifier: BSD-3-Clause
#include "config/draft.h"

#include <fmt/format.h>

#include "config/reader.h"

namespace lambdacast::config {
namespace {

// The section itself is remembered under "".
Origins origins_of(const toml::table& table, std::string_view path) {
  Origins origins;
  origins.set("", origin_of(table, std::string(path)));
  return origins;
}

template <typename S, typename Of>
void read_sub_table(Reader& reader, const toml::table& table, const std::string& path,
                    std::string_view name, std::span<const KeyOf<S>> keys, Draft<Of>& draft,
                    S& section) {
  const toml::table* sub_table = reader.table_at(table, path, name);
  if (!sub_table) return;
  Origins origins = origins_of(*sub_table, join_path(path, name));
  reader.read(*sub_table, {join_path(path, name)}, keys, section, origins);
  draft.origins.add_all(origins, std::string(name) + ".");
}

// The keys of the first as "neighbor.0.address" and so on.
template <typename S>
void read_list(Reader& reader, const toml::table& table, const std::string& parent,
               std::string_view name, std::span<const KeyOf<S>> keys, Draft<Endpoint>& draft,
               std::vector<S>& list) {
  const std::string path = join_path(parent, name);
  for (const toml::table* each : reader.tables_at(table, parent, name)) {
    S section;
    Origins origins = origins_of(*each, path);
    reader.read(*each, {path}, keys, section, origins);
    draft.origins.add_all(origins, fmt::format("{}.{}.", name, list.size()));
    list.push_back(section);
  }
}

// [endpoint_defaults], [traffic] and then each endpoint's own: the later overrides key by key.
void read_endpoint(Reader& reader, const toml::table& table, const Scope& scope,
                   Draft<Endpoint>& draft) {
  Endpoint& endpoint = draft.value;
  draft.origins.set("", origin_of(table, scope.path));
  reader.read(table, scope, endpoint_keys(), endpoint, draft.origins);
  read_sub_table(reader, table, scope.path, "stages", stages_keys(), draft, endpoint.stages);
  read_sub_table(reader, table, scope.path, "faults", faults_keys(), draft, endpoint.faults);
  read_sub_table(reader, table, scope.path, "optical", optics_keys(), draft, endpoint.optics);
  read_sub_table(reader, table, scope.path, "reliability", reliability_keys(), draft,
                 endpoint.reliability);
  read_sub_table(reader, table, scope.path, "membership", membership_keys(), draft,
                 endpoint.membership);
  read_sub_table(reader, table, scope.path, "requests", requests_keys(), draft, endpoint.requests);
  read_sub_table(reader, table, scope.path, "rate", rate_keys(), draft, endpoint.rate);
  if (scope.defaults) return;
  read_sub_table(reader, table, scope.path, "traffic", traffic_keys(), draft, endpoint.traffic);
  read_list(reader, table, scope.path, "neighbor", neighbor_keys(), draft, endpoint.neighbors);
  read_list(reader, table, scope.path, "group_rate", group_rate_keys(), draft,
            endpoint.group_rates);
  const bool v6 = draft.origins.find("address") && endpoint.address.is_v6;
  if (!draft.origins.mentions("multicast")) endpoint.multicast = default_multicast(v6);
}

void read_endpoints(Reader& reader, const toml::table& file, FileDraft& draft) {
  Draft<Endpoint> common;
  if (const toml::table* table = reader.table_at(file, "", "endpoint_defaults")) {
    read_endpoint(reader, *table,
                  {"endpoint_defaults",
                   {"stages", "faults", "optical", "reliability", "membership", "requests", "rate"},
                   true},
                  common);
  }
  read_sub_table(reader, file, "", "traffic", traffic_keys(), common, common.value.traffic);
  for (const toml::table* table : reader.tables_at(file, "", "endpoint")) {
    Draft<Endpoint> each = common;
    read_endpoint(reader, *table,
                  {"endpoint",
                   {"stages", "faults", "optical", "reliability", "membership", "requests", "rate",
                    "traffic", "group_rate", "neighbor"}},
                  each);
    draft.endpoints.push_back(std::move(each));
  }
}

}  // namespace

FileDraft read_file_draft(const toml::table& file, Report& report) {
  FileDraft draft;
  Reader reader(report);
  reader.report_unknown(
      file, {"", {"fabric", "endpoint_defaults", "endpoint", "traffic", "lcore", "eal"}}, {});
  for (const auto& [key, node] : file) {
    draft.sections.set(key.str(), origin_of(node, std::string(key.str())));
  }
  if (const toml::table* table = reader.table_at(file, "", "fabric")) {
    draft.fabric = Draft<Fabric>{{}, origins_of(*table, "fabric")};
    Draft<Fabric>& fabric = *draft.fabric;
    reader.read(*table, {"fabric", {"optical"}}, fabric_keys(), fabric.value, fabric.origins);
    read_sub_table(reader, *table, "fabric", "optical", coupler_keys(), fabric,
                   fabric.value.coupler);
  }
  read_endpoints(reader, file, draft);
  for (const toml::table* table : reader.tables_at(file, "", "lcore")) {
    Draft<Lcore> each{{}, origins_of(*table, "lcore")};
    reader.read(*table, {"lcore"}, lcore_keys(), each.value, each.origins);
    draft.lcores.push_back(std::move(each));
  }
  if (const toml::table* table = reader.table_at(file, "", "eal")) {
    Origins origins = origins_of(*table, "eal");
    reader.read(*table, {"eal"}, eal_keys(), draft.eal, origins);
  }
  return draft;
}

}  // namespace lambdacast::config
