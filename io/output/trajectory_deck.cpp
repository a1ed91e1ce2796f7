#include "io/output/trajectory_deck.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/output/hdf5.hpp"

namespace pencilbox {

std::string deck_of_trajectory(const std::filesystem::path& path) {
  const hdf5::Lock lock;
  const hdf5::File file = hdf5::File::open_to_read(path);
  const hdf5::Dataset deck = hdf5::Dataset::open(file.id(), "parameters/deck");
  const hid_t type = H5Dget_type(deck.id());
  const std::size_t length = H5Tget_size(type);
  const bool is_text = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                       deck.shape().empty() && length > 0;
  std::string text(is_text ? length : 0, '\0');
  if (is_text) deck.read(type, text.data(), 1);
  H5Tclose(type);
  if (!is_text) throw SystemError(fmt::format("{}: its deck is no text", path.string()));
  return text.substr(0, text.find('\0'));
}

}  // namespace pencilbox
