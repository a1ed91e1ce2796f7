// The checkpoint reader on whole files that hold any numbers: it takes a state that a simulation
// can go on from, and then it is the one that was written; or it refuses.
#include <cstring>

#include "io/checkpoint/checkpoint_file.hpp"
#include "tests/fuzz/file_of.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using namespace pencilbox;

/// Numbers out of the input, zeros behind its end.
class Numbers {
 public:
  Numbers(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  template <class Number>
  Number next() {
    Number number{};
    const std::size_t count = std::min(sizeof number, size_ - at_);
    if (count > 0) std::memcpy(&number, data_ + at_, count);
    at_ += count;
    return number;
  }

  /// Mostly a small one, which may be sound.
  std::int32_t index() {
    const auto kind = next<std::uint8_t>();
    return kind < 250 ? kind % 5 : next<std::int32_t>();
  }
  double real() {
    const auto kind = next<std::uint8_t>();
    return kind < 250 ? 0.25 * kind : next<double>();
  }
  Double3 vector() { return {real(), real(), real()}; }
  std::array<std::int32_t, 3> indices() { return {index(), index(), index()}; }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

Checkpoint checkpoint_from(Numbers numbers) {
  Checkpoint checkpoint;
  checkpoint.version = "0";
  checkpoint.deck = "run.timestep: 0.005\n";
  checkpoint.start = {numbers.real(), numbers.real()};
  ExactState& state = checkpoint.state;
  state.precision = static_cast<Precision>(numbers.next<std::uint8_t>() % 3);
  state.step = numbers.index();
  state.box = {numbers.vector(), numbers.vector(), {true, false, true}};
  for (int i = numbers.next<std::uint8_t>() % 2; i >= 0; --i)
    state.types.push_back({"A", numbers.real()});
  state.grid = {numbers.vector(), numbers.vector(), numbers.indices()};
  if (numbers.next<std::uint8_t>() % 2 == 1) state.integrator["one"] = {numbers.real()};
  for (std::int32_t i = numbers.index() % 6; i > 0; --i) {
    state.id.push_back(numbers.index());
    state.type.push_back(numbers.index());
    state.cell.push_back(numbers.indices());
    state.image.push_back(numbers.indices());
    state.offset.push_back(numbers.vector());
    state.velocity.push_back(numbers.vector());
    state.force.push_back(numbers.vector());
  }
  return checkpoint;
}

bool is_finite(const std::vector<Double3>& rows) {
  return std::all_of(rows.begin(), rows.end(),
                     [](const Double3& row) { return pencilbox::is_finite(row); });
}

void require_sound(const ExactState& state) {
  fuzz::require(state.size() > 0, "no particles");
  fuzz::require(is_finite(state.offset) && is_finite(state.velocity) && is_finite(state.force),
                "numbers that are not finite");
  for (std::size_t d = 0; d < 3; ++d) {
    fuzz::require(state.grid.cells[d] > 0 && state.grid.side[d] > 0.0 && state.box.edges[d] > 0.0,
                  "no room");
  }
  for (std::size_t i = 0; i < state.id.size(); ++i) {
    fuzz::require(i == 0 || state.id[i] > state.id[i - 1], "ids that do not ascend");
    fuzz::require(
        state.type[i] >= 0 && static_cast<std::size_t>(state.type[i]) < state.types.size(),
        "a type that is not there");
    for (std::size_t d = 0; d < 3; ++d) {
      fuzz::require(state.cell[i][d] >= 0 && state.cell[i][d] < state.grid.cells[d],
                    "a cell that is not there");
    }
  }
}

void require_the_same(const ExactState& taken, const ExactState& written) {
  fuzz::require(taken.step == written.step && taken.precision == written.precision &&
                    taken.id == written.id && taken.type == written.type &&
                    taken.cell == written.cell && taken.image == written.image,
                "another state");
  if (written.precision == Precision::single) return;  // it holds floats
  fuzz::require(taken.offset == written.offset && taken.velocity == written.velocity &&
                    taken.force == written.force && taken.integrator == written.integrator,
                "other numbers");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::TemporaryFile file;
  const Checkpoint written = checkpoint_from({data, size});
  write_checkpoint_file(file.path(), written);
  fuzz::expect_taken_or_refused([&] {
    const Checkpoint taken = read_checkpoint_file(file.path());
    require_sound(taken.state);
    require_the_same(taken.state, written.state);
  });
  return 0;
}
