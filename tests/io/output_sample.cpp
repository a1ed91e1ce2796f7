// Writes a small trajectory with every field, for the checks in tools/ that open it in ParaView and
// in MDAnalysis: output_sample DIRECTORY [single|double]
#include <cstdio>
#include <exception>
#include <string_view>

#include "io/output/trajectory.hpp"
#include "tests/io/output_support.hpp"

int main(int argc, char** argv) try {
  using namespace pencilbox;
  if (argc < 2) {
    std::fputs("usage: output_sample DIRECTORY [single|double]\n", stderr);
    return 2;
  }
  const std::filesystem::path directory = argv[1];
  std::filesystem::create_directories(directory);

  TrajectoryHeader header;
  header.precision =
      argc > 2 && std::string_view(argv[2]) == "double" ? Precision::double_ : Precision::single;
  header.version = "sample";
  for (std::size_t i = 0; i < field_names.size(); ++i) header.fields.insert(static_cast<Field>(i));

  header.observables = testing::sample_results(0);

  constexpr int cells = 6;  // 864 particles
  constexpr int frames = 11;
  const StartState start = testing::sample_start(cells);
  TrajectoryWriter writer(directory / "trajectory.h5md", start, header);
  for (int i = 0; i < frames; ++i) {
    writer.append(pack(testing::sample_frame(start, i)), testing::sample_observation(start, i));
    if (i % 5 == 0) writer.append_results(10 * i, 0.1 * i, testing::sample_results(i));
  }
  writer.close();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "output_sample: %s\n", error.what());
  return 1;
}
