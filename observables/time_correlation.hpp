// Time correlations of a vector that each particle has, between origins in time and now. Several
// origins are kept at a time, so that each sample serves several lags. Allen and Tildesley,
// Computer Simulation of Liquids, 2nd edition, section 8.3.
//
//   samples   0    1    2    3    4    5    6    7   ...
//   origins   o         o         o         o            origin_every: 2
//   length 3: the sample 5 is correlated with the origins 2 and 4, at the lags 3 and 1
//
// Vectors lie in order of ids, and sums over particles are in double and in that order: they depend
// neither on where particles lie on the device nor on the number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/row_of_id.hpp"
#include "observables/observable.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Where what is counted stays: [lags] for each type.
struct CorrelationSums {
  std::vector<std::vector<double>> sums;  ///< [types][lags] over particles of the type and origins
  std::vector<double> origins;            ///< [lags] that the sums are over
};

/// One thread a particle: its vector goes to its row. `Vector` says which: (Index) -> Vec3<double>.
template <class Vector>
struct StoreVectors {
  static constexpr const char* name = "time correlation: store vectors";
  Vector vector;
  const ParticleId* id;
  RowOfId row_of;
  Vec3View<double> rows;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const { rows.store(row_of(id[i]), vector(i)); }
};

/// One origin in time, as kernels see it.
struct Origin {
  Vec3View<const double> then;  ///< [N] in order of ids
};

/// Number (origin, type, part) sums every `parts`-th particle: for each origin and each type
/// `parts` sums, which the host adds up in their order. `Product` makes a number of two vectors.
template <class Product>
struct SumProducts {
  static constexpr const char* name = "time correlation: sum products";
  const Origin* origins;
  Vec3View<const double> now;
  const std::int32_t* type;
  Index particles, types, parts;
  double* sums;  ///< [origins][types][parts]

  PENCILBOX_DEVICE_FUNCTION void operator()(Index number) const {
    const Index row = number / parts;
    const Vec3View<const double> then = origins[row / types].then;
    const std::int32_t wanted = row % types;
    double sum = 0.0;
    for (std::int64_t i = number % parts; i < particles; i += parts) {
      const auto k = static_cast<Index>(i);
      if (type[k] == wanted) sum += Product()(then[k], now[k]);
    }
    sums[number] = sum;
  }
};

/// `Quantity` has needs_fixed_box and the functors Vector<Precision>, constructible from an
/// ObservedState, and Product.
template <class Precision, class Quantity>
class TimeCorrelation {
 public:
  explicit TimeCorrelation(const ObservableSettings& settings)
      : types_(settings.system.types.size()),
        particles_(settings.system.particles()),
        length_(settings.integer("length")),
        origin_every_(settings.integer("origin_every")),
        origins_(static_cast<std::size_t>(slots(settings))) {
    const auto lags = static_cast<std::size_t>(length_ + 1);
    kept_.sums.assign(types_, std::vector<double>(lags, 0.0));
    kept_.origins.assign(lags, 0.0);
  }

  /// What several observables have in common.
  static std::vector<ParameterInfo> parameters() {
    return {
        {.name = "length",
         .description = "The longest lag that is looked at",
         .unit = "samples",
         .minimum = 2.0,
         .maximum = 1000000.0,
         .is_integer = true},
        {.name = "origin_every",
         .description = "Samples between two origins in time; length / origin_every + 1 of them "
                        "are kept at a time",
         .unit = "samples",
         .minimum = 1.0,
         .maximum = 1000000.0,
         .default_value = "10",
         .is_integer = true}};
  }

  /// Memory and sums are for each origin that is kept.
  static void require(const ObservableSettings& settings) {
    if (Quantity::needs_fixed_box) {
      require_fixed_box(settings, "who has left the box would move with its sides");
    }
    constexpr std::int64_t most = 10000;
    const auto types = static_cast<std::int64_t>(settings.system.types.size());
    if (slots(settings) * types <= most) return;
    throw ObservableRefusal(settings.choice.name, "origin_every",
                            "length / origin_every + 1 origins at a time are too many for " +
                                std::to_string(types) + (types == 1 ? " type" : " types"),
                            std::to_string(slots(settings)) + " origins",
                            "at most " + std::to_string(most / types));
  }

