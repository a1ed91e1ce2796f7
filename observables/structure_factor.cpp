// The structure factor by Fourier sums over the wave vectors of the periodic box, averaged in
// shells:
//
//   S(k)    = <|rho(k)|^2> / N                        rho(k) = sum over particles of exp(i k.r)
//   S_ab(k) = <Re rho_a(k) rho_b*(k)> / sqrt(N_a N_b)
//
// k = 2 pi (n_x/L_x, n_y/L_y, n_z/L_z), of k and -k one. Allen and Tildesley, Computer Simulation
// of Liquids, 2nd edition, section 2.6 (equation 2.110); S_ab as Ashcroft and Langreth, Phys. Rev.
// 156, 685 (1967).
//
// A sum goes over all particles, in double and in the order in which they lie.
#include <cmath>
#include <limits>
#include <numbers>

#include "observables/cell_pairs.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// A wave vector by its whole numbers.
struct WaveVector {
  std::int32_t x, y, z;
};

/// Those of a box, and which of them are used.
struct WaveVectors {
  std::vector<WaveVector> vectors;
  std::vector<std::size_t> shell;  ///< of each
  std::vector<double> length;      ///< of each [1/sigma]
};

/// Which there are up to k_max, in shells of equal thickness.
class Shells {
 public:
  Shells(const Box& box, double k_max, std::int64_t bins)
      : k_max_(k_max), bins_(static_cast<std::size_t>(bins)) {
    for (std::size_t d = 0; d < 3; ++d) unit_[d] = 2.0 * std::numbers::pi / box.edges[d];
  }

  /// How many have to be looked at to find them.
  double candidates() const {
    double count = 1.0;
    for (const double unit : unit_) count *= 2.0 * std::floor(k_max_ / unit) + 1.0;
    return count / 2.0;
  }

  /// Up to `most` of each shell: where there are more, every so-manyth.
  WaveVectors choose(std::int64_t most) const {
    std::vector<std::int64_t> there(bins_, 0);
    each([&](const WaveVector&, std::size_t shell, double) { ++there[shell]; });
    std::vector<std::int64_t> seen(bins_, 0);
    WaveVectors chosen;
    each([&](const WaveVector& vector, std::size_t shell, double length) {
      const std::int64_t wanted = std::min(there[shell], most);
      const std::int64_t before = seen[shell]++ * wanted / there[shell];
      if (seen[shell] * wanted / there[shell] == before) return;
      chosen.vectors.push_back(vector);
      chosen.shell.push_back(shell);
      chosen.length.push_back(length);
    });
    return chosen;
  }

 private:
  template <class Action>
  void each(const Action& action) const {
    const auto most = [&](std::size_t d) {
      return static_cast<std::int32_t>(std::floor(k_max_ / unit_[d]));
    };
    for (std::int32_t z = 0; z <= most(2); ++z) {
      for (std::int32_t y = z == 0 ? 0 : -most(1); y <= most(1); ++y) {
        for (std::int32_t x = z == 0 && y == 0 ? 1 : -most(0); x <= most(0); ++x) {
          const double length = std::hypot(x * unit_[0], y * unit_[1], z * unit_[2]);
          if (length > k_max_) continue;
          const auto shell = static_cast<std::size_t>(length / k_max_ * static_cast<double>(bins_));
          action(WaveVector{x, y, z}, std::min(shell, bins_ - 1), length);
        }
      }
    }
  }

  double k_max_;
  std::size_t bins_;
  Double3 unit_{};
};

/// One thread a particle: where it is, in parts of the box.
template <class State>
struct StoreFractions {
  static constexpr const char* name = "structure factor: fractions";
  Vec3View<const State> position;
  const Index* cell;
  GridView<double> grid;
  Vec3View<double> fraction;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const CellCoordinates home = grid.coordinates(cell[i]);
    const Vec3<double> offset = position[i].template to<double>();
    fraction.store(i, {of(home.x, offset.x, grid.exact_side.x, grid.cells.x),
                       of(home.y, offset.y, grid.exact_side.y, grid.cells.y),
                       of(home.z, offset.z, grid.exact_side.z, grid.cells.z)});
  }

  PENCILBOX_DEVICE_FUNCTION static double of(Index home, double offset, double side, Index cells) {
    return (static_cast<double>(home) + 0.5 + offset / side) / static_cast<double>(cells);
  }
};

/// Number (vector, type, part) sums every `parts`-th particle; the host adds the parts up in their
/// order.
struct SumWaves {
  static constexpr const char* name = "structure factor: sum waves";
  const WaveVector* vectors;
  Vec3View<const double> fraction;
  const std::int32_t* type;
  Index particles, types, parts;
  double* real;  ///< [vectors][types][parts]
  double* imaginary;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index number) const {
    const Index row = number / parts;
    const WaveVector wave = vectors[row / types];
    const std::int32_t wanted = row % types;
    double cosines = 0.0, sines = 0.0;
    for (std::int64_t k = number % parts; k < particles; k += parts) {
      const auto i = static_cast<Index>(k);
      if (type[i] != wanted) continue;
      const Vec3<double> place = fraction[i];
      const double turns = wave.x * place.x + wave.y * place.y + wave.z * place.z;
      const double angle = 2.0 * std::numbers::pi * (turns - std::floor(turns));
      cosines += std::cos(angle);
      sines += std::sin(angle);
    }
    real[number] = cosines;
    imaginary[number] = sines;
  }
};

