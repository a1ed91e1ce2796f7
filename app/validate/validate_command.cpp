// `pencilbox validate`: is this build right on this device?
#include "app/validate/validate_command.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "app/bench/bench_arguments.hpp"
#include "app/bench/measurement.hpp"
#include "app/processes/start_ranks.hpp"
#include "app/ranks/device_on_ranks.hpp"
#include "app/validate/check.hpp"
#include "app/validate/validate_result.hpp"
#include "core/error.hpp"
#include "io/input/complaint.hpp"
#include "io/output/file.hpp"

namespace pencilbox {
namespace {

constexpr const char* command = "validate";

std::string place_of(const std::string& option) { return "validate: " + option; }

Precision read_precision(const std::string& text) {
  const std::vector<std::string> names(precision_names.begin(), precision_names.end());
  return static_cast<Precision>(read_name(place_of("--precision"), text, names));
}

BackendInfo read_backend(const std::string& name, const DeviceApi& device) {
  const std::vector<BackendInfo> known = device.backends();
  std::vector<std::string> names;
  for (const BackendInfo& info : known) names.push_back(info.name);
  return known[read_name(place_of("--backend"), name, names)];
}

std::vector<std::string> check_names() {
  std::vector<std::string> names;
  for (const Check& check : all_checks()) names.emplace_back(check.name);
  return names;
}

/// In the order of the table, each once.
std::vector<Check> read_checks(const std::string& text) {
  if (text.empty()) return all_checks();
  std::vector<bool> wanted(all_checks().size(), false);
  for (const std::string& name : split(text, ',')) {
    wanted[read_name(place_of("--only"), name, check_names())] = true;
  }
  std::vector<Check> checks;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (wanted[k]) checks.push_back(all_checks()[k]);
  }
  return checks;
}

/// Changes nothing on the disk: an hour's work is not to end at a file that cannot be written.
void require_free(const std::string& option, const std::filesystem::path& path, bool overwrite) {
  if (path.empty()) return;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    complain(place_of(option), "a directory", path.string(), "a file");
  }
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
  if (!std::filesystem::is_directory(parent, ignored)) {
    complain(place_of(option), "no such directory", parent.string(), "a directory that exists");
  }
  if (why_not_writable(parent)) {
    complain(place_of(option), "cannot write there", parent.string(),
             "a directory that can be written");
  }
  if (is_other_than_a_file(path)) complain(place_of(option), "no file", path.string(), "a file");
  if (const auto words = what_is_in_the_way(path, temporary_name(path))) {
    throw InputError(place_of(option) + ": " + *words);
  }
  if (is_there(path) && !overwrite) {
    complain(place_of(option), "the file exists", path.string(),
             "another name, or --overwrite to replace it");
  }
}

Result begin_result(const ValidateArguments& arguments, const DeviceApi& device) {
  BenchArguments told;
  told.device = arguments.device;
  told.command = arguments.command_line;
  return begin_result(validate_name, "Validation", told, device);
}

const DeviceApi& read_device(const ValidateArguments& arguments) {
  BenchArguments told;
  told.device = arguments.device;
  return read_device(command, told);
}

void write(const ValidateArguments& arguments, const Result& result) {
  if (!arguments.csv.empty()) {
    replace_file(arguments.csv, to_csv(result.tables.front(), result.provenance));
  }
  if (!arguments.json.empty()) replace_file(arguments.json, to_json(result));
}

}  // namespace

std::string names_of_checks() {
  std::string text;
  for (const Check& check : all_checks())
    text += (text.empty() ? "" : ",") + std::string(check.name);
  return text;
}

int validate_command(const ValidateArguments& arguments) {
  const DeviceApi& device = read_device(arguments);
  const BackendInfo info = read_backend(arguments.backend, device);
  const std::vector<Check> checks = read_checks(arguments.only);
  Subject subject;
  subject.precision = read_precision(arguments.precision);
  require_free("--csv", arguments.csv, arguments.overwrite);
  require_free("--json", arguments.json, arguments.overwrite);
  if (!arguments.csv.empty() && arguments.csv == arguments.json) {
    complain(place_of("--json"), "the file of --csv", arguments.json.string(), "another name");
  }
  const int ranks = ranks_of(arguments);
  if (ranks > 1 && !arguments.post) return start_ranks(ranks, arguments.command);
  std::optional<DeviceOnRanks> several;
  if (ranks > 1) {
    several.emplace(device, RankWish{.shares_devices = arguments.share_gpus}, arguments.post);
  }
  const DeviceApi& who = several ? *several : device;
  subject.make = [&](SimulationSetup setup) { return who.make(std::move(setup)); };
  subject.backend = {info.name, default_options(info)};
  subject.full = arguments.full;
  subject.runs_on_a_cpu = device.properties().emulates_blocks;
  subject.too_slow = why_too_slow(info, subject.backend.options, device.properties());
  const auto tell = terminal_teller();
  Result result = begin_result(arguments, device);
  const std::string caption =
      fmt::format("back end {} on {}{}, {} precision{}", info.name,
                  ranks > 1 ? fmt::format("{} ranks of ", ranks) : "", device.kind(),
                  name_of(subject.precision), arguments.full ? ", full" : "");
  ValidationRows rows;
  for (const Check& check : checks) {
    const ValidationRows before = rows;
    subject.tell = [&](const std::string& what) {
      tell(fmt::format("{}{}{}", check.name, what.empty() ? "" : ": ", what));
    };
    subject.keep = [&](const ValidationRows& found) {
      rows = before;
      append(rows, found);
      for (std::size_t k = before.size(); k < rows.size(); ++k) rows[k].check = check.name;
      add_validation(result, caption, rows);
      write(arguments, result);
    };
    subject.tell("");
    subject.keep(check.rows(subject));
  }
  tell("");
  print_result(result);
  print(result.conclusion + "\n");
  return static_cast<int>(has_failed(rows) ? ExitCode::physics_failed : ExitCode::done);
}

}  // namespace pencilbox