  static std::int64_t own_bytes(const ObservableSettings& settings) {
    constexpr std::int64_t vector = 3 * sizeof(double);
    constexpr std::int64_t id_and_type = sizeof(ParticleId) + sizeof(std::int32_t);
    const auto types = static_cast<std::int64_t>(settings.system.types.size());
    const std::int64_t particles = settings.system.particles();
    return particles * ((slots(settings) + 1) * vector + id_and_type) +
           slots(settings) * types * parts_for(particles) *
               static_cast<std::int64_t>(sizeof(double));
  }

  std::int64_t samples() const { return samples_; }
  const CorrelationSums& sums() const { return kept_; }

  void sample(const ObservedState<Precision>& state, Stream& stream) {
    if (ids_.size() == 0) note_ids(state.particles, stream);
    const RowOfId row_of{ids_.data(), state.particles.count};
    for_each(stream, state.particles.count,
             StoreVectors<typename Quantity::template Vector<Precision>>{
                 typename Quantity::template Vector<Precision>(state),
                 state.particles.state.id.data(), row_of, now_.view()});
    if (samples_ % origin_every_ == 0) begin_origin(stream);
    correlate(stream);
    ++samples_;
  }

  NamedNumbers state(Stream& stream) const {
    NamedNumbers state{{"samples", {static_cast<double>(samples_)}},
                       {"origins_of_lag", kept_.origins}};
    for (std::size_t t = 0; t < types_; ++t) state["sums_" + std::to_string(t)] = kept_.sums[t];
    for (std::size_t k = 0; k < slots_in_use(); ++k) {
      const Vec3Buffer<double>& origin = origins_[k];
      const std::string name = "origin_" + std::to_string(k);
      state[name + "_x"] = origin.x.download(stream);
      state[name + "_y"] = origin.y.download(stream);
      state[name + "_z"] = origin.z.download(stream);
    }
    return state;
  }

  void restore(const NamedNumbers& state, Stream& stream) {
    samples_ = static_cast<std::int64_t>(numbers_of(state, "samples", 1).front());
    if (samples_ < 0) throw InputError("observables: a number of samples that is negative");
    const auto lags = static_cast<std::size_t>(length_ + 1);
    kept_.origins = numbers_of(state, "origins_of_lag", lags);
    for (std::size_t t = 0; t < types_; ++t) {
      kept_.sums[t] = numbers_of(state, "sums_" + std::to_string(t), lags);
    }
    const auto particles = static_cast<std::size_t>(particles_);
    for (std::size_t k = 0; k < slots_in_use(); ++k) {
      const std::string name = "origin_" + std::to_string(k);
      origins_[k].x.upload(numbers_of(state, name + "_x", particles), stream);
      origins_[k].y.upload(numbers_of(state, name + "_y", particles), stream);
      origins_[k].z.upload(numbers_of(state, name + "_z", particles), stream);
    }
  }

 private:
  static std::int64_t slots(const ObservableSettings& settings) {
    return settings.integer("length") / settings.integer("origin_every") + 1;
  }

  /// Sums of an origin and a type: whatever the device and its threads, so that the bits are the
  /// same.
  static std::int64_t parts_for(std::int64_t particles) {
    constexpr std::int64_t particles_of_a_part = 32, fewest = 64, most = 4096;
    return std::clamp(particles / particles_of_a_part, fewest, most);
  }

  std::size_t slots_in_use() const {
    const std::int64_t begun = (samples_ + origin_every_ - 1) / origin_every_;
    return std::min(origins_.size(), static_cast<std::size_t>(begun));
  }

  /// Ids and types of all rows; they stay.
  void note_ids(const Particles<Precision>& particles, Stream& stream) {
    const std::vector<ParticleId> ids = particles.state.id.download(stream);
    const std::vector<std::int32_t> types = particles.state.type.download(stream);
    std::vector<std::pair<ParticleId, std::int32_t>> rows;
    for (std::size_t i = 0; i < ids.size(); ++i) rows.emplace_back(ids[i], types[i]);
    std::sort(rows.begin(), rows.end());
    std::vector<ParticleId> sorted_ids;
    std::vector<std::int32_t> sorted_types;
    for (const auto& [id, type] : rows) {
      sorted_ids.push_back(id);
      sorted_types.push_back(type);
    }
    ids_.upload(sorted_ids, stream);
    type_.upload(sorted_types, stream);
    now_.resize(particles.count);
  }

