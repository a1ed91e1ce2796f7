// The checkpoint reader on any bytes. HDF5 must not see a file whose seal is broken, and no
// mutation of a sealed file keeps its checksum: what is taken here are the whole files of the
// corpus.
#include "io/checkpoint/checkpoint_file.hpp"
#include "tests/fuzz/file_of.hpp"
#include "tests/fuzz/target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pencilbox;
  static const fuzz::TemporaryFile file;
  fuzz::expect_taken_or_refused([&] { (void)read_checkpoint_file(file.holding(data, size)); });
  return 0;
}
