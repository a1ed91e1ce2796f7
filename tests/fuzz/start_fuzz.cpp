// The readers of start files: PENCILBOX_FUZZ_NAME is the name that the text comes under, and its
// ending chooses the format. What they take must be a whole state.
#include <cmath>

#include "io/input/start_file.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using namespace pencilbox;

bool is_finite(const std::vector<Double3>& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const Double3& row) {
    return std::isfinite(row[0]) && std::isfinite(row[1]) && std::isfinite(row[2]);
  });
}

void require_whole(const StartState& start) {
  const std::size_t particles = start.id.size();
  fuzz::require(particles > 0, "no particles");
  fuzz::require(start.type.size() == particles && start.position.size() == particles &&
                    start.velocity.size() == particles && start.image.size() == particles,
                "columns of different lengths");
  for (std::size_t i = 0; i < particles; ++i) {
    fuzz::require(start.id[i] == static_cast<ParticleId>(i + 1), "ids that are not 1 to N");
    fuzz::require(
        start.type[i] >= 0 && static_cast<std::size_t>(start.type[i]) < start.types.size(),
        "a type that is not there");
  }
  fuzz::require(is_finite(start.position) && is_finite(start.velocity),
                "numbers that are not finite");
  for (const double edge : start.box.edges) {
    fuzz::require(std::isfinite(edge) && edge > 0.0, "a box without room");
  }
  for (const ParticleType& type : start.types) {
    fuzz::require(std::isfinite(type.mass) && type.mass > 0.0, "a mass that is not positive");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const StartFileRequest from_the_file;
  static const StartFileRequest from_the_deck{{true, true, false}, {{"A", 1.0}, {"B", 2.0}}};
  for (const StartFileRequest* request : {&from_the_file, &from_the_deck}) {
    fuzz::expect_taken_or_refused([&] {
      require_whole(parse_start(fuzz::text_of(data, size), PENCILBOX_FUZZ_NAME, *request));
    });
  }
  return 0;
}