  /// In the place of one that is older than the longest lag.
  void begin_origin(Stream& stream) {
    const auto number = static_cast<std::size_t>(samples_ / origin_every_);
    Vec3Buffer<double>& origin = origins_[number % origins_.size()];
    origin.resize(particles_);
    const std::size_t bytes = static_cast<std::size_t>(particles_) * sizeof(double);
    memory::copy(origin.x.data(), now_.x.data(), bytes, stream);
    memory::copy(origin.y.data(), now_.y.data(), bytes, stream);
    memory::copy(origin.z.data(), now_.z.data(), bytes, stream);
  }

  /// With every origin that is near enough.
  void correlate(Stream& stream) {
    std::vector<std::size_t> lags;
    std::vector<Origin> origins;
    for (std::int64_t number = samples_ / origin_every_; number >= 0; --number) {
      const std::int64_t lag = samples_ - number * origin_every_;
      if (lag > length_) break;
      const Vec3Buffer<double>& origin =
          origins_[static_cast<std::size_t>(number) % origins_.size()];
      lags.push_back(static_cast<std::size_t>(lag));
      origins.push_back({origin.view()});
    }
    const std::vector<double> sums = sums_with(origins, stream);
    for (std::size_t k = 0; k < lags.size(); ++k) {
      for (std::size_t t = 0; t < types_; ++t) kept_.sums[t][lags[k]] += sums[k * types_ + t];
      kept_.origins[lags[k]] += 1.0;
    }
  }

  /// Of the present vectors with those of each origin: [origins][types].
  std::vector<double> sums_with(const std::vector<Origin>& origins, Stream& stream) {
    const std::int64_t parts = parts_for(particles_);
    const std::size_t rows = origins.size() * types_;
    const Vec3Buffer<double>& now = now_;
    origins_now_.upload(origins, stream);
    parts_.resize(static_cast<std::int64_t>(rows) * parts);
    for_each(stream, static_cast<Index>(parts_.size()),
             SumProducts<typename Quantity::Product>{
                 origins_now_.data(), now.view(), type_.data(), static_cast<Index>(particles_),
                 static_cast<Index>(types_), static_cast<Index>(parts), parts_.data()});
    const std::vector<double> all = parts_.download(stream);
    std::vector<double> sums(rows, 0.0);
    for (std::size_t k = 0; k < all.size(); ++k) {
      sums[k / static_cast<std::size_t>(parts)] += all[k];
    }
    return sums;
  }

  std::size_t types_;
  std::int64_t particles_, length_, origin_every_;
  std::int64_t samples_ = 0;
  CorrelationSums kept_;
  std::vector<Vec3Buffer<double>> origins_;  ///< in turn; [N] each
  Vec3Buffer<double> now_;                   ///< [N]
  Buffer<ParticleId> ids_;                   ///< [N] ascending
  Buffer<std::int32_t> type_;                ///< [N]
  Buffer<Origin> origins_now_;               ///< those that the present sample is held against
  Buffer<double> parts_;                     ///< of its sums
};

/// The mean over origins and over the particles of the types in [first, last), by lag; NaN where
/// there are none.
inline std::vector<double> mean_of(const CorrelationSums& kept, const ObservedSystem& system,
                                   std::size_t first, std::size_t last) {
  double particles = 0.0;
  std::vector<double> mean(kept.origins.size(), 0.0);
  for (std::size_t t = first; t < last; ++t) {
    particles += static_cast<double>(system.type_counts[t]);
    for (std::size_t lag = 0; lag < mean.size(); ++lag) mean[lag] += kept.sums[t][lag];
  }
  for (std::size_t lag = 0; lag < mean.size(); ++lag) mean[lag] /= particles * kept.origins[lag];
  return mean;
}

/// The times of the lags.
inline std::vector<double> times_of(const CorrelationSums& kept, double interval) {
  std::vector<double> times;
  for (std::size_t lag = 0; lag < kept.origins.size(); ++lag) {
    times.push_back(static_cast<double>(lag) * interval);
  }
  return times;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
