// `pencilbox bench few-particles`: the benchmark of the first paper, on its own particles.
#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/bench.hpp"
#include "app/few_particles.hpp"
#include "app/program.hpp"
#include "core/error.hpp"
#include "io/input/complaint.hpp"
#include "io/output/file.hpp"

namespace pencilbox {

namespace {

constexpr const char* command = "bench few-particles";

constexpr double microseconds = 1e6;

std::string place_of(const char* option) { return fmt::format("{}: {}", command, option); }

/// The arguments, checked.
struct Request {
  std::vector<FewParticlesRow> rows;
  std::vector<FewParticlesRow> left_out;  ///< too large for this device, unless asked for
  std::vector<BackendInfo> known;
  std::vector<BackendChoice> backends;
  CandidatePotential potential = CandidatePotential::lennard_jones;
  const DeviceApi* device = nullptr;
  DeviceProperties properties;
  int calls = 0;
  int repeats = 0;
  std::filesystem::path csv;  ///< empty: none
};

std::string or_usual(const std::string& text, const char* usual) {
  return text.empty() ? std::string(usual) : text;
}

const DeviceApi& read_device(const std::string& name) {
  std::vector<std::string> names{"auto"};
  for (const DeviceApi* device : devices()) names.push_back(device->kind());
  return choose_device(names[read_name(place_of("--device"), name, names)]);
}

CandidatePotential read_potential(const std::string& name) {
  const std::vector<std::string> names(candidate_potential_names.begin(),
                                       candidate_potential_names.end());
  return static_cast<CandidatePotential>(read_name(place_of("--potential"), name, names));
}

/// Without both --cells and --per-cell, a device that emulates leaves out what would take it hours.
void read_rows(const FewParticlesArguments& arguments, Request& request) {
  constexpr double most_interactions_emulated = 64000.0;
  const auto cells =
      read_integers(place_of("--cells"), or_usual(arguments.cells, "2,4,8,16,32"), 1, 256);
  const auto per_cell =
      read_integers(place_of("--per-cell"), or_usual(arguments.per_cell, "1,10,100"), 1, 10000);
  const bool asked_for = !arguments.cells.empty() && !arguments.per_cell.empty();
  for (const std::int32_t many : per_cell) {
    for (const std::int32_t side : cells) {
      const FewParticlesRow row{side, many};
      if (row.particles() > most_few_particles) {
        complain(place_of("--cells"), fmt::format("too many particles in {}^3 cells", side),
                 std::to_string(row.particles()), fmt::format("at most {}", most_few_particles));
      }
      const bool large = request.properties.emulates_blocks && !asked_for &&
                         row.expected_interactions() > most_interactions_emulated;
      (large ? request.left_out : request.rows).push_back(row);
    }
  }
}

/// Changes nothing on the disk.
std::filesystem::path read_csv(const FewParticlesArguments& arguments) {
  const std::filesystem::path path = arguments.csv;
  if (path.empty()) return path;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    complain(place_of("--csv"), "a directory", path.string(), "a file");
  }
  const auto parent = path.parent_path();
  if (!parent.empty() && !std::filesystem::is_directory(parent, ignored)) {
    complain(place_of("--csv"), "no such directory", parent.string(), "a directory that exists");
  }
  if (std::filesystem::exists(path, ignored) && !arguments.overwrite) {
    complain(place_of("--csv"), "the file exists", path.string(),
             "another name, or --overwrite to replace it");
  }
  return path;
}

Request read_request(const FewParticlesArguments& arguments) {
  Request request;
  request.known = build_catalogue().backends;
  request.backends = read_backends(command, arguments.backends, arguments.options, request.known);
  request.potential = read_potential(arguments.potential);
  request.repeats = read_integer(place_of("--repeats"), arguments.repeats, 1, 1000);
  request.csv = read_csv(arguments);
  request.device = &read_device(arguments.device);
  request.properties = request.device->properties();
  const char* usual_calls = request.properties.emulates_blocks ? "20" : "200";
  request.calls =
      read_integer(place_of("--calls"), or_usual(arguments.calls, usual_calls), 1, 100000);
  read_rows(arguments, request);
  return request;
}

/// One row with its answers.
struct Measured {
  FewParticlesRow row;
  CandidateResult result;