template <class Precision>
class StructureFactor final : public Observable<Precision> {
 public:
  explicit StructureFactor(const ObservableSettings& settings)
      : system_(settings.system),
        types_(system_.types.size()),
        bins_(static_cast<std::size_t>(settings.integer("bins"))),
        k_max_(settings.parameter("k_max")),
        waves_(shells_of(settings).choose(settings.integer("max_vectors"))),
        sums_(rows() * bins_, 0.0) {}

  static void require(const ObservableSettings& settings) {
    require_fixed_box(settings, "its wave vectors are those of a box that stays");
    if (!settings.system.box.fully_periodic()) {
      throw ObservableRefusal("structure-factor", "type",
                              "its wave vectors are those of a periodic box", "an open direction",
                              "boundary: [periodic, periodic, periodic]");
    }
    constexpr double most_candidates = 1e8;
    const double candidates = shells_of(settings).candidates();
    if (candidates > most_candidates) {
      throw ObservableRefusal(
          "structure-factor", "k_max", "too many wave vectors in this box",
          shortest_text(settings.parameter("k_max")),
          "about " + shortest_text(allowed_k(settings, most_candidates)) + " or less");
    }
    constexpr std::int64_t most_sums = 1 << 20;
    const auto types = static_cast<std::int64_t>(settings.system.types.size());
    const std::int64_t sums = most_vectors(settings) * types;
    if (sums > most_sums) {
      throw ObservableRefusal(
          "structure-factor", "max_vectors", "too many for so many bins and types",
          std::to_string(settings.integer("max_vectors")),
          "at most " + std::to_string(most_sums / types / settings.integer("bins")));
    }
  }

  static std::int64_t own_bytes(const ObservableSettings& settings) {
    const auto types = static_cast<std::int64_t>(settings.system.types.size());
    const std::int64_t rows = most_vectors(settings) * types;
    const auto number = static_cast<std::int64_t>(sizeof(double));
    return settings.system.particles() * 3 * number + rows * parts_for(rows) * 2 * number +
           rows * static_cast<std::int64_t>(sizeof(WaveVector));
  }

  void sample(const ObservedState<Precision>& state, Stream& stream) override {
    ++samples_;
    if (waves_.vectors.empty()) return;
    if (vectors_.size() == 0) vectors_.upload(waves_.vectors, stream);
    const auto& particles = state.particles.state;
    const Index count = state.particles.count;
    fraction_.resize(count);
    for_each(stream, count,
             StoreFractions<typename Precision::State>{
                 particles.position.view(), particles.cell.data(),
                 state.grid.template view<double>(), fraction_.view()});
    const auto rows = static_cast<std::int64_t>(waves_.vectors.size() * types_);
    const std::int64_t parts = parts_for(rows);
    real_.resize(rows * parts);
    imaginary_.resize(rows * parts);
    const Vec3Buffer<double>& fraction = fraction_;
    for_each(stream, static_cast<Index>(rows * parts),
             SumWaves{vectors_.data(), fraction.view(), particles.type.data(), count,
                      static_cast<Index>(types_), static_cast<Index>(parts), real_.data(),
                      imaginary_.data()});
    add(added_up(real_.download(stream), parts), added_up(imaginary_.download(stream), parts));
  }

