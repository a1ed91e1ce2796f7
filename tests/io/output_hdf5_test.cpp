// The owners of HDF5 identifiers: HDF5's words in our errors, and a file that survives a full disk.
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/output/hdf5.hpp"
#include "tests/io/output_support.hpp"

namespace pencilbox::testing {
namespace {

TEST(Hdf5, ErrorsCarryItsOwnTextInOneLine) {
  ::testing::internal::CaptureStderr();
  const TemporaryFolder folder;
  std::string message;
  try {
    const hdf5::File file = hdf5::File::create(folder / "a.h5");
    const hdf5::Group group = hdf5::Group::create(file.id(), "twice");
    hdf5::Group::create(file.id(), "twice");
  } catch (const SystemError& error) {
    message = error.what();
  }
  EXPECT_NE(message.find("cannot make the HDF5 group 'twice'"), std::string::npos) << message;
  EXPECT_NE(message.find("name already exists"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "HDF5 prints by itself";
}

TEST(Hdf5, MovingHandsTheIdentifierOver) {
  const TemporaryFolder folder;
  hdf5::File first = hdf5::File::create(folder / "a.h5");
  const hid_t id = first.id();
  hdf5::File second = std::move(first);
  EXPECT_EQ(second.id(), id);
  EXPECT_LT(first.id(), 0);
  second.close();
  EXPECT_LT(H5Iis_valid(id), 1);
  second.close();  // does nothing
}

TEST(Hdf5, NothingStaysOpen) {
  const TemporaryFolder folder;
  hdf5::File file = hdf5::File::create(folder / "a.h5");
  {
    const hdf5::Group group = hdf5::Group::create(file.id(), "group");
    hdf5::write_attribute(group.id(), "text", std::string());
    hdf5::write_attribute(group.id(), "texts", std::vector<std::string>{"a", "", "long"});
    hdf5::write_text(group.id(), "note", "");
    hdf5::Dataset rows = hdf5::Dataset::create_rows(group.id(), "rows", H5T_STD_I32LE, {2}, {2}, 1);
    const std::vector<std::int32_t> row{1, 2};
    rows.write_row(0, {2}, H5T_NATIVE_INT32, row.data());
  }
  EXPECT_EQ(H5Fget_obj_count(file.id(), H5F_OBJ_ALL), 1);
  file.close();
  const ReadFile read(folder / "a.h5");
  EXPECT_EQ(read.strings("/group", "text").at(0), "");
  EXPECT_EQ(read.strings("/group", "texts"), (std::vector<std::string>{"a", "", "long"}));
  EXPECT_EQ(read.text("/group/note"), std::string(1, '\0'));
}

TEST(Hdf5, AFileThatHoldsMoreThanThereIsRoomForIsRefused) {
  const TemporaryFolder folder;
  const hdf5::Lock lock;
  const hdf5::File file = hdf5::File::create(folder / "a.h5");
  const std::vector<double> stored(6);
  const hdf5::Dataset dataset = hdf5::Dataset::create(file.id(), "table", H5T_IEEE_F64LE, {3, 2},
                                                      H5T_NATIVE_DOUBLE, stored.data());
  std::vector<double> room(6, -1.0);
  for (const hsize_t count : {0, 2, 3, 5, 7}) {
    EXPECT_THROW(dataset.read(H5T_NATIVE_DOUBLE, room.data(), count), SystemError) << count;
  }
  for (const hsize_t count : {1, 3, 6}) {
    EXPECT_THROW(dataset.read_row(0, H5T_NATIVE_DOUBLE, room.data(), count), SystemError) << count;
  }
  EXPECT_THROW(dataset.read_row(3, H5T_NATIVE_DOUBLE, room.data(), 2), SystemError);
  EXPECT_EQ(room, std::vector<double>(6, -1.0));
  dataset.read(H5T_NATIVE_DOUBLE, room.data(), 6);
  EXPECT_EQ(room, stored);
}

/// Fills the disk row by row without `reserve`, so that a flush fails half-way; 0 if it did.
int fill_without_reserve(const std::filesystem::path& path) {
  constexpr hsize_t length = 5000;
  hdf5::File file = hdf5::File::create(path);
  hdf5::Dataset rows =
      hdf5::Dataset::create_rows(file.id(), "rows", H5T_STD_I32LE, {length}, {length}, 1);
  for (hsize_t i = 0; i < 1000; ++i) {
    const std::vector<std::int32_t> row(length, static_cast<std::int32_t>(i) + 1);
    try {
      rows.write_row(i, {length}, H5T_NATIVE_INT32, row.data());
      file.flush();
    } catch (const SystemError&) {
      file.abandon();
      return i > 5 ? 0 : 1;
    }
  }
  return 2;
}

TEST(Hdf5, AFileAbandonedOnAFullDiskOpens) {
  const TinyDisk disk;
  if (!disk.mounted()) GTEST_SKIP() << "may not mount a small file system here";
  const pid_t child = fork();
  if (child == 0) std::exit(fill_without_reserve(disk / "a.h5"));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  const auto rows = ReadFile(disk / "a.h5").values("/rows");
  ASSERT_GE(rows.shape.at(0), 6U);
  // Nothing is said of the row that failed: that is what `reserve` is for.
  for (std::size_t i = 0; i + 1 < rows.shape[0]; ++i) {
    EXPECT_EQ(rows.data[i * rows.shape[1]], static_cast<double>(i) + 1);
    EXPECT_EQ(rows.data[(i + 1) * rows.shape[1] - 1], static_cast<double>(i) + 1);
  }
}

}  // namespace
}  // namespace pencilbox::testing
