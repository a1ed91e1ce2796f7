#include "app/ranks/frame_parts.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/in_pieces.hpp"
#include "core/row_of_id.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// In the rows of the rank, of which others' are left out.
struct RowOfOwn {
  OwnRows own;

  PENCILBOX_DEVICE_FUNCTION std::int64_t operator()(Index i, ParticleId) const {
    return own(i) ? i : -1;
  }
};

/// In memory that was filled with it.
constexpr int left_out_byte = 0xFF;
constexpr ParticleId left_out = -1;

FieldSet with_ids(FieldSet fields) {
  fields.insert(Field::id);
  return fields;
}

/// Rows of one part, as they lie in its letter.
struct Part {
  std::int64_t rows;
  FrameLayout layout;
  const std::byte* memory;

  Part(const Letter& letter, const FrameOrder& order)
      : rows(rows_of(letter)),
        layout(with_ids(order.fields), rows, order.float_bytes),
        memory(letter.bytes().data() + sizeof(std::int64_t)) {}

  ParticleId id(std::size_t row) const {
    ParticleId id = 0;
    std::memcpy(&id, layout.at(memory, Field::id) + row * sizeof id, sizeof id);
    return id;
  }

 private:
  static std::int64_t rows_of(const Letter& letter) {
    std::int64_t rows = 0;
    std::memcpy(&rows, letter.bytes().data(), sizeof rows);
    return rows;
  }
};

std::vector<ParticleId> sorted_ids(const std::vector<Part>& parts, std::int64_t particles) {
  std::vector<ParticleId> ids;
  ids.reserve(static_cast<std::size_t>(particles));
  for (const Part& part : parts) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(part.rows); ++row) {
      if (part.id(row) != left_out) ids.push_back(part.id(row));
    }
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

template <class Precision>
Letter FramePart<Precision>::pack(const Particles<Precision>& particles, const OwnRows& own,
                                  const CellsWithin& place, const FrameOrder& order,
                                  Stream& stream) {
  const FrameLayout layout(with_ids(order.fields), particles.count, order.float_bytes);
  packed_.resize(layout.bytes());
  packed_.fill_bytes(left_out_byte, stream);
  PENCILBOX_DEVICE::pack(particles, place, RowOfOwn{own}, packed_.data(), layout, order.float_bytes,
                         stream);
  const auto bytes = static_cast<std::size_t>(layout.bytes());
  host_.resize(bytes);
  memory::copy(host_.data(), packed_.data(), bytes, stream);
  stream.synchronize();
  const std::int64_t rows = particles.count;
  auto letter = large_vector<std::byte>(sizeof rows + bytes);
  std::memcpy(letter.data(), &rows, sizeof rows);
  std::memcpy(letter.data() + sizeof rows, host_.data(), bytes);
  return Letter(std::move(letter));
}

PackedFrame FrameOfParts::assemble(const Mail& letters, std::int64_t particles,
                                   const FrameOrder& order) {
  std::vector<Part> parts;
  for (const Letter& letter : letters) parts.emplace_back(letter, order);
  if (ids_.empty()) ids_ = sorted_ids(parts, particles);
  const RowOfId row_of{ids_.data(), static_cast<Index>(particles)};
  const FrameLayout layout(order.fields, particles, order.float_bytes);
  const std::shared_ptr<std::byte[]> memory(
      new std::byte[static_cast<std::size_t>(layout.bytes())]);
  for (const Part& part : parts) {
    for_each_in_pieces(part.rows, [&](std::size_t from) {
      const ParticleId id = part.id(from);
      if (id == left_out) return;
      const auto to = static_cast<std::size_t>(row_of(id));
      for (std::size_t f = 0; f < field_names.size(); ++f) {
        const auto field = static_cast<Field>(f);
        if (!order.fields.contains(field)) continue;
        const std::size_t bytes = bytes_of_a_row(field, order.float_bytes);
        std::memcpy(layout.at(memory.get(), field) + to * bytes,
                    part.layout.at(part.memory, field) + from * bytes, bytes);
      }
    });
  }
  PackedFrame frame;
  frame.particles = particles;
  frame.float_bytes = order.float_bytes;
  for (std::size_t f = 0; f < field_names.size(); ++f) {
    frame.rows[f] = layout.at(memory.get(), static_cast<Field>(f));
  }
  frame.memory = memory;
  return frame;
}

template class FramePart<SinglePrecision>;
template class FramePart<MixedPrecision>;
template class FramePart<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
