// thermo.csv, which a resumed run reads to go on with it: taken up to a step, and then another row
// comes right behind it.
#include <charconv>

#include "io/output/thermo_log.hpp"
#include "tests/fuzz/file_of.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using namespace pencilbox;

constexpr std::int64_t step = 100;

/// Every row up to `step`, the last one later, and nothing cut.
void require_continued(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line, last;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    fuzz::require(!file.eof(), "a row without an end");
    std::int64_t of_row = 0;
    std::from_chars(last.data(), last.data() + last.size(), of_row);
    fuzz::require(of_row <= step, "a row behind the step");
    last = line;
  }
  fuzz::require(last.starts_with("101,"), "something behind the new row");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::TemporaryFile file;
  fuzz::expect_taken_or_refused([&] {
    ThermoLog log = ThermoLog::resume(file.holding(data, size), step);
    Observation next;
    next.step = step + 1;
    next.particles = 1;
    log.append(next);
    log.close();
    require_continued(file.path());
  });
  return 0;
}
