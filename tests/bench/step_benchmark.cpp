// Time steps of the melt with every back end on every device that answers, by Google Benchmark:
//
//   build/host/tests/bench/step_benchmark --benchmark_filter=par_part --benchmark_repetitions=5
//
// `atom_steps` is the figure of merit, in atom-steps a second.
#include <benchmark/benchmark.h>

#include "tests/support/configurations.hpp"

namespace pencilbox::testing {
namespace {

void advance_melt(benchmark::State& state, const DeviceBackend& backend, Precision precision,
                  int cells) {
  SimulationSetup setup = make_lj_setup(thermal_crystal(cells, 0.8442), 2.5, Truncation::cut);
  setup.precision = precision;
  setup.backend = backend.info.name;
  setup.options = default_options(backend.info);
  const std::int64_t particles = setup.start.size();
  const auto simulation = backend.device->make(std::move(setup));
  simulation->advance(50);  // the crystal melts, caches and clocks warm up
  constexpr std::int64_t steps = 10;
  for (auto _ : state) simulation->advance(steps, LastStep::forces_only);
  const auto work = static_cast<double>(particles * steps * state.iterations());
  state.counters["atom_steps"] = benchmark::Counter(work, benchmark::Counter::kIsRate);
}

void register_all() {
  for (const DeviceBackend& backend : device_backends()) {
    const bool slow = backend.device->kind() == "host" &&
                      (backend.info.needs_blocks || backend.info.name == "reference");
    for (const Precision precision : {Precision::single, Precision::mixed, Precision::double_}) {
      for (const int cells : {5, 10, 20}) {
        if (slow && cells > 5) continue;
        const std::string name = backend.name() + "/" + std::string(name_of(precision)) + "/" +
                                 std::to_string(4 * cells * cells * cells);
        benchmark::RegisterBenchmark(
            name.c_str(),
            [=](benchmark::State& state) { advance_melt(state, backend, precision, cells); })
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
      }
    }
  }
}

}  // namespace
}  // namespace pencilbox::testing

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  pencilbox::testing::register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