  double interactions() const {
    return result.candidates_per_particle * static_cast<double>(row.particles());
  }
};

Measured measure(const Request& request, const FewParticlesRow& row) {
  const CandidateBench bench{few_particles_start(row.particles()),
                             row.cells,
                             request.potential,
                             request.backends,
                             request.calls,
                             request.repeats};
  const auto row_name =
      fmt::format("{}: {}^3 cells, {} per cell", command, row.cells, row.per_cell);
  try {
    Measured measured{row, request.device->time_candidates(bench)};
    const double interactions = measured.result.candidates_per_particle;
    const auto published = find_published(row);
    if (published && !has_digits(interactions, published->interactions)) {
      throw PhysicsError(fmt::format("{:.6f} interactions per particle, published are {}",
                                     interactions, published->interactions));
    }
    return measured;
  } catch (const PhysicsError& error) {
    throw PhysicsError(row_name + ": " + error.what());
  }
}

/// The table on standard output: a line for each row, and below it one for each back end.
class Table {
 public:
  explicit Table(const Request& request) : request_(request) {
    for (const BackendChoice& choice : request.backends) {
      width_ = std::max(width_, describe(choice, request.known).size());
    }
  }

  std::string head() const {
    const auto potential = static_cast<std::size_t>(request_.potential);
    std::string text = fmt::format(
        "few-particles: {} ({} FLOP), float, no cutoff test; {} calls; {}: {}\n"
        "graph: the calls as one graph, median of {} [best]; calls: enqueued one by one, one wait "
        "(the paper's rule)\n",
        candidate_potential_names[potential], candidate_potential_flop[potential], request_.calls,
        request_.properties.kind, request_.properties.name, request_.repeats);
    if (request_.properties.emulates_blocks) {
      text +=
          "note: on the host, back ends with blocks run on the block emulator, which is for "
          "tests, not for speed\n";
    }
    return text + left_out() +
           fmt::format("  {:{}} {:>21} {:>10} {:>10} {:>12}  launch\n", "microseconds a call",
                       width_, "graph", "calls", "prepare", "10^9 inter./s");
  }

  std::string operator()(const Measured& measured) const {
    std::string text = row_line(measured);
    for (std::size_t i = 0; i < request_.backends.size(); ++i) {
      text += backend_line(describe(request_.backends[i], request_.known),
                           measured.result.backends[i], measured.interactions());
    }
    return text;
  }

 private:
  std::string left_out() const {
    if (request_.left_out.empty()) return {};
    std::vector<std::string> rows;
    for (const FewParticlesRow& row : request_.left_out) {
      rows.push_back(fmt::format("{}^3 x {}", row.cells, row.per_cell));
    }
    return fmt::format(
        "left out, as too slow on this device: {} (cells x per cell; name both --cells and "
        "--per-cell to run them)\n",
        fmt::join(rows, ", "));
  }

  static std::string row_line(const Measured& measured) {
    const FewParticlesRow& row = measured.row;
    const auto published = find_published(row);
    std::string text = fmt::format(
        "{}^3 cells, {} per cell: {} particles, at most {} in a cell; interactions per particle "
        "{:.2f}, {}\n",
        row.cells, row.per_cell, row.particles(), measured.result.largest_cell,
        measured.result.candidates_per_particle,
        published ? fmt::format("as published ({})", published->interactions)
                  : std::string("not a published row"));
    if (measured.result.overflows > 0) {
      text += fmt::format(
          "  note: the sums of {} particles exceed what a float holds; they are timed, but were "
          "not compared\n",
          measured.result.overflows);
    }
    return text;
  }

