// The sidecar: whole after every frame, in both ways of replacing the old text.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/output/xdmf.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/texts.hpp"

namespace pencilbox::testing {
namespace {

const std::vector<ParticleArray> xdmf_arrays{
    {"position", "/particles/all/position/value", 3, true, 8, true},
    {"id", "/particles/all/id/value", 1, false, 4, true},
    {"mass", "/particles/all/mass", 1, true, 4, false},
};

/// The text of a hyperslab that starts at a frame.
std::string starting_at(std::size_t frame, const std::string& rest) {
  std::string text = std::to_string(frame);
  text.insert(text.begin(), '>');
  return text + rest;
}

void append(XdmfWriter& writer, const std::string& file, std::size_t row, double time) {
  const FramePlace place{file, static_cast<std::int64_t>(row), time};
  writer.append({&place, 1});
}

class BySwap : public ::testing::TestWithParam<SidecarSwap> {};

TEST_P(BySwap, IsAWholeDocumentAfterEveryFrame) {
  const TemporaryFolder folder;
  const auto path = folder / "trajectory.xmf2";
  XdmfWriter writer(path, 50, xdmf_arrays, GetParam());
  for (std::size_t frame = 0; frame <= 40; ++frame) {
    const std::string text = read_text(path);
    EXPECT_TRUE(text.starts_with("<?xml version=\"1.0\"?>"));
    EXPECT_TRUE(text.ends_with("</Xdmf>\n"));
    EXPECT_EQ(occurrences(text, "</Xdmf>"), 1U);
    EXPECT_EQ(occurrences(text, "<Time Value="), frame);
    for (std::size_t i = 0; i < frame; ++i) {
      EXPECT_EQ(occurrences(text, starting_at(i, " 0 0 1 1 1 1 50 3<")), 1U);
      EXPECT_EQ(occurrences(text, starting_at(i, " 0 1 1 1 50<")), 1U);
    }
    append(writer, "a&b.h5md", frame, static_cast<double>(frame) / 3.0);
  }
  writer.close();
  const std::string text = read_text(path);
  EXPECT_EQ(occurrences(text, "<Time Value="), 41U);
  EXPECT_EQ(occurrences(text, "<Time Value=\"0.33333333333333331\"/>"), 1U);
  EXPECT_EQ(occurrences(text, ">a&amp;b.h5md:/particles/all/mass<"), 41U);
  EXPECT_FALSE(std::filesystem::exists(twin_of(path)));
}

INSTANTIATE_TEST_SUITE_P(Xdmf, BySwap, ::testing::Values(SidecarSwap::exchange, SidecarSwap::copy),
                         [](const auto& suite) {
                           return suite.param == SidecarSwap::exchange ? std::string("exchange")
                                                                       : std::string("copy");
                         });

TEST(Xdmf, BothWaysGiveTheSameText) {
  const TemporaryFolder folder;
  std::vector<std::string> texts;
  for (const SidecarSwap swap : {SidecarSwap::exchange, SidecarSwap::copy}) {
    const auto path = folder / "trajectory.xmf2";
    XdmfWriter writer(path, 50, xdmf_arrays, swap);
    for (std::size_t frame = 0; frame < 7; ++frame) {
      append(writer, "trajectory.h5md", frame, 0.5 * static_cast<double>(frame));
    }
    writer.close();
    texts.push_back(read_text(path));
  }
  EXPECT_EQ(texts[0], texts[1]);
}

}  // namespace
}  // namespace pencilbox::testing
