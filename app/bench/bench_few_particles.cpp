// `pencilbox bench few-particles`: the benchmark of the first paper, on its own particles.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/bench/bench.hpp"
#include "app/bench/bench_device.hpp"
#include "app/bench/few_particles.hpp"
#include "app/bench/few_particles_result.hpp"
#include "app/commands/program.hpp"
#include "core/error.hpp"
#include "core/memory_limit.hpp"
#include "io/input/complaint.hpp"
#include "io/output/file.hpp"

namespace pencilbox {

namespace {

constexpr const char* few_particles_words = "bench few-particles";

std::string few_particles_place_of(const char* option) {
  return fmt::format("{}: {}", few_particles_words, option);
}

/// The arguments, checked.
struct FewParticlesRequest {
  std::vector<FewParticlesRow> rows;
  std::vector<FewParticlesRow> left_out;  ///< too large for this device, unless asked for
  std::vector<BackendInfo> known;
  std::vector<BackendChoice> backends;
  std::vector<CandidatePotential> potentials;
  const DeviceApi* device = nullptr;
  DeviceProperties properties;
  int calls = 0;
  int repeats = 0;
  std::filesystem::path csv;  ///< empty: none
};

std::vector<CandidatePotential> read_potentials(const std::string& text) {
  const std::vector<std::string> names(candidate_potential_names.begin(),
                                       candidate_potential_names.end());
  std::vector<CandidatePotential> potentials;
  for (const std::string& name : split(text, ',')) {
    const auto potential = static_cast<CandidatePotential>(
        read_name(few_particles_place_of("--potential"), name, names));
    if (std::find(potentials.begin(), potentials.end(), potential) != potentials.end()) {
      complain(few_particles_place_of("--potential"), "a potential twice", name, "each once");
    }
    potentials.push_back(potential);
  }
  return potentials;
}

/// Without both --cells and --per-cell, a device that emulates leaves out what would take it hours.
void read_rows(const FewParticlesArguments& arguments, FewParticlesRequest& request) {
  constexpr double most_interactions_emulated = 64000.0;
  const auto cells = read_integers(few_particles_place_of("--cells"),
                                   or_usual(arguments.cells, "2,4,8,16,32"), 1, 256);
  const auto per_cell = read_integers(few_particles_place_of("--per-cell"),
                                      or_usual(arguments.per_cell, "1,10,100"), 1, 10000);
  const bool asked_for = !arguments.cells.empty() && !arguments.per_cell.empty();
  for (const std::int32_t many : per_cell) {
    for (const std::int32_t side : cells) {
      const FewParticlesRow row{side, many};
      if (row.particles() > most_few_particles) {
        complain(few_particles_place_of("--cells"),
                 fmt::format("too many particles in {}^3 cells", side),
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
    complain(few_particles_place_of("--csv"), "a directory", path.string(), "a file");
  }
  const auto parent = path.parent_path();
  if (!parent.empty() && !std::filesystem::is_directory(parent, ignored)) {
    complain(few_particles_place_of("--csv"), "no such directory", parent.string(),
             "a directory that exists");
  }
  if (is_other_than_a_file(path)) {
    complain(few_particles_place_of("--csv"), "no file", path.string(), "a file");
  }
  if (const auto words = what_is_in_the_way(path, temporary_name(path))) {
    throw InputError(few_particles_place_of("--csv") + ": " + *words);
  }
  if (std::filesystem::exists(path, ignored) && !arguments.overwrite) {
    complain(few_particles_place_of("--csv"), "the file exists", path.string(),
             "another name, or --overwrite to replace it");
  }
  return path;
}

FewParticlesRequest read_request(const FewParticlesArguments& arguments) {
  FewParticlesRequest request;
  request.device = &read_device(few_particles_words, arguments);
  request.known = request.device->backends();
  request.backends =
      read_backends(few_particles_words, arguments.backends, arguments.options, request.known);
  request.potentials = read_potentials(arguments.potential);
  request.repeats = read_integer(few_particles_place_of("--repeats"), arguments.repeats, 1, 1000);
  request.csv = read_csv(arguments);
  request.properties = request.device->properties();
  const char* usual_calls = request.properties.emulates_blocks ? "20" : "200";
  request.calls = read_integer(few_particles_place_of("--calls"),
                               or_usual(arguments.calls, usual_calls), 1, 100000);
  read_rows(arguments, request);
  return request;
}

MeasuredRow measure(const FewParticlesRequest& request, const FewParticlesRow& row,
                    CandidatePotential potential) {
  constexpr std::int64_t on_host = 230;  // bytes a particle, as measured
  require_memory(request.properties.emulates_blocks ? on_host * row.particles()
                                                    : bytes_of_start(row.particles()));
  const CandidateBench bench{few_particles_start(row.particles()),
                             row.cells,
                             potential,
                             request.backends,
                             request.calls,
                             request.repeats};
  const auto row_name =
      fmt::format("{}: {}^3 cells, {} per cell", few_particles_words, row.cells, row.per_cell);
  try {
    MeasuredRow measured{row, potential, benches_on(*request.device).time_candidates(bench)};
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
  explicit Table(const FewParticlesRequest& request) : request_(request) {
    for (const BackendChoice& choice : request.backends) {
      width_ = std::max(width_, describe(choice, request.known).size());
    }
  }

  std::string head(CandidatePotential of) const {
    const auto potential = static_cast<std::size_t>(of);
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

  std::string operator()(const MeasuredRow& measured) const {
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

  static std::string row_line(const MeasuredRow& measured) {
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

  const FewParticlesRequest& request_;
  std::size_t width_ = 20;
};

FewParticlesMeasurement everything(const FewParticlesRequest& request,
                                   std::vector<MeasuredRow> rows) {
  return {request.known, request.backends, request.properties,
          request.calls, request.repeats,  std::move(rows)};
}

}  // namespace

void few_particles_command(const FewParticlesArguments& arguments) {
  const FewParticlesRequest request = read_request(arguments);
  const ResultFiles files = bench_files(few_particles_words, arguments, few_particles_page,
                                        few_particles_tables(), few_particles_plots());
  const Table table(request);
  FewParticlesMeasurement measurement = everything(request, {});
  const auto keep = [&] {  // what is measured is kept, whatever becomes of the rest
    Result result =
        begin_result(few_particles_page, "Few particles per cell", arguments, *request.device);
    if (!request.csv.empty()) {
      replace_file(request.csv, to_csv(table_of_rows(measurement), result.provenance));
    }
    add_few_particles(result, measurement);
    files.write(result);
  };
  keep();
  for (const CandidatePotential potential : request.potentials) {
    print(table.head(potential));
    for (const FewParticlesRow& row : request.rows) {
      measurement.rows.push_back(measure(request, row, potential));
      print(table(measurement.rows.back()));
      keep();
    }
  }
  print("\n" + beside_the_published(measurement) + files.closing_line());
}

}  // namespace pencilbox