  std::string backend_line(const std::string& name, const CandidateTiming& timing,
                           double interactions) const {
    if (timing.refusal) return fmt::format("  {:{}} no: {}\n", name, width_, *timing.refusal);
    const auto graph = fmt::format("{:.2f} [{:.2f}]", timing.graph_median * microseconds,
                                   timing.graph_best * microseconds);
    return fmt::format("  {:{}} {:>21} {:>10.2f} {:>10.2f} {:>13.4g}  {} x {}, {} B: {}\n", name,
                       width_, graph, timing.asynchronous * microseconds,
                       timing.prepare * microseconds, 1e-9 * interactions / timing.graph_median,
                       timing.shape.blocks, timing.shape.threads, timing.shape.shared_bytes,
                       timing.note);
  }

  const Request& request_;
  std::size_t width_ = 20;
};

/// All of it, a line for each row and back end; written as it is measured.
class CsvFile {
 public:
  explicit CsvFile(const std::filesystem::path& path) : file_(OutputFile::create(path)) {
    write(
        "cells,per_cell,particles,largest_cell,interactions_per_particle,published_interactions,"
        "potential,device,backend,options,calls,repeats,graph_median_us,graph_best_us,calls_us,"
        "prepare_us,interactions_per_s,blocks,threads,shared_bytes,device_bytes,largest_error,"
        "note,refusal\n");
  }

  void append(const Request& request, const Measured& measured) {
    for (std::size_t i = 0; i < request.backends.size(); ++i) {
      write(row_part(request, measured) + backend_part(request.backends[i], request) +
            timing_part(measured.result.backends[i], measured.interactions()) + "\n");
    }
  }

  void close() { file_.close(); }

 private:
  /// RFC 4180.
  static std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + "\"";
  }

  static std::string row_part(const Request& request, const Measured& measured) {
    const auto published = find_published(measured.row);
    return fmt::format("{},{},{},{},{:.17g},{},{},{},", measured.row.cells, measured.row.per_cell,
                       measured.row.particles(), measured.result.largest_cell,
                       measured.result.candidates_per_particle,
                       published ? published->interactions : "",
                       candidate_potential_names[static_cast<std::size_t>(request.potential)],
                       quoted(request.properties.kind + ": " + request.properties.name));
  }

  static std::string backend_part(const BackendChoice& choice, const Request& request) {
    std::vector<std::string> options;
    for (const auto& [name, value] : choice.options) options.push_back(name + "=" + value);
    return fmt::format("{},{},{},{},", choice.name,
                       quoted(fmt::format("{}", fmt::join(options, " "))), request.calls,
                       request.repeats);
  }

  static std::string timing_part(const CandidateTiming& timing, double interactions) {
    if (timing.refusal) return ",,,,,,,,,,," + quoted(*timing.refusal);
    return fmt::format("{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{},{},{},{:.3g},{},",
                       timing.graph_median * microseconds, timing.graph_best * microseconds,
                       timing.asynchronous * microseconds, timing.prepare * microseconds,
                       interactions / timing.graph_median, timing.shape.blocks,
                       timing.shape.threads, timing.shape.shared_bytes, timing.device_bytes,
                       timing.largest_error, quoted(timing.note));
  }

  void write(const std::string& text) {
    file_.write_at(size_, text);
    size_ += static_cast<std::int64_t>(text.size());
  }

  OutputFile file_;
  std::int64_t size_ = 0;
};

}  // namespace

void few_particles_command(const FewParticlesArguments& arguments) {
  const Request request = read_request(arguments);
  const Table table(request);
  std::optional<CsvFile> csv;
  if (!request.csv.empty()) csv.emplace(request.csv);
  print(table.head());
  for (const FewParticlesRow& row : request.rows) {
    const Measured measured = measure(request, row);
    print(table(measured));
    if (csv) csv->append(request, measured);
  }
  if (csv) csv->close();
}

}  // namespace pencilbox
