#include "neighbor/cells/particle_transfer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "core/device/host_buffer.hpp"
#include "core/in_pieces.hpp"
#include "neighbor/cells/frame_gatherer.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Of a start so many rows at a time: a large one does not need the host's memory twice, and what
/// a device copies from is pinned, which takes time.
constexpr std::int64_t rows_at_a_time = 16 * particles_of_a_piece;

/// Rows on their way to the device, as its arrays have them.
template <class Precision>
class RowsOnTheWay {
  using State = typename Precision::State;

 public:
  explicit RowsOnTheWay(std::int64_t room) {
    memory_.resize(static_cast<std::size_t>(room) * (6 * sizeof(State) + 6 * sizeof(std::int32_t)));
    std::byte* next = memory_.data();
    const auto take = [&](auto& array) {
      using Array = std::remove_reference_t<decltype(array)>;
      array = reinterpret_cast<Array>(next);
      next += static_cast<std::size_t>(room) * sizeof(*array);
    };
    for (Vec3View<State>* three : {&position_, &velocity_}) {
      take(three->x), take(three->y), take(three->z);
    }
    take(image_.x), take(image_.y), take(image_.z);
    take(cell_), take(id_), take(type_);
  }

  /// [first, first + count) of the start; count is at most the room.
  void fetch(const StartState& start, std::int64_t first, std::int64_t count,
             const CellGrid& grid) {
    const GridView<double> view = grid.view<double>();
    for_each_in_pieces(count, [&](std::size_t k) {
      const auto i = static_cast<Index>(k);
      const std::size_t row = static_cast<std::size_t>(first) + k;
      GridPlace home = place(grid, start.position[row]);
      for (std::size_t d = 0; d < 3; ++d) home.image[d] += start.image[row][d];
      set(position_, i, home.offset);
      set(velocity_, i, start.velocity[row]);
      set(image_, i, home.image);
      cell_[i] = view.linear({home.cell[0], home.cell[1], home.cell[2]});
      id_[i] = start.id[row];
      type_[i] = start.type[row];
    });
  }

  void send(std::int64_t first, std::int64_t count, ParticleState<Precision>& to,
            Stream& stream) const {
    send(position_, to.position, first, count, stream);
    send(velocity_, to.velocity, first, count, stream);
    send(image_, to.image, first, count, stream);
    send(cell_, to.cell, first, count, stream);
    send(id_, to.id, first, count, stream);
    send(type_, to.type, first, count, stream);
    stream.synchronize();  // before other rows come into their place
  }

 private:
  template <class T, class Source>
  static void set(const Vec3View<T>& to, Index i, const std::array<Source, 3>& value) {
    to.store(i, {static_cast<T>(value[0]), static_cast<T>(value[1]), static_cast<T>(value[2])});
  }
  template <class T>
  static void send(const T* rows, Buffer<T>& to, std::int64_t first, std::int64_t count,
                   Stream& stream) {
    memory::copy(to.data() + first, rows, static_cast<std::size_t>(count) * sizeof(T), stream);
  }
  template <class T>
  static void send(const Vec3View<T>& rows, Vec3Buffer<T>& to, std::int64_t first,
                   std::int64_t count, Stream& stream) {
    send(rows.x, to.x, first, count, stream);
    send(rows.y, to.y, first, count, stream);
    send(rows.z, to.z, first, count, stream);
  }

  HostBuffer memory_;
  Vec3View<State> position_, velocity_;
  Vec3View<std::int32_t> image_;
  Index* cell_ = nullptr;
  ParticleId* id_ = nullptr;
  std::int32_t* type_ = nullptr;
};

}  // namespace

template <class Precision>
void upload_types(const std::vector<ParticleType>& types, Particles<Precision>& particles,
                  Stream& stream) {
  std::vector<double> mass;
  std::vector<double> inverse_mass;
  for (const ParticleType& type : types) {
    mass.push_back(type.mass);
    inverse_mass.push_back(1.0 / type.mass);
  }
  particles.types = static_cast<Index>(types.size());
  particles.mass.upload(mass, stream);
  particles.inverse_mass.upload(inverse_mass, stream);
}

template <class Precision>
void upload(const StartState& start, const CellGrid& grid, Particles<Precision>& particles,
            Stream& stream) {
  particles.count = static_cast<Index>(start.size());
  particles.state.resize(particles.count);
  upload_types(start.types, particles, stream);
  RowsOnTheWay<Precision> rows(std::min(rows_at_a_time, start.size()));
  for (std::int64_t first = 0; first < start.size(); first += rows_at_a_time) {
    const std::int64_t count = std::min(rows_at_a_time, start.size() - first);
    rows.fetch(start, first, count, grid);
    rows.send(first, count, particles.state, stream);
  }
  particles.sums.resize(particles.count);
}

template <class Precision>
Frame download(const Particles<Precision>& particles, const CellGrid& grid, const FieldSet& fields,
               Stream& stream) {
  FrameGatherer<Precision> gatherer(particles, stream);
  return unpack(gatherer.gather(particles, grid, fields, sizeof(double), stream));
}

template void upload_types(const std::vector<ParticleType>&, Particles<SinglePrecision>&, Stream&);
template void upload_types(const std::vector<ParticleType>&, Particles<MixedPrecision>&, Stream&);
template void upload_types(const std::vector<ParticleType>&, Particles<DoublePrecision>&, Stream&);
template void upload(const StartState&, const CellGrid&, Particles<SinglePrecision>&, Stream&);
template void upload(const StartState&, const CellGrid&, Particles<MixedPrecision>&, Stream&);
template void upload(const StartState&, const CellGrid&, Particles<DoublePrecision>&, Stream&);
template Frame download(const Particles<SinglePrecision>&, const CellGrid&, const FieldSet&,
                        Stream&);
template Frame download(const Particles<MixedPrecision>&, const CellGrid&, const FieldSet&,
                        Stream&);
template Frame download(const Particles<DoublePrecision>&, const CellGrid&, const FieldSet&,
                        Stream&);

}  // namespace pencilbox::PENCILBOX_DEVICE
