#include "console/show.h"

#include "console/text.h"
#include "telemetry/subject.h"

namespace lambdacast::console {
namespace {

std::vector<std::string> endpoint_names(dataplane::Rack& rack) {
  std::vector<std::string> names;
  for (size_t i = 0; i < rack.size(); ++i) names.push_back(rack.endpoint(i).config().name);
  return names;
}

Command show(dataplane::Rack& rack, const telemetry::Subject& subject) {
  return {{fixed("show"), fixed(subject.name), choice("ENDPOINT", endpoint_names(rack))},
          1,
          subject.help,
          [&rack, &subject](const Arguments& arguments) -> Answer {
            telemetry::Table table = subject.table(take_snapshot(rack, subject.needs));
            if (arguments.size() > 2) table = of_endpoint(std::move(table), arguments[2]);
            return render(table, subject.layout);
          }};
}

}  // namespace

std::vector<Command> show_commands(dataplane::Rack& rack) {
  std::vector<Command> commands;
  for (const telemetry::Subject& subject : telemetry::subjects()) {
    commands.push_back(show(rack, subject));
  }
  return commands;
}

}  // namespace lambdacast::console
