// The truth: every pair and every image, in double, with nothing clever. Every other back end is
// tested against it. One thread a target; cost N^2.
#include <cmath>

#include "neighbor/backend.hpp"
#include "neighbor/pair_sum.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Cell-relative to box-relative coordinates.
template <class State>
struct Unfold {
  static constexpr const char* name = "reference: unfold";
  GridView<double> grid;
  const Index* cell;
  Vec3View<const State> offset;
  Vec3View<double> position;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const CellCoordinates c = grid.coordinates(cell[i]);
    position.store(i, grid.shift(c.x, c.y, c.z).rounded + offset[i].template to<double>());
  }
};

/// How far images reach in one direction: separations d + k * length with |k| <= images, where d is
/// the nearest one.
struct Images {
  double length;
  Index images;

  /// Of two particles inside the box; an open direction has length 0.
  PENCILBOX_DEVICE_FUNCTION double nearest(double separation) const {
    const double half = 0.5 * length;
    return separation - (separation > half ? length : (separation < -half ? -length : 0.0));
  }
};

template <class Precision, Wanted wanted, class Interaction>
struct AllPairs {
  static constexpr const char* name = "reference: all pairs";
  Index count;
  Vec3View<const double> position;
  const std::int32_t* type;
  Images x, y, z;
  Interaction interaction;
  PairSumsView<Precision> sums;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index target) const {
    TargetSum<DoublePrecision, wanted> sum;
    const Vec3<double> at = position[target];
    const bool nearest_only = x.images == 0 && y.images == 0 && z.images == 0;
    for (Index source = 0; source < count; ++source) {
      const Vec3<double> d = at - position[source];
      const Vec3<double> nearest{x.nearest(d.x), y.nearest(d.y), z.nearest(d.z)};
      if (!nearest_only) {
        add_images(sum, nearest, target, source);
      } else if (source != target) {
        add_image(sum, nearest, {}, target, source);
      }
    }
    store(sum, target);
  }

  PENCILBOX_DEVICE_FUNCTION void add_images(TargetSum<DoublePrecision, wanted>& sum,
                                            const Vec3<double>& nearest, Index target,
                                            Index source) const {
    for (Index i = -x.images; i <= x.images; ++i) {
      for (Index j = -y.images; j <= y.images; ++j) {
        for (Index k = -z.images; k <= z.images; ++k) {
          if (target == source && i == 0 && j == 0 && k == 0) continue;
          add_image(sum, nearest, {i * x.length, j * y.length, k * z.length}, target, source);
        }
      }
    }
  }

  PENCILBOX_DEVICE_FUNCTION void add_image(TargetSum<DoublePrecision, wanted>& sum,
                                           const Vec3<double>& nearest, const Vec3<double>& image,
                                           Index target, Index source) const {
    const auto exact = [] { return Vec3<double>{}; };  // not asked for in double
    sum.add(interaction, nearest, Vec3<double>{}, CellShift<double>{image, {}}, exact, type[target],
            type[source]);
  }

  PENCILBOX_DEVICE_FUNCTION void store(const TargetSum<DoublePrecision, wanted>& sum,
                                       Index target) const {
    TargetSum<Precision, wanted>::from(sum).store(sums, target);
  }
};

template <class Precision>
class Reference final : public Backend<Precision> {
 public:
  using PairArithmetic = double;  // whatever the precision of the run
  using EvaluatesTables = std::true_type;

  Reference(const Problem& problem, const BackendOptions&)
      : problem_(problem), interaction_(problem.potential, 0.0, upload_stream_) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions&) {
    if (const auto reason = cells_for_a_cutoff(problem, "looks at all pairs")) return reason;
    return infinitely_many_images(problem);
  }

  void box_changed(const Problem& problem) override { problem_ = problem; }

  void rebuild(const BinnedParticles<Precision>& particles, Stream& stream) override {
    position_.resize(particles.count);
    for_each(stream, particles.count,
             Unfold<typename Precision::State>{problem_.grid.view<double>(), particles.cell,
                                               particles.state_position, position_.view()});
  }

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>&, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    const auto run = [&](const auto& interaction, auto chosen) {
      using Functor = std::decay_t<decltype(interaction)>;
      const Vec3Buffer<double>& position = position_;
      for_each(stream, particles.count,
               AllPairs<Precision, chosen(), Functor>{
                   particles.count, position.view(), particles.type, images(0), images(1),
                   images(2), interaction, PairSumsView<Precision>(sums)},
               threads);
    };
    if (!dispatch_tabulated(interaction_, wanted, run)) dispatch_any(interaction_, wanted, run);
    report_ = {{divide_up(particles.count, threads), threads, 0},
               [] { return "one thread a target, all pairs"; }};
  }

  LaunchReport launch_report() const override { return report_; }

 private:
  static constexpr int threads = 128;

  Images images(std::size_t direction) const {
    if (!problem_.box.periodic[direction]) return {0.0, 0};
    const double length = problem_.box.edges[direction];
    const double cutoff = cutoff_of(problem_.potential);
    return {length, static_cast<Index>(std::floor(cutoff / length + 0.5))};
  }

  Problem problem_;
  Stream upload_stream_;
  Interaction<double> interaction_;
  Vec3Buffer<double> position_;
  LaunchReport report_;
};

}  // namespace

BackendEntry reference() {
  return make_entry<Reference>({
      .name = "reference",
      .summary = "all pairs and all images in double precision: the truth, N^2",
      .source = "brute force",
      .all_pairs = true,
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