  ObservableResult result(Stream&) override {
    ObservableResult result;
    result.samples = samples_;
    result.title = "Structure factor";
    result.x_label = "k sigma";
    result.y_label = "S(k)";
    std::vector<double> lengths(bins_, 0.0), vectors(bins_, 0.0);
    for (std::size_t k = 0; k < waves_.vectors.size(); ++k) {
      lengths[waves_.shell[k]] += waves_.length[k];
      vectors[waves_.shell[k]] += 1.0;
    }
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      const double middle = k_max_ * (static_cast<double>(bin) + 0.5) / static_cast<double>(bins_);
      lengths[bin] = vectors[bin] > 0.0 ? lengths[bin] / vectors[bin] : middle;
    }
    result.columns.push_back({"k", lengths});
    append(result, vectors, 0, "", "all");
    for (std::size_t a = 0, row = 1; types_ > 1 && a < types_; ++a) {
      for (std::size_t b = a; b < types_; ++b, ++row) {
        append(result, vectors, row, suffix_of(system_, {a, b}),
               system_.types[a].name + " " + system_.types[b].name);
      }
    }
    result.columns.push_back({"vectors", std::move(vectors)});
    return result;
  }

  NamedNumbers state(Stream&) override {
    return {{"samples", {static_cast<double>(samples_)}}, {"sums", sums_}};
  }
  void restore(const NamedNumbers& state, Stream&) override {
    samples_ = static_cast<std::int64_t>(numbers_of(state, "samples", 1).front());
    sums_ = numbers_of(state, "sums", sums_.size());
  }

 private:
  static Shells shells_of(const ObservableSettings& settings) {
    return {settings.system.box, settings.parameter("k_max"), settings.integer("bins")};
  }
  static double allowed_k(const ObservableSettings& settings, double candidates) {
    const double unit = 2.0 * std::numbers::pi / std::cbrt(settings.system.box.volume());
    return std::floor(0.5 * std::cbrt(2.0 * candidates)) * unit;
  }
  static std::int64_t most_vectors(const ObservableSettings& settings) {
    const auto all = static_cast<std::int64_t>(shells_of(settings).candidates());
    return std::max<std::int64_t>(
        1, std::min(all, settings.integer("max_vectors") * settings.integer("bins")));
  }

  /// Whatever the device and its threads, so that the bits are the same; enough to keep a GPU busy.
  static std::int64_t parts_for(std::int64_t rows) {
    constexpr std::int64_t threads = 1 << 18, most = 1024;
    return std::clamp(threads / std::max<std::int64_t>(rows, 1), std::int64_t{1}, most);
  }

  static std::vector<double> added_up(const std::vector<double>& all, std::int64_t parts) {
    std::vector<double> sums(all.size() / static_cast<std::size_t>(parts), 0.0);
    for (std::size_t k = 0; k < all.size(); ++k) {
      sums[k / static_cast<std::size_t>(parts)] += all[k];
    }
    return sums;
  }

  /// That of all particles, and those of pairs of types where there are several.
  std::size_t rows() const { return types_ > 1 ? 1 + types_ * (types_ + 1) / 2 : 1; }

  /// The Fourier sums of a sample, [vectors][types].
  void add(const std::vector<double>& real, const std::vector<double>& imaginary) {
    for (std::size_t k = 0; k < waves_.vectors.size(); ++k) {
      const double* re = real.data() + k * types_;
      const double* im = imaginary.data() + k * types_;
      double all_re = 0.0, all_im = 0.0;
      for (std::size_t t = 0; t < types_; ++t) {
        all_re += re[t];
        all_im += im[t];
      }
      double* sums = sums_.data() + waves_.shell[k];
      sums[0] += (all_re * all_re + all_im * all_im) / static_cast<double>(system_.particles());
      for (std::size_t a = 0, row = 1; types_ > 1 && a < types_; ++a) {
        for (std::size_t b = a; b < types_; ++b, ++row) {
          const double particles = std::sqrt(static_cast<double>(system_.type_counts[a]) *
                                             static_cast<double>(system_.type_counts[b]));
          sums[row * bins_] += (re[a] * re[b] + im[a] * im[b]) / particles;
        }
      }
    }
  }

  /// NaN where a shell has no wave vector, or there are no samples.
  void append(ObservableResult& result, const std::vector<double>& vectors, std::size_t row,
              const std::string& suffix, const std::string& legend) const {
    ObservableColumn column{"S" + suffix, {}, legend};
    ObservableNumber highest{"highest_S" + suffix, std::numeric_limits<double>::quiet_NaN()};
    ObservableNumber place{"k_of_highest_S" + suffix, highest.value, "1/sigma"};
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      const double value =
          sums_[row * bins_ + bin] / (static_cast<double>(samples_) * vectors[bin]);
      column.values.push_back(value);
      if (value > highest.value || (std::isnan(highest.value) && std::isfinite(value))) {
        highest.value = value;
        place.value = result.columns.front().values[bin];
      }
    }
    result.columns.push_back(std::move(column));
    result.numbers.push_back(std::move(highest));
    result.numbers.push_back(std::move(place));
  }

  ObservedSystem system_;
  std::size_t types_, bins_;
  double k_max_;
  WaveVectors waves_;
  std::int64_t samples_ = 0;
  std::vector<double> sums_;  ///< [rows()][bins] over samples and wave vectors
  Buffer<WaveVector> vectors_;
  Vec3Buffer<double> fraction_;  ///< [N]
  Buffer<double> real_, imaginary_;
};

}  // namespace

ObservableEntry structure_factor() {
  return make_observable_entry<StructureFactor>(
      {.name = "structure-factor",
       .summary = "S(k) by pair of types, from Fourier sums over wave vectors of the box",
       .source = "Allen and Tildesley, Computer Simulation of Liquids, section 2.6",
       .parameters = {bins_parameter(),
                      {.name = "k_max",
                       .description = "The longest wave vectors that are looked at",
                       .unit = "1/sigma",
                       .minimum = 1e-6,
                       .maximum = 1e6},
                      {.name = "max_vectors",
                       .description = "Wave vectors of a shell that are used where there are more; "
                                      "each costs a sum over all particles",
                       .unit = "",
                       .minimum = 1.0,
                       .maximum = 100000.0,
                       .default_value = "50",
                       .is_integer = true}}});
}

}  // namespace pencilbox::PENCILBOX_DEVICE
