// Files of records: what their reader takes, whom they are for, and that no file makes a plan wrong.
#include "fft/record.h"

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <vector>

#include "core/options.h"
#include "fft/candidate_words.h"
#include "fft/choice.h"
#include "fft/rating.h"
#include "fft/shipped_records.h"
#include "fft/transform.h"
#include "support.h"
#include "support/error_of.h"
#include "support/log_receiver.h"
#include "support/samples.h"
#include "support/scratch_folder.h"

namespace vd::fft::test {
namespace {

using vd::test::error_of;

const std::string kHeader = "vkdispatch fft records 1\ndevice A device\nfor any\n";
const std::string kUsual = "usual n=64 columns=0: radices=8x8 line_threads=8 lines=3\n";

std::string refusal(const std::string& text) {
  return error_of(VD_ERR_INVALID, [&] { read_record_file("my.txt", text); });
}

TEST(RecordFile, Shipped) {
  ASSERT_FALSE(shipped_records().empty());
  for (const ShippedRecords& shipped : shipped_records()) {
    const RecordFile file = read_record_file(shipped.name, shipped.text);
    EXPECT_FALSE(file.device.empty());
  }
  // Every number of a device is given for devices of which nothing is known.
  const DeviceConstants& constants = records(Limits{}).constants;
  for (const NamedConstant& named : named_constants()) EXPECT_GT(constants.*named.value, 0) << named.name;
}

TEST(RecordFile, IsRead) {
  const RecordFile file = read_record_file(
      "my.txt",
      "vkdispatch fft records 1\r\n\n# Words.\ndevice NVIDIA  H200 \nfor device backend=cuda\nconstant burst=1.5\n" +
          kUsual + "choice n=37 least_lines=4: radices=37(12x3) line_threads=12 lines=2 planar=1\n");
  EXPECT_EQ(file.device, "NVIDIA  H200");
  EXPECT_FALSE(file.any);
  EXPECT_EQ(file.backend, VD_BACKEND_CUDA);
  ASSERT_EQ(file.constants.size(), 1u);
  EXPECT_EQ(file.constants[0].second, 1.5);
  ASSERT_EQ(file.records.size(), 2u);
  const Record& usual = file.records.find(64)->second;
  EXPECT_EQ(usual.kind, Record::Kind::Usual);
  EXPECT_EQ(usual.conditions.text(), "n=64 columns=0");
  EXPECT_EQ(words_of(usual.candidate), "radices=8x8 line_threads=8 lines=3");
  EXPECT_TRUE(usual.lines);
  EXPECT_FALSE(usual.planar);
  EXPECT_EQ(words_of(file.records.find(37)->second.candidate), "radices=37(12x3) line_threads=12 lines=2 planar=1");
  vd_device_info info = VD_DEVICE_INFO_INIT;
  info.backend = VD_BACKEND_CUDA;
  EXPECT_FALSE(file.is_for(info));
  std::snprintf(info.name, sizeof(info.name), "NVIDIA  H200");
  EXPECT_TRUE(file.is_for(info));
  info.backend = VD_BACKEND_VULKAN;
  EXPECT_FALSE(file.is_for(info));
}

TEST(RecordFile, SaysWhereItIsDamaged) {
  EXPECT_EQ(refusal(""), "my.txt: it ends before its line \"for\"");
  EXPECT_EQ(refusal("\x1b[2Jhello\n"), "my.txt:1: \"\\x1b[2Jhello\" is not \"vkdispatch fft records 1\"");
  EXPECT_EQ(refusal("vkdispatch fft records 2\n"), "my.txt:1: version (\"2\") is not 1");
  EXPECT_EQ(refusal("vkdispatch fft records 1\nfor any\n"), "my.txt:2: \"for\" comes before the line \"device\"");
  EXPECT_EQ(refusal("vkdispatch fft records 1\n" + kUsual), "my.txt:2: \"usual\" comes before the line \"for\"");
  EXPECT_EQ(refusal("vkdispatch fft records 1\ndevice A\nfor all\n"),
            "my.txt:3: \"all\" is neither \"any\" nor \"device\"");
  EXPECT_EQ(refusal("vkdispatch fft records 1\ndevice A\nfor any backend=metal\n"),
            "my.txt:3: backend (\"metal\") is not one of cuda, dummy, host, opencl, vulkan");
  EXPECT_EQ(refusal(kHeader + "device B\n"), "my.txt:4: device (\"B\") is given twice");
  EXPECT_EQ(refusal(kHeader + "\nbest n=64\n"),
            "my.txt:5: \"best\" is not one of device, for, constant, usual, choice");
  EXPECT_EQ(refusal(kHeader + "constant speed=1\n"), "my.txt:4: constant \"speed\" is unknown");
  for (const char* wrong : {"0", "-1", "nan", "inf", "1e300", "1.5x", "0x10"}) {
    EXPECT_EQ(refusal(kHeader + "constant burst=" + wrong + "\n"),
              fmt::format("my.txt:4: burst (\"{}\") is not a number from 1e-09 to 1000000000000", wrong));
  }
  EXPECT_EQ(refusal(kHeader + "constant burst=1\nconstant burst=2\n"),
            "my.txt:5: constant \"burst\" is given twice (1)");
  const auto record = [](const std::string& line) { return refusal(kHeader + line + "\n"); };
  EXPECT_EQ(record("usual n=64 columns=0"), "my.txt:4: there is no \":\" between the conditions and the layout");
  EXPECT_EQ(record("usual columns=0: radices=8x8 line_threads=8"),
            "my.txt:4: there is no condition \"n\", the length of the lines, of at least 1");
  EXPECT_EQ(record("usual n=64 planes=1: radices=8x8 line_threads=8"), "my.txt:4: condition \"planes\" is unknown");
  EXPECT_EQ(record("usual n=64 rows=4: radices=8x8 line_threads=8"),
            "my.txt:4: radices do not begin with those of the 4 rows");
  EXPECT_EQ(record("usual n=64 columns=2: radices=8x8 line_threads=8"),
            "my.txt:4: columns (\"2\") is not a number from 0 to 1");
  EXPECT_EQ(record("usual n=64 n=64: radices=8x8 line_threads=8"), "my.txt:4: condition \"n\" is there twice");
  EXPECT_EQ(record("usual n=64: radices=8x4 line_threads=8"),
            "my.txt:4: radices multiply to 32, which is not the length (64)");
  EXPECT_EQ(record("usual n=64: radices=64 line_threads=8"), "my.txt:4: a radix (\"64\") is not a number from 0 to 32");
  EXPECT_EQ(record("usual n=72: radices=18x4x1 line_threads=8"), "my.txt:4: radix (1) is not at least 2");
  EXPECT_EQ(record("usual n=64: radices=8x8 line_threads=8 swizzle=1"),
            "my.txt:4: word \"swizzle\" of a layout is unknown");
  EXPECT_EQ(record("usual n=64: radices=8x8 line_threads=8 line_threads=8"),
            "my.txt:4: \"line_threads\" is given twice");
  EXPECT_EQ(record("usual n=64: line_threads=8"), "my.txt:4: radices are not given");
  EXPECT_EQ(record("usual n=64: radices=8x8"), "my.txt:4: line_threads (0) are not 1 to the length (64)");
  EXPECT_EQ(record("usual n=64: radices=8x8 line_threads=8 lines=0"),
            "my.txt:4: lines (0) of a workgroup are not at least 1");
  EXPECT_EQ(record("usual n=64: radices=8x8 line_threads=8 parts=3"), "my.txt:4: parts (3) are not 1, 2 or 4");
  EXPECT_EQ(record("usual n=64: radices=8x8 line_threads"), "my.txt:4: \"line_threads\" is not name=value");
  EXPECT_EQ(record("usual n=4096: radices=16x16x16 line_threads=2"),
            "my.txt:4: line_threads (2) leave 2048 values to an invocation, more than 64");
  EXPECT_EQ(record("choice n=64: radices=8x8 line_threads=8"),
            "my.txt:4: lines of a workgroup are not given, which a choice has");
  EXPECT_EQ(record("usual n=64: radices=8x8 line_threads=8 ahead=1"),
            "my.txt:4: ahead (1) is given, which a choice alone has");
  EXPECT_EQ(record("usual n=37: radices=41(8x5) line_threads=8"),
            "my.txt:4: radices multiply to 41, which is not the length (37)");
  EXPECT_EQ(record("usual n=37: radices=37(8x5) line_threads=8"),
            "my.txt:4: radices in parentheses multiply to 40, which is not the prime less one (36)");
  EXPECT_EQ(record("usual n=37: radices=37(6x6 line_threads=8"),
            "my.txt:4: radices (\"37(6x6\") are not of the form P(AxB)xC");
}

// Damage of any kind ends in a message or in a file whose records are whole.
TEST(RecordFile, TakesAnyBytes) {
  std::mt19937 random(test_seed());
  size_t refused = 0;
  for (const ShippedRecords& shipped : shipped_records()) {
    const std::string whole = shipped.text;
    for (int i = 0; i < 2000; ++i) {
      std::string text = whole;
      for (uint32_t changes = 1 + random() % 3; changes > 0; --changes) {
        const size_t at = random() % text.size();
        switch (random() % 4) {
          case 0:
            text[at] = static_cast<char>(random());
            break;
          case 1:
            text.erase(at, 1 + random() % 40);
            break;
          case 2:
            text.insert(at, 1, "0123456789=x:# \n"[random() % 16]);
            break;
          default:
            text.resize(at + 1);
        }
      }
      try {
        for (const auto& [n, record] : read_record_file(shipped.name, text).records) {
          uint64_t product = 1;
          for (const Stage& stage : record.candidate.radices.stages) product *= stage.radix;
          EXPECT_TRUE(product == n || record.candidate.radices.convolves()) << text;
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.status(), VD_ERR_INVALID);
        EXPECT_EQ(std::string(error.what()).find(shipped.name), 0u) << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 500u);
}

Limits with_records(Limits limits, const std::vector<std::string>& files) {
  auto all = std::make_shared<Records>();
  all->constants = records(Limits{}).constants;
  for (const std::string& text : files)
    all->files.push_back(std::make_shared<const RecordFile>(read_record_file("my.txt", kHeader + text)));
  limits.records = all;
  return limits;
}

Layout layout_of(const Problem& p, const Limits& limits) {
  Table table;
  return make_plan(p, limits, table).passes.at(0).layout;
}

TEST(Records, AnEarlierFileGoesBeforeALaterOneAndAChoiceBeforeAUsualOne) {
  const Limits limits = Host().limits();
  const Problem p = lines(64, 9);
  const std::string other = "usual n=64 columns=0: radices=4x4x4 line_threads=16 lines=2\n";
  EXPECT_EQ(layout_of(p, with_records(limits, {kUsual, other})).lines, 3u);
  EXPECT_EQ(layout_of(p, with_records(limits, {other, kUsual})).radices.text(), "4x4x4");
  const std::string choice = "choice n=64 least_lines=9 most_lines=9: radices=8x8 line_threads=16 lines=4 planar=1\n";
  const Layout chosen = layout_of(p, with_records(limits, {other, choice}));
  EXPECT_EQ(chosen.radices.invocations, 16u);
  EXPECT_TRUE(chosen.exchange.planar);
  EXPECT_EQ(chosen.ahead, 0u);
  const std::string ahead = "choice n=64: radices=8x8 line_threads=16 lines=1 ahead=1\n";
  EXPECT_NE(layout_of(p, with_records(limits, {ahead})).ahead, 0u);
  EXPECT_EQ(layout_of(lines(64, 10), with_records(limits, {other, choice})).radices.text(), "4x4x4");
  EXPECT_EQ(layout_of(lines(64, 8), with_records(limits, {other, choice})).radices.text(), "4x4x4");
  // Rules say what is not given.
  EXPECT_EQ(layout_of(p, with_records(limits, {"usual n=64: radices=4x4x4 line_threads=16\n"})).lines, 8u);
  // Wishes go before all.
  Limits tuned = with_records(limits, {choice});
  tuned.tuning = Tuning::parse("radices=16x4,line_threads=4,lines=1");
  EXPECT_EQ(layout_of(p, tuned).radices.text(), "16x4");
}

TEST(Records, ThatAPassFollowsAreSaid) {
  const Limits limits = Host().limits();
  const Problem p = lines(64, 9);
  const std::string choice = "choice n=64 least_lines=9 most_lines=9: radices=8x8 line_threads=16 lines=4 planar=1\n";
  EXPECT_TRUE(layout_of(p, with_records(limits, {kUsual})).recorded);
  EXPECT_TRUE(layout_of(p, with_records(limits, {kUsual, choice})).recorded);
  EXPECT_FALSE(layout_of(lines(64, 10), with_records(limits, {choice})).recorded);
  EXPECT_FALSE(layout_of(lines(128, 9), with_records(limits, {kUsual})).recorded);
  Limits tuned = with_records(limits, {choice});
  tuned.tuning = Tuning::parse("radices=16x4,line_threads=4,lines=1");
  EXPECT_FALSE(layout_of(p, tuned).recorded);
}

TEST(Records, ThatDoNotFitAreNotTaken) {
  Limits limits = Host().limits();
  limits.invocations = 64;
  for (const char* words : {"radices=8x8 line_threads=16 lines=8", "radices=8x8 line_threads=8 lines=2 turned=1"}) {
    const Limits given = with_records(limits, {fmt::format("choice n=64: {}\n", words)});
    const Layout layout = layout_of(lines(64, 9), given);
    EXPECT_NE(layout.radices.invocations, 16u);
    EXPECT_FALSE(layout.turns()) << words;
  }
  // Columns take no rows.
  const Limits given = with_records(limits, {"choice n=64: radices=8x8 line_threads=8 lines=2 staged_in=1\n"});
  EXPECT_FALSE(layout_of(columns(64, 9), given).staged_in);
}

// Whatever a file says, plans are right.
TEST(Records, NoneMakesAPlanWrong) {
  Host host;
  std::mt19937 random(test_seed());
  Limits limits = host.limits();
  size_t taken = 0;
  const auto any = [&](std::initializer_list<const char*> of) { return *(of.begin() + random() % of.size()); };
  for (size_t i = 0; i < vd::test::samples(150, 1000); ++i) {
    const bool prime = i % 5 == 4;
    const uint32_t n = prime ? 37 * 4 : 48;
    std::string text = fmt::format(
        "choice n={}: radices={} line_threads={} lines={}", n,
        prime ? any({"37(12x3)x4", "37(6x6)x4", "37(9x4)x2x2"}) : any({"16x3", "4x4x3", "3x16", "2x2x12", "6x8"}),
        1 + random() % 24, 1 + random() % 9);
    for (const char* word :
         {"turned=1", "staged_in=1", "staged_out=1", "planar=1", "parts=2", "parts=4", "fewest=1", "ahead=1"}) {
      if (random() % 4 == 0 && text.find(std::string(word).substr(0, 5)) == std::string::npos)
        text += fmt::format(" {}", word);
    }
    Limits given = limits;
    try {
      given = with_records(limits, {text + "\n"});
    } catch (const Error&) {
      continue;  // too few invocations
    }
    SCOPED_TRACE(text);
    Problem turned = lines(n, 10);
    turned.in.stride = 10, turned.batches = {{10, 1, n}};
    Problem problems[] = {lines(n, 7), columns(n, 10, 2), real_lines(2 * n, 5, false), real_lines(2 * n, 5, true)};
    for (size_t which = 0; which < 2; ++which) {
      taken += words_of(read_candidate(text.substr(text.find(':') + 1), n))
                           .find(layout_of(problems[which], given).radices.text()) != std::string::npos
                   ? 1
                   : 0;
      expect_transform(host, problems[which], given);
    }
    expect_real_lines(host, 2 * n, 5, given);
  }
  EXPECT_GT(taken, vd::test::samples(50));
}

// ---- The folder of the option.

class RecordFolder : public testing::Test {
 protected:
  RecordFolder() {
    info_.backend = VD_BACKEND_HOST;
    info_.max_workgroup_invocations = info_.max_workgroup_size[0] = 256;
    info_.max_shared_memory_size = 32768;
    std::ranges::fill(info_.max_workgroup_count, 65535);
    std::snprintf(info_.name, sizeof(info_.name), "A device");
    setenv("VKDISPATCH_FFT_RECORDS", folder_.path().c_str(), 1);
  }
  ~RecordFolder() override { unsetenv("VKDISPATCH_FFT_RECORDS"); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_.path(name)) << text; }
  const Records& read() {
    held_ = records_of(info_);
    return *held_;
  }

  vd::test::ScratchFolder folder_;
  vd_device_info info_ = VD_DEVICE_INFO_INIT;
  std::vector<std::string> messages_;
  vd::test::LogReceiver receiver_{[](const vd_log_message* message, void* user) {
                                    static_cast<std::vector<std::string>*>(user)->emplace_back(message->text);
                                  },
                                  &messages_};
  std::shared_ptr<const Records> held_;
};

TEST_F(RecordFolder, GoesBeforeTheLibrarysFiles) {
  write("b.txt", kHeader + "usual n=512 columns=0: radices=8x8x8 line_threads=64 lines=2\nconstant burst=9\n");
  write("a.txt",
        "vkdispatch fft records 1\ndevice A device\nfor device\nusual n=256 columns=0: radices=16x16 line_threads=16 "
        "lines=8\n");
  write("other.text", "no records\n");
  const Records& all = read();
  EXPECT_TRUE(messages_.empty()) << messages_[0];
  ASSERT_EQ(all.files.size(), 2 + shipped_records().size());
  EXPECT_EQ(all.constants.burst, 9);
  EXPECT_EQ(all.constants.memory_bytes, records(Limits{}).constants.memory_bytes);
  const Limits limits = device_limits(info_, 0);
  EXPECT_EQ(layout_of(lines(256, 100), limits).lines, 8u);
  EXPECT_EQ(layout_of(lines(512, 100), limits).lines, 2u);
  EXPECT_EQ(layout_of(lines(30, 100), limits).lines, 16u);  // the library's
  // A folder is read once.
  write("c.txt", "damaged");
  read();
  EXPECT_TRUE(messages_.empty());
}

TEST_F(RecordFolder, LeavesOutWhatIsDamaged) {
  write("bad.txt", kHeader + "usual n=64: radices=8x4 line_threads=8\n");
  write("good.txt", kHeader + kUsual);
  EXPECT_EQ(read().files.size(), 1 + shipped_records().size());
  ASSERT_EQ(messages_.size(), 1u);
  EXPECT_EQ(messages_[0],
            fmt::format("VKDISPATCH_FFT_RECORDS: a file of records is left out: {}/bad.txt:4: radices multiply to 32, "
                        "which is not the length (64)",
                        folder_.path()));
}

TEST_F(RecordFolder, NamesFilesOfOtherDevices) {
  write("h200.txt", "vkdispatch fft records 1\ndevice NVIDIA H200\nfor device\n" + kUsual);
  EXPECT_EQ(read().files.size(), shipped_records().size());
  ASSERT_EQ(messages_.size(), 1u);
  EXPECT_EQ(
      messages_[0],
      fmt::format("VKDISPATCH_FFT_RECORDS: {}/h200.txt is of device \"NVIDIA H200\" and is not used for \"A device\"",
                  folder_.path()));
}

TEST_F(RecordFolder, IsMissingOrEmpty) {
  EXPECT_EQ(read().files.size(), shipped_records().size());
  ASSERT_EQ(messages_.size(), 1u);
  EXPECT_EQ(messages_[0], fmt::format("VKDISPATCH_FFT_RECORDS: folder \"{}\" has no file *.txt", folder_.path()));
  setenv("VKDISPATCH_FFT_RECORDS", folder_.path("missing").c_str(), 1);
  EXPECT_EQ(read().files.size(), shipped_records().size());
  ASSERT_EQ(messages_.size(), 2u);
  EXPECT_EQ(messages_[1], fmt::format("VKDISPATCH_FFT_RECORDS: folder \"{}\" cannot be read: No such file or directory",
                                      folder_.path("missing")));
  write("long.txt", std::string((1 << 20) + 1, '#'));
  std::filesystem::create_directory(folder_.path("folder.txt"));
  setenv("VKDISPATCH_FFT_RECORDS", (folder_.path() + "/").c_str(), 1);
  EXPECT_EQ(read().files.size(), shipped_records().size());
  ASSERT_EQ(messages_.size(), 4u);
  EXPECT_NE(messages_[3].find("long.txt: its size (1048577) is past the limit (1048576 bytes)"), std::string::npos);
}

// The system's own files have no size, and some of them no end.
TEST_F(RecordFolder, ReadsNoMoreThanAFilesSize) {
  std::filesystem::create_symlink("/proc/self/status", folder_.path("status.txt"));
  EXPECT_EQ(read().files.size(), shipped_records().size());
  ASSERT_EQ(messages_.size(), 1u);
  EXPECT_NE(messages_[0].find("status.txt: it ends before its line"), std::string::npos) << messages_[0];
}

// A pass meets the conditions that it tells of itself.
TEST(Conditions, OfAPass) {
  const Limits limits = Host().limits();
  for (const Problem& p : {lines(64, 9), columns(48, 20, 2), lines(1 << 14, 3)}) {
    Table table;
    for (const PlannedPass& pass : make_plan(p, limits, table).passes) {
      const Conditions of = Conditions::of(pass.desc, limits);
      EXPECT_TRUE(of.hold(pass.desc, limits, false)) << of.text();
      EXPECT_EQ(Conditions::read(of.text()).text(), of.text());
      PassDesc other = pass.desc;
      other.batches.push_back({5, 1 << 20, 1 << 20, 0});
      EXPECT_FALSE(of.hold(other, limits, false)) << of.text();
    }
  }
  Table table;
  const PassDesc many = make_plan(lines(64, 1 << 24), limits, table).passes[0].desc;
  EXPECT_EQ(Conditions::of(many, limits).text(),
            "n=64 scalar_size=4 read_stride=1 written_stride=1 read_split=0 written_split=0 real=0 back=0 mapped=0 "
            "factors=0 whole_lines=0 copies=1 least_lines=262144");
}

// The best way of lines is bad for the last pass of a longer line, which writes single numbers far apart.
TEST(Conditions, TellPartsOfALineFromLines) {
  const Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  Table table;
  const fft::Plan longer = make_plan(lines(1 << 20, 64), limits, table);
  ASSERT_EQ(longer.passes.size(), 2u);
  const PassDesc& part = longer.passes[1].desc;
  ASSERT_EQ(part.n, 1024u);
  const PassDesc whole = make_plan(lines(1024, 64 << 10), limits, table).passes[0].desc;
  EXPECT_FALSE(Conditions::of(whole, limits).hold(part, limits, false));
  EXPECT_FALSE(Conditions::of(part, limits).hold(whole, limits, false));
  EXPECT_TRUE(Conditions::of(part, limits).hold(part, limits, false));
}

}  // namespace
}  // namespace vd::fft::test
