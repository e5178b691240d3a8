// Graphs whose nodes are changed after they were recorded, instances, calls and graphs in graphs: on every backend that is
// here.
#include <atomic>
#include <future>
#include <numeric>
#include <thread>

#include "api/gate.h"
#include "api/shared_context.h"

namespace {

using testing::HasSubstr;

class GraphChange : public testing::TestWithParam<vd_backend> {
 protected:
  using Words = std::vector<uint32_t>;

  void SetUp() override {
    ctx = api::shared_context(GetParam());
    if (ctx == nullptr) GTEST_SKIP() << vd_last_error();
    ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
    kernel = api::mix_kernel();
    mix = api::make_plan(ctx, kernel);
  }
  // a = 3a + b + c
  vd_node launch(vd_graph* g, vd_buffer* a, vd_buffer* b, uint32_t c, uint32_t words = 1) {
    const api::Launch launch(words, {{a, 0, 0}, {b, 0, 0}}, c);
    vd_node node = 0;
    EXPECT_OK(vd_graph_launch(g, mix, &launch.desc, &node));
    return node;
  }
  void bind(vd_node node, uint32_t first, std::initializer_list<vd_buffer*> buffers) {
    const std::vector<vd_binding> bindings = api::whole(buffers);
    ASSERT_OK(vd_graph_set_bindings(graph, node, first, bindings.data(), static_cast<uint32_t>(bindings.size())));
  }
  void submit(uint32_t repeat = 1, std::vector<vd_instance_values> values = {}) {
    vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
    desc.repeat = repeat;
    desc.instance_values = values.data();
    desc.instance_value_count = static_cast<uint32_t>(values.size());
    ASSERT_OK(vd_graph_submit(graph, &desc, nullptr));
  }
  vd_graph_info info() {
    vd_graph_info i = VD_GRAPH_INFO_INIT;
    EXPECT_OK(vd_graph_get_info(graph, &i));
    return i;
  }
  uint64_t memory_in_use() {
    vd_context_info i = VD_CONTEXT_INFO_INIT;
    EXPECT_OK(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER));
    EXPECT_OK(vd_context_get_info(ctx, &i));
    return i.memory_in_use;
  }

  api::Context ctx;
  api::Graph graph;
  api::Kernel kernel;
  api::Plan mix;
};

vd_instance_values values_of(vd_node node, const std::vector<uint32_t>& words) {
  return {node, 0, 4, 0, words.data(), 4 * words.size()};
}

// ---- Failures

// A launch keeps its size, and each of its invocations indexes both buffers by its number.
TEST_P(GraphChange, ALaunchTakesNoBufferThatEndsBeforeIt) {
  const api::Buffer a = api::make_buffer(ctx, Words(8, 1)), b = api::make_buffer(ctx, Words(8, 2)),
                    five = api::make_buffer(ctx, Words(5, 3), "five"),
                    four = api::make_buffer(ctx, Words(4, 3), "four");
  const vd_node node = launch(graph, a, b, 0, 5);
  vd_binding binding = VD_BINDING_OF(four, 0, VD_WHOLE_SIZE);
  EXPECT_FAILS(
      vd_graph_set_bindings(graph, node, 1, &binding, 1), VD_ERR_INVALID,
      "vd_graph_set_bindings: argument 1 (\"src\") of \"mix\": buffer \"four\" has 16 bytes from offset 0, and each of "
      "the 5 invocations of node 0 indexes it by its number, which takes 20.");
  binding = VD_BINDING_OF(b, 16, VD_WHOLE_SIZE);
  EXPECT_EQ(vd_graph_set_bindings(graph, node, 1, &binding, 1), VD_ERR_INVALID);
  vd_buffer *before = a, *after = four;
  EXPECT_EQ(vd_graph_replace_buffers(graph, &before, &after, 1), VD_ERR_INVALID);
  submit();
  EXPECT_EQ(api::read<uint32_t>(a, 8), (Words{5, 5, 5, 5, 5, 1, 1, 1}));
  after = five;
  ASSERT_OK(vd_graph_replace_buffers(graph, &before, &after, 1));
  submit();
  EXPECT_EQ(api::read<uint32_t>(five, 5), Words(5, 11));
  // One that the launch went past already is as good as another.
  const vd_node past = launch(graph, four, four, 0, 5);
  bind(past, 1, {b});
}

// A buffer that the program has discarded is the usual one to replace.
TEST_P(GraphChange, AFailedReplacementOfADiscardedBufferChangesNothing) {
  const api::Buffer gone = api::make_buffer(ctx, 64, "gone"), to = api::make_buffer(ctx, Words(16, 9));
  const api::Buffer small = api::make_buffer(ctx, Words(4, 5), "small"), large = api::make_buffer(ctx, Words(16, 7));
  ASSERT_OK(vd_graph_fill(graph, gone, 0, 4, 1, nullptr));
  ASSERT_OK(vd_graph_copy(graph, gone, 0, to, 0, 64, nullptr));
  ASSERT_OK(vd_buffer_discard(gone));
  const auto replace = [&](vd_buffer* by) {
    vd_buffer* const before[] = {gone};
    vd_buffer* const after[] = {by};
    return vd_graph_replace_buffers(graph, before, after, 1);
  };
  EXPECT_EQ(replace(small), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("is past the end of buffer \"small\" (16)"));
  ASSERT_OK(replace(large));
  submit();
  Words expected(16, 7);
  expected[0] = 1;
  EXPECT_EQ(api::read<uint32_t>(to, 16), expected);
  EXPECT_EQ(api::read<uint32_t>(small, 4), Words(4, 5));
}

// ---- Instances

TEST_P(GraphChange, InstancesHaveValuesOfTheirOwn) {
  constexpr uint32_t kInstances = 300;
  const api::Buffer a = api::make_buffer(ctx, Words{1}), b = api::make_buffer(ctx, Words{2});
  std::vector<vd_node> nodes;
  for (uint32_t i = 0; i < 4; ++i) nodes.push_back(launch(graph, i % 2 ? b : a, i % 2 ? a : b, i));
  uint32_t x = 1, y = 2;
  const auto expect = [&](uint32_t first, uint32_t third) {
    x = 3 * x + y + first;
    y = 3 * y + x + 1;
    x = 3 * x + y + third;
    y = 3 * y + x + 3;
  };
  Words first(kInstances), third(kInstances);
  // Several times, since the later ones use what the first has prepared; with other numbers of instances, too.
  for (const uint32_t n : {kInstances, kInstances, kInstances - 5, 1u, 2u, kInstances}) {
    for (uint32_t i = 0; i < n; ++i) expect(first[i] = 10 * n + i, third[i] = 7 * i);
    submit(n, {values_of(nodes[0], {first.begin(), first.begin() + n}),
               values_of(nodes[2], {third.begin(), third.begin() + n})});
  }
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{x});
  EXPECT_EQ(api::read<uint32_t>(b, 1), Words{y});
  // The recorded values are as they were.
  submit();
  expect(0, 2);
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{x});
  // Values that only one submission gives are as recorded in the next.
  submit(kInstances, {values_of(nodes[0], first)});
  for (uint32_t i = 0; i < kInstances; ++i) expect(first[i], 2);
  submit(kInstances, {values_of(nodes[2], third)});
  for (uint32_t i = 0; i < kInstances; ++i) expect(0, third[i]);
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{x});
  // Values that are set in between are those of all instances.
  const uint32_t c = 77;
  ASSERT_OK(vd_graph_set_values(graph, nodes[2], 0, &c, 4));
  submit(kInstances, {values_of(nodes[0], first)});
  for (uint32_t i = 0; i < kInstances; ++i) expect(first[i], c);
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{x});
  EXPECT_EQ(api::read<uint32_t>(b, 1), Words{y});
}

TEST_P(GraphChange, InstancesOfALongGraph) {
  constexpr uint32_t kNodes = 300, kInstances = 5;
  const api::Buffer a = api::make_buffer(ctx, Words{1}), b = api::make_buffer(ctx, Words{2});
  for (uint32_t i = 0; i < kNodes; ++i) launch(graph, a, b, i);
  Words last(kInstances);
  std::iota(last.begin(), last.end(), 1000u);
  uint32_t x = 1;
  for (int turn = 0; turn < 2; ++turn) {
    submit(kInstances, {values_of(kNodes - 1, last)});
    for (uint32_t i = 0; i < kInstances; ++i)
      for (uint32_t n = 0; n < kNodes; ++n) x = 3 * x + 2 + (n + 1 == kNodes ? last[i] : n);
  }
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{x});
}

TEST_P(GraphChange, ThreadsSubmitInstancesOfOneGraph) {
  const api::Buffer a = api::make_buffer(ctx, Words{0}), b = api::make_buffer(ctx, Words{0});
  ASSERT_OK(vd_graph_fill(graph, a, 0, 4, 0, nullptr));
  const vd_node node = launch(graph, a, b, 0);
  const vd_node second = launch(graph, b, a, 0);
  // b = 3b + (3 * 0 + 0 + c): no two submissions mix, else b is another number.
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) {
        const Words one(200, t), two(200, 5 - t);
        submit(200, {values_of(node, one), values_of(second, two)});
      }
    });
  for (auto& thread : threads) thread.join();
  uint32_t expected = 0, got = api::read<uint32_t>(b, 1)[0];
  // b = 3b + (b + t) + (5 - t) = 4b + 5, whichever thread it is.
  for (int i = 0; i < 3 * 5 * 200; ++i) expected = 4 * expected + 5;
  EXPECT_EQ(got, expected);
}

TEST_P(GraphChange, WrongInstances) {
  const api::Buffer a = api::make_buffer(ctx, Words{1}), b = api::make_buffer(ctx, Words{2});
  launch(graph, a, b, 0);
  ASSERT_OK(vd_graph_fill(graph, a, 0, 4, 1, nullptr));
  const Words words(3);
  vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
  desc.repeat = 4;
  desc.instance_value_count = 1;
  EXPECT_FAILS(vd_graph_submit(graph, &desc, nullptr), VD_ERR_INVALID,
               "vd_graph_submit: desc->instance_values is NULL with 1 entries.");
  vd_instance_values values = values_of(0, words);
  desc.instance_values = &values;
  EXPECT_FAILS(vd_graph_submit(graph, &desc, nullptr), VD_ERR_INVALID,
               "vd_graph_submit: desc->instance_values[0]: values_size (12) is not size (4) times desc->repeat (4).");
  desc.repeat = 3;
  values.node = 1;
  EXPECT_FAILS(vd_graph_submit(graph, &desc, nullptr), VD_ERR_INVALID,
               "vd_graph_submit: desc->instance_values[0].node (1) is not a launch of this graph (2 nodes).");
  values.node = 0;
  values.offset = 4;
  EXPECT_FAILS(
      vd_graph_submit(graph, &desc, nullptr), VD_ERR_INVALID,
      "vd_graph_submit: desc->instance_values[0].offset (4) + size (4) is past the end of the values of \"mix\" (4).");
  values.offset = 0;
  values.size = 0;
  EXPECT_FAILS(vd_graph_submit(graph, &desc, nullptr), VD_ERR_INVALID,
               "vd_graph_submit: desc->instance_values[0]: size (0) is zero.");
  values.size = 4;
  values.values = nullptr;
  EXPECT_FAILS(vd_graph_submit(graph, &desc, nullptr), VD_ERR_INVALID,
               "vd_graph_submit: desc->instance_values[0]: values is NULL with 12 bytes.");
  values.reserved = 1;
  EXPECT_FAILS(vd_graph_submit(graph, &desc, nullptr), VD_ERR_INVALID,
               "vd_graph_submit: desc->instance_values[0]: reserved (1) is not zero.");
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{1});
}

// ---- Other buffers

TEST_P(GraphChange, APingPongIsSwapped) {
  api::Buffer a = api::make_buffer(ctx, Words{1}), b = api::make_buffer(ctx, Words{2});
  const api::Buffer log = api::make_buffer(ctx, Words{0});
  const vd_node mixed = launch(graph, a, b, 5);
  const vd_node copied = launch(graph, log, a, 0);
  uint32_t x = 1, y = 2, sum = 0;
  for (int i = 0; i < 20; ++i) {
    submit();
    (i % 2 ? y : x) = i % 2 ? 3 * y + x + 5 : 3 * x + y + 5;
    sum = 3 * sum + (i % 2 ? y : x);
    const bool odd = i % 2 != 0;
    bind(mixed, 0, {odd ? a : b, odd ? b : a});
    bind(copied, 1, {odd ? a : b});
    EXPECT_EQ(info().level_count, 2u);
  }
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{x});
  EXPECT_EQ(api::read<uint32_t>(b, 1), Words{y});
  EXPECT_EQ(api::read<uint32_t>(log, 1), Words{sum});
}

TEST_P(GraphChange, HazardsFollowTheBuffers) {
  const api::Buffer a = api::make_buffer(ctx, Words{1}), b = api::make_buffer(ctx, Words{2}),
                    c = api::make_buffer(ctx, Words{3}), d = api::make_buffer(ctx, Words{4});
  launch(graph, a, b, 0);
  const vd_node second = launch(graph, c, d, 0);
  EXPECT_EQ(info().level_count, 1u);
  EXPECT_EQ(info().edge_count, 0u);
  for (int i = 0; i < 3; ++i) submit();  // a = 1, 5, 17, 53; c = 3, 13, 43, 133
  EXPECT_EQ(api::read<uint32_t>(c, 1), Words{133});
  bind(second, 1, {a});
  EXPECT_EQ(info().level_count, 2u);
  EXPECT_EQ(info().edge_count, 1u);
  for (int i = 0; i < 3; ++i) submit();  // a = 161, 485, 1457
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{1457});
  EXPECT_EQ(api::read<uint32_t>(c, 1), Words{((133 * 3 + 161) * 3 + 485) * 3 + 1457});
  bind(second, 0, {d, c});
  EXPECT_EQ(info().level_count, 1u);
  submit();
  EXPECT_EQ(api::read<uint32_t>(d, 1), Words{4 * 3 + ((133 * 3 + 161) * 3 + 485) * 3 + 1457});
}

TEST_P(GraphChange, MemoryThatNoNodeUsesIsFreed) {
  constexpr uint64_t kSize = 4 << 20;
  const api::Buffer b = api::make_buffer(ctx, Words{2});
  api::Buffer large = api::make_buffer(ctx, kSize);
  const vd_node node = launch(graph, large, b, 0);
  const uint64_t with = memory_in_use();
  submit(), submit();
  const api::Buffer a = api::make_buffer(ctx, Words{1});
  large = api::Buffer();
  EXPECT_GE(memory_in_use(), with);  // the graph holds it
  bind(node, 0, {a});
  EXPECT_LE(memory_in_use(), with - kSize + 4096);
  submit();
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{5});
}

TEST_P(GraphChange, CopiesAndFillsTakeOtherBuffers) {
  const api::Buffer a = api::make_buffer(ctx, Words{1, 2}), b = api::make_buffer(ctx, Words{3, 4}),
                    c = api::make_buffer(ctx, Words{5, 6});
  vd_node copied = 0, filled = 0;
  ASSERT_OK(vd_graph_copy(graph, a, 0, b, 0, 4, &copied));
  ASSERT_OK(vd_graph_fill(graph, a, 0, 4, 9, &filled));
  submit();
  const vd_binding to[] = {VD_BINDING_OF(a, 4, VD_WHOLE_SIZE), VD_BINDING_OF(c, 4, 4)};
  ASSERT_OK(vd_graph_set_bindings(graph, copied, 0, to, 2));
  bind(filled, 0, {b});
  submit(), submit();
  EXPECT_EQ(api::read<uint32_t>(a, 2), (Words{9, 2}));
  EXPECT_EQ(api::read<uint32_t>(b, 2), (Words{9, 4}));
  EXPECT_EQ(api::read<uint32_t>(c, 2), (Words{5, 2}));
  const vd_binding wrong = VD_BINDING_OF(a, 0, 8);
  EXPECT_FAILS(vd_graph_set_bindings(graph, copied, 0, &wrong, 1), VD_ERR_INVALID,
               "vd_graph_set_bindings: argument 0 of the copy: size (8) is neither the node's (4) nor VD_WHOLE_SIZE.");
}

TEST_P(GraphChange, ATransformTakesOtherBuffers) {
  // In several steps, each with short lines: PoCL takes minutes for a long line where it is told not to optimise.
  constexpr uint32_t kRows = 16, kColumns = 1024, kLength = kRows * kColumns;
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 2;
  desc.shape[0] = kRows;
  desc.shape[1] = kColumns;
  desc.flags = VD_FFT_OUT_OF_PLACE;
  api::Plan plan;
  ASSERT_OK(vd_plan_create_fft(ctx, &desc, plan.out()));
  std::vector<float> ones(2 * kLength, 0.f), zeros(2 * kLength, 0.f);
  ones[0] = 1.f;
  const api::Buffer first = api::make_buffer(ctx, ones), second = api::make_buffer(ctx, ones),
                    out = api::make_buffer(ctx, zeros), other = api::make_buffer(ctx, zeros);
  const vd_binding bindings[] = {VD_BINDING_OF(out, 0, VD_WHOLE_SIZE), VD_BINDING_OF(first, 0, VD_WHOLE_SIZE)};
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.bindings = bindings;
  launch.binding_count = 2;
  vd_node node = 0;
  ASSERT_OK(vd_graph_launch(graph, plan, &launch, &node));
  submit(), submit();
  bind(node, 0, {other});
  bind(node, 1, {second});
  submit();
  EXPECT_EQ(api::read<float>(other, 2 * kLength)[2 * 77], 1.f);
  EXPECT_EQ(api::read<float>(out, 2 * kLength)[2 * 77], 1.f);
  const vd_binding small = VD_BINDING_OF(second, 0, 64);
  EXPECT_EQ(vd_graph_set_bindings(graph, node, 0, &small, 1), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("takes 131072 bytes, and the buffer has 64"));
  if (info().node_count > 1) {
    EXPECT_EQ(vd_graph_set_bindings(graph, 0, 0, bindings, 2), VD_ERR_INVALID);
    EXPECT_STREQ(vd_last_error(),
                 "vd_graph_set_bindings: node (0) is within a launch of several nodes; the last has its number.");
  }
  submit();  // nothing of it is lost
}

TEST_P(GraphChange, CopiesOfImagesTakeOthers) {
  const auto make = [&](uint32_t width) {
    vd_image_desc desc = VD_IMAGE_DESC_INIT;
    desc.format = VD_FORMAT_R32_U32;
    desc.dimensions = 2;
    desc.extent[0] = width;
    desc.extent[1] = 3;
    desc.extent[2] = 1;
    desc.label = "picture";
    api::Image image;
    EXPECT_OK(vd_image_create(ctx, &desc, image.out()));
    return image;
  };
  const api::Image a = make(4), b = make(4), wide = make(8);
  Words texels(12), eight(8);
  std::iota(texels.begin(), texels.end(), 1u);
  const api::Buffer in = api::make_buffer(ctx, texels), out = api::make_buffer(ctx, 64),
                    twice = api::make_buffer(ctx, Words{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2});
  vd_image_region corner = VD_IMAGE_REGION_INIT;
  corner.extent[0] = corner.extent[1] = 2;
  corner.extent[2] = 1;
  vd_node up = 0, across = 0, down = 0;
  ASSERT_OK(vd_graph_copy_buffer_to_image(graph, a, nullptr, in, 0, &up));
  ASSERT_OK(vd_graph_copy_image(graph, a, nullptr, b, nullptr, &across));
  ASSERT_OK(vd_graph_copy_image_to_buffer(graph, b, &corner, out, 0, &down));
  submit(), submit();
  EXPECT_EQ(api::read<uint32_t>(out, 4), (Words{1, 2, 5, 6}));
  vd_binding binding{};
  binding.buffer = twice;
  binding.size = VD_WHOLE_SIZE;
  ASSERT_OK(vd_graph_set_bindings(graph, up, 0, &binding, 1));
  submit(), submit();
  EXPECT_EQ(api::read<uint32_t>(out, 4), (Words{2, 2, 2, 2}));
  // From an image that lies otherwise.
  ASSERT_OK(vd_image_write(wide, nullptr, Words(24, 3).data(), 24 * 4, VD_QUEUE_ALL));
  binding = {};
  binding.image = wide;
  ASSERT_OK(vd_graph_set_bindings(graph, down, 0, &binding, 1));
  submit(), submit();
  EXPECT_EQ(api::read<uint32_t>(out, 4), (Words{3, 3, 3, 3}));
  const vd_binding short_one = VD_BINDING_OF(in, 0, 16);
  EXPECT_FAILS(
      vd_graph_set_bindings(graph, up, 0, &short_one, 1), VD_ERR_INVALID,
      "vd_graph_set_bindings: argument 0 of the copy: size (16) is neither the node's (48) nor VD_WHOLE_SIZE.");
  EXPECT_FAILS(vd_graph_set_bindings(graph, up, 0, &binding, 1), VD_ERR_INVALID,
               "vd_graph_set_bindings: argument 0 of the copy is a buffer, and an image is given.");
  EXPECT_EQ(vd_graph_set_bindings(graph, across, 0, &binding, 1), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("8 x 3 x 1 texels, and to is 4 x 3 x 1"));
  submit();
  vd_image *before[] = {a, b}, *after[] = {b, a};
  ASSERT_OK(vd_graph_replace_images(graph, before, after, 2));
  submit();
  EXPECT_FAILS(vd_graph_replace_images(graph, before, after, 1), VD_ERR_INVALID,
               "vd_graph_replace_images: region and to overlap in level 0 of image \"picture\".");
  Words got(12);
  ASSERT_OK(vd_image_read(a, nullptr, 48, 0, got.data()));
  EXPECT_EQ(got, Words(12, 2));
  ASSERT_OK(vd_image_discard(wide));
  EXPECT_FAILS(vd_graph_submit(graph, nullptr, nullptr), VD_ERR_STATE,
               "vd_graph_submit: node 2: image \"picture\" was discarded.");
}

TEST_P(GraphChange, ImagesOfOtherContextsAreNamed) {
  const api::Context other = api::host_context();
  vd_image_desc desc = VD_IMAGE_DESC_INIT;
  desc.format = VD_FORMAT_R32_F32;
  desc.dimensions = 2;
  desc.extent[0] = desc.extent[1] = 4;
  desc.extent[2] = 1;
  desc.mip_levels = 3;
  desc.label = "far";
  api::Image image, second;
  ASSERT_OK(vd_image_create(other, &desc, image.out()));
  ASSERT_OK(vd_image_create(other, &desc, second.out()));
  const api::Buffer bytes = api::make_buffer(other, 64);
  EXPECT_FAILS(vd_graph_copy_image(graph, image, nullptr, second, nullptr, nullptr), VD_ERR_INVALID,
               "vd_graph_copy_image: graph and image \"far\" belong to different contexts.");
  EXPECT_FAILS(vd_graph_copy_image_to_buffer(graph, image, nullptr, bytes, 0, nullptr), VD_ERR_INVALID,
               "vd_graph_copy_image_to_buffer: graph and image \"far\" belong to different contexts.");
  EXPECT_FAILS(vd_graph_generate_mips(graph, image, nullptr), VD_ERR_INVALID,
               "vd_graph_generate_mips: graph and image \"far\" belong to different contexts.");
  EXPECT_EQ(info().node_count, 0u);
}

TEST_P(GraphChange, MipLevelsOfAReplacedImage) {
  vd_image_desc desc = VD_IMAGE_DESC_INIT;
  desc.format = VD_FORMAT_R32_F32;
  desc.dimensions = 1;
  desc.extent[0] = 8;
  desc.extent[1] = desc.extent[2] = 1;
  desc.mip_levels = 3;
  api::Image image, other, short_one;
  desc.label = "image";
  ASSERT_OK(vd_image_create(ctx, &desc, image.out()));
  ASSERT_OK(vd_image_create(ctx, &desc, other.out()));
  desc.label = "short";
  desc.mip_levels = 2;
  ASSERT_OK(vd_image_create(ctx, &desc, short_one.out()));
  vd_node node = 0;
  ASSERT_OK(vd_graph_generate_mips(graph, image, &node));
  const auto replace = [&](vd_image* one, vd_image* by) { return vd_graph_replace_images(graph, &one, &by, 1); };
  EXPECT_FAILS(replace(image, short_one), VD_ERR_INVALID,
               "vd_graph_replace_images: node (0) computes a mip level of image \"image\", and image \"short\" has "
               "another format, extent or number of levels.");
  const float texels[] = {1, 3, 5, 7, 2, 2, 4, 8};
  ASSERT_OK(vd_image_write(image, nullptr, texels, sizeof(texels), 0));
  ASSERT_OK(vd_image_write(other, nullptr, texels, sizeof(texels), 0));
  const auto level = [&](vd_image* of, uint32_t number) {
    vd_image_region region = VD_IMAGE_REGION_INIT;
    region.level = number;
    std::vector<float> got(8 >> number);
    EXPECT_OK(vd_image_read(of, &region, got.size() * sizeof(float), 0, got.data()));
    return got;
  };
  ASSERT_OK(replace(image, other));
  submit();
  EXPECT_EQ(level(other, 1), (std::vector<float>{2, 6, 2, 6}));
  EXPECT_EQ(level(other, 2), (std::vector<float>{4, 4}));
  ASSERT_OK(replace(other, image));
  ASSERT_OK(vd_image_discard(other));
  submit();
  EXPECT_EQ(level(image, 2), (std::vector<float>{4, 4}));
}

TEST_P(GraphChange, SlicesAreReplacedWithTheirBuffer) {
  const api::Buffer a = api::make_buffer(ctx, Words{1, 2, 3, 4}, "a"),
                    b = api::make_buffer(ctx, Words{5, 6, 7, 8}, "b"),
                    small = api::make_buffer(ctx, Words{9, 9}, "small");
  const auto slice = [](vd_buffer* of, uint64_t offset, uint64_t size) {
    api::Buffer made;
    EXPECT_OK(vd_buffer_slice(of, offset, size, made.out()));
    return made;
  };
  const api::Buffer second = slice(a, 4, 4), rest = slice(a, 8, 8), last = slice(rest, 4, 4);
  for (vd_buffer* const each : {second.get(), rest.get(), last.get()})
    ASSERT_OK(vd_graph_fill(graph, each, 0, VD_WHOLE_SIZE, 10, nullptr));
  ASSERT_OK(vd_graph_fill(graph, a, 0, 4, 20, nullptr));
  vd_buffer *before[] = {a, nullptr}, *after[] = {small, nullptr};
  EXPECT_FAILS(vd_graph_replace_buffers(graph, before, after, 1), VD_ERR_INVALID,
               "vd_graph_replace_buffers: replacements[0], of a slice: offset (8) + size (8) is past the end of buffer "
               "\"small\" (8).");
  after[0] = b;
  ASSERT_OK(vd_graph_replace_buffers(graph, before, after, 1));
  submit();
  EXPECT_EQ(api::read<uint32_t>(a, 4), (Words{1, 2, 3, 4}));
  EXPECT_EQ(api::read<uint32_t>(b, 4), (Words{20, 10, 10, 10}));
  // One of them by another handle of its range, beside the whole.
  const api::Buffer there = slice(b, 8, 8);
  before[0] = b, before[1] = there, after[0] = a, after[1] = small;
  ASSERT_OK(vd_graph_replace_buffers(graph, before, after, 2));
  submit();
  EXPECT_EQ(api::read<uint32_t>(a, 4), (Words{20, 10, 3, 4}));
  EXPECT_EQ(api::read<uint32_t>(small, 2), (Words{10, 10}));
}

TEST_P(GraphChange, BuffersAreReplacedInAllNodes) {
  const api::Buffer a = api::make_buffer(ctx, Words{1}, "a"), b = api::make_buffer(ctx, Words{2}, "b"),
                    c = api::make_buffer(ctx, Words{3}, "c"), small = api::make_buffer(ctx, 4, "small");
  launch(graph, a, b, 0);
  launch(graph, b, c, 0);
  ASSERT_OK(vd_graph_copy(graph, b, 0, c, 0, 4, nullptr));
  submit();  // a = 5, b = 9, c = 9
  vd_buffer *before[] = {a, b}, *after[] = {b, a};
  ASSERT_OK(vd_graph_replace_buffers(graph, before, after, 2));
  submit();  // b = 27 + 5, a = 15 + 9, c = 24
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{24});
  EXPECT_EQ(api::read<uint32_t>(b, 1), Words{32});
  EXPECT_EQ(api::read<uint32_t>(c, 1), Words{24});
  EXPECT_FAILS(vd_graph_replace_buffers(graph, before, nullptr, 2), VD_ERR_INVALID,
               "vd_graph_replace_buffers: replacements is NULL with 2 entries.");
  after[1] = nullptr;
  EXPECT_FAILS(vd_graph_replace_buffers(graph, before, after, 2), VD_ERR_INVALID,
               "vd_graph_replace_buffers: replacements[1] is NULL.");
  before[1] = a, after[1] = c;
  EXPECT_FAILS(vd_graph_replace_buffers(graph, before, after, 2), VD_ERR_INVALID,
               "vd_graph_replace_buffers: buffers[1] is buffers[0].");
  before[1] = small;
  EXPECT_FAILS(vd_graph_replace_buffers(graph, before, after, 2), VD_ERR_INVALID,
               "vd_graph_replace_buffers: buffers[1] (buffer \"small\") is an argument of no node.");
  // The copy would be one within c; the nodes before it are as they were.
  before[0] = a, after[0] = c;
  EXPECT_EQ(vd_graph_replace_buffers(graph, before, after, 1), VD_ERR_INVALID);
  submit();  // b = 96 + 24, a = 72 + 24, c = 96
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{96});
  EXPECT_EQ(api::read<uint32_t>(b, 1), Words{120});
  EXPECT_EQ(api::read<uint32_t>(c, 1), Words{96});
}

TEST_P(GraphChange, WrongBindings) {
  const api::Buffer a = api::make_buffer(ctx, Words{1}, "a"), b = api::make_buffer(ctx, Words{2}, "b");
  const vd_node node = launch(graph, a, b, 0);
  vd_binding binding = VD_BINDING_OF(a, 0, VD_WHOLE_SIZE);
  EXPECT_FAILS(vd_graph_set_bindings(graph, 7, 0, &binding, 1), VD_ERR_INVALID,
               "vd_graph_set_bindings: node (7) is not a node of this graph (1 nodes).");
  EXPECT_FAILS(vd_graph_set_bindings(graph, node, 2, &binding, 1), VD_ERR_INVALID,
               "vd_graph_set_bindings: first (2) is not below the arguments of node 0 (2).");
  EXPECT_FAILS(vd_graph_set_bindings(graph, node, 0, nullptr, 1), VD_ERR_INVALID,
               "vd_graph_set_bindings: bindings is NULL with 1 entries.");
  const vd_binding three[3] = {};
  EXPECT_FAILS(vd_graph_set_bindings(graph, node, 0, three, 3), VD_ERR_INVALID,
               "vd_graph_set_bindings: first (0) + binding_count (3) is past the arguments of node 0 (2).");
  // A count past the arguments is noticed before entries are read.
  vd_binding odd = binding;
  odd.reserved[0] = 1;
  EXPECT_FAILS(vd_graph_set_bindings(graph, node, 1, &odd, 0xFFFFFFFF), VD_ERR_INVALID,
               "vd_graph_set_bindings: first (1) + binding_count (4294967295) is past the arguments of node 0 (2).");
  EXPECT_FAILS(vd_graph_set_bindings(graph, node, 0, three, 1), VD_ERR_INVALID,
               "vd_graph_set_bindings: argument 0 (\"dst\") of \"mix\" has no buffer.");
  binding.reserved[1] = 1;
  EXPECT_FAILS(vd_graph_set_bindings(graph, node, 0, &binding, 1), VD_ERR_INVALID,
               "vd_graph_set_bindings: bindings[0].reserved is not zero.");
  const api::Buffer gone = api::make_buffer(ctx, Words{1}, "gone");
  ASSERT_OK(vd_buffer_discard(gone));
  binding = VD_BINDING_OF(gone, 0, VD_WHOLE_SIZE);
  EXPECT_FAILS(vd_graph_set_bindings(graph, node, 0, &binding, 1), VD_ERR_STATE,
               "vd_graph_set_bindings: argument 0 (\"dst\") of \"mix\": buffer \"gone\" was discarded.");
  const api::Context other = api::host_context();
  const api::Buffer foreign = api::make_buffer(other, Words{1}, "far");
  binding = VD_BINDING_OF(foreign, 0, VD_WHOLE_SIZE);
  EXPECT_FAILS(vd_graph_set_bindings(graph, node, 1, &binding, 1), VD_ERR_INVALID,
               "vd_graph_set_bindings: argument 1 (\"src\") of \"mix\": buffer \"far\" belongs to another context.");
  submit();
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{5});
}

// Values that do not fit in a kernel's parameters.
TEST_P(GraphChange, LaunchesWithManyValuesChange) {
  constexpr uint32_t kMany = 1200;
  std::string text = "kernel \"many\"\nargument 0 buffer u32 \"x\"\n";
  for (uint32_t i = 1; i <= kMany; ++i)
    text += "argument " + std::to_string(i) + " constant u32 \"v" + std::to_string(i) + "\"\n";
  text += "{\n%0: storage u32 = index @0, u32 0\n%1: u32 = load @" + std::to_string(kMany) +
          "\n%2: u32 = load %0\n%3: u32 = mul %2, u32 3\n%4: u32 = add %3, %1\nstore %0, %4\n}\n";
  api::Kernel parsed;
  ASSERT_OK(vd_kernel_parse(text.data(), text.size(), parsed.out()));
  const api::Plan many = api::make_plan(ctx, parsed);
  const api::Buffer a = api::make_buffer(ctx, Words{1}), b = api::make_buffer(ctx, Words{2});
  const Words values(kMany, 9);
  const vd_binding binding = VD_BINDING_OF(a, 0, VD_WHOLE_SIZE);
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  desc.invocations[0] = 1;
  desc.bindings = &binding;
  desc.binding_count = 1;
  desc.values = values.data();
  desc.values_size = 4 * kMany;
  vd_node node = 0;
  ASSERT_OK(vd_graph_launch(graph, many, &desc, &node));
  const vd_node mixed = launch(graph, a, b, 1);
  submit(), submit();
  uint32_t x = 1, y = 2;
  for (int i = 0; i < 2; ++i) x = 3 * (3 * x + 9) + y + 1;
  bind(node, 0, {b});  // other buffers, the same values
  bind(mixed, 0, {b, a});
  submit(), submit();
  for (int i = 0; i < 2; ++i) y = 3 * (3 * y + 9) + x + 1;
  uint32_t c = 4;
  for (int i = 0; i < 4; ++i, ++c) {
    ASSERT_OK(vd_graph_set_values(graph, node, 4 * (kMany - 1), &c, 4));
    submit();
    y = 3 * (3 * y + c) + x + 1;
  }
  Words each(600);
  std::iota(each.begin(), each.end(), 0u);
  vd_instance_values given = values_of(node, each);
  given.offset = 4 * (kMany - 1);
  for (int i = 0; i < 2; ++i) submit(600, {given});
  for (int i = 0; i < 1200; ++i) y = 3 * (3 * y + each[i % 600]) + x + 1;
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{x});
  EXPECT_EQ(api::read<uint32_t>(b, 1), Words{y});
}

// ---- Order

TEST_P(GraphChange, AccessesAreLeftOutOfTheOrder) {
  const api::Buffer a = api::make_buffer(ctx, Words{1}), b = api::make_buffer(ctx, Words{0}),
                    c = api::make_buffer(ctx, Words{0});
  launch(graph, a, b, 0);
  const vd_node second = launch(graph, c, a, 0), third = launch(graph, b, c, 0);
  // The third writes b, which the first reads, and reads c of the second, which reads a of the first.
  EXPECT_EQ(info().level_count, 3u);
  EXPECT_EQ(info().edge_count, 3u);
  ASSERT_OK(vd_graph_set_unordered(graph, second, 1, 1));
  EXPECT_EQ(info().level_count, 2u);
  EXPECT_EQ(info().edge_count, 2u);
  ASSERT_OK(vd_graph_set_unordered(graph, third, VD_ALL_ARGUMENTS, 1));
  EXPECT_EQ(info().level_count, 1u);
  EXPECT_EQ(info().edge_count, 0u);
  ASSERT_OK(vd_graph_set_unordered(graph, second, 1, 0));
  ASSERT_OK(vd_graph_set_unordered(graph, third, VD_ALL_ARGUMENTS, 0));
  EXPECT_EQ(info().level_count, 3u);
  submit();
  EXPECT_EQ(api::read<uint32_t>(b, 1), Words{3});
  EXPECT_FAILS(vd_graph_set_unordered(graph, second, 2, 1), VD_ERR_INVALID,
               "vd_graph_set_unordered: argument (2) is not below the arguments of node 1 (2).");
  EXPECT_FAILS(vd_graph_set_unordered(graph, second, 0, 2), VD_ERR_INVALID,
               "vd_graph_set_unordered: unordered (2) is neither 0 nor 1.");
  EXPECT_FAILS(vd_graph_set_unordered(graph, 9, 0, 1), VD_ERR_INVALID,
               "vd_graph_set_unordered: node (9) is not a node of this graph (3 nodes).");
}

// The passes of four axes, each of which reads what the one before it wrote.
TEST_P(GraphChange, TheNodesOfALaunchStayInOrder) {
  vd_fft_desc axes = VD_FFT_DESC_INIT;
  axes.rank = axes.axis_count = 4;
  for (int i = 0; i < 4; ++i) axes.shape[i] = uint64_t{4} << i, axes.axes[i] = i;
  api::Plan plan;
  ASSERT_OK(vd_plan_create_fft(ctx, &axes, plan.out()));
  const api::Buffer a = api::make_buffer(ctx, Words(2 * 4 * 8 * 16 * 32));
  const vd_binding binding = VD_BINDING_OF(a, 0, VD_WHOLE_SIZE);
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  desc.bindings = &binding;
  desc.binding_count = 1;
  vd_node node = 0;
  ASSERT_OK(vd_graph_launch(graph, plan, &desc, &node));
  ASSERT_GE(node, 2u) << "of three passes or four";
  EXPECT_EQ(info().level_count, node + 1);
  ASSERT_OK(vd_graph_set_unordered(graph, node, VD_ALL_ARGUMENTS, 1));
  EXPECT_EQ(info().level_count, node + 1);
  const api::Buffer b = api::make_buffer(ctx, Words(2 * 4 * 8 * 16 * 32));
  for (const vd_node within : {0u, 1u})
    EXPECT_EQ(vd_graph_set_bindings(graph, within, 0, &binding, 1), VD_ERR_INVALID) << within;
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("node (1) is within a launch of several nodes"));
  bind(node, 0, {b});
  EXPECT_EQ(info().level_count, node + 1);
}

TEST_P(GraphChange, ALabelIsThatOfAllNodesOfALaunch) {
  vd_fft_desc axes = VD_FFT_DESC_INIT;
  axes.rank = axes.axis_count = 3;
  for (int i = 0; i < 3; ++i) axes.shape[i] = uint64_t{8} << i, axes.axes[i] = i;
  api::Plan plan;
  ASSERT_OK(vd_plan_create_fft(ctx, &axes, plan.out()));
  const api::Buffer a = api::make_buffer(ctx, Words(2 * 8 * 16 * 32));
  const vd_binding binding = VD_BINDING_OF(a, 0, VD_WHOLE_SIZE);
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  desc.bindings = &binding;
  desc.binding_count = 1;
  vd_node last = 0;
  ASSERT_OK(vd_graph_launch(graph, plan, &desc, nullptr));
  ASSERT_OK(vd_graph_launch(graph, plan, &desc, &last));
  const vd_node count = (last + 1) / 2;
  ASSERT_GE(count, 2u) << "of two passes or three";
  ASSERT_OK(vd_graph_fill(graph, a, 0, 4, 0, nullptr));
  for (vd_node node = count; node <= last; ++node) {
    const std::string label = "set on " + std::to_string(node) + "\\n";
    ASSERT_OK(vd_graph_set_label(graph, node, ("set on " + std::to_string(node)).c_str()));
    api::Blob text;
    ASSERT_OK(vd_graph_get_dot(graph, text.out()));
    uint64_t size = 0;
    const std::string dot = static_cast<const char*>(vd_blob_data(text, &size));
    for (vd_node each = 0; each <= last + 1; ++each)
      EXPECT_EQ(dot.find("\"" + std::to_string(each) + ": " + label) != std::string::npos,
                each >= count && each <= last)
          << each << " in " << dot;
  }
}

// Instances and other work are ordered all the same.
TEST_P(GraphChange, UnorderedAccessesEndWithTheirGraph) {
  const api::Buffer a = api::make_buffer(ctx, Words(64, 1)), b = api::make_buffer(ctx, Words(64, 2));
  const vd_node node = launch(graph, a, b, 0, 64);
  ASSERT_OK(vd_graph_set_unordered(graph, node, VD_ALL_ARGUMENTS, 1));
  Words values(100);
  std::iota(values.begin(), values.end(), 0u);
  submit(100, {values_of(node, values)});
  submit(100, {values_of(node, values)});
  uint32_t x = 1;
  for (uint32_t i = 0; i < 200; ++i) x = 3 * x + 2 + i % 100;
  EXPECT_EQ(api::read<uint32_t>(a, 64), Words(64, x));
}

TEST_P(GraphChange, KnownGraphsHaveTheirBarriers) {
  const auto edges = [&] { return std::pair(info().level_count, info().edge_count); };
  std::vector<api::Buffer> buffers;
  for (int i = 0; i < 8; ++i) buffers.push_back(api::make_buffer(ctx, 64));
  // A chain: a barrier between every two.
  for (int i = 0; i < 10; ++i) launch(graph, buffers[0], buffers[1], 0);
  EXPECT_EQ(edges(), std::pair(10u, 9u));
  ASSERT_OK(vd_graph_reset(graph));
  // Four chains of ten side by side: as many barriers as one.
  for (int i = 0; i < 40; ++i) launch(graph, buffers[i % 4], buffers[4 + i % 4], 0);
  EXPECT_EQ(edges(), std::pair(10u, 36u));
  ASSERT_OK(vd_graph_reset(graph));
  // A diamond.
  launch(graph, buffers[0], buffers[1], 0);
  launch(graph, buffers[2], buffers[0], 0);
  launch(graph, buffers[3], buffers[0], 0);
  ASSERT_OK(vd_graph_copy(graph, buffers[2], 0, buffers[4], 0, 4, nullptr));
  ASSERT_OK(vd_graph_copy(graph, buffers[3], 0, buffers[4], 4, 4, nullptr));
  launch(graph, buffers[5], buffers[4], 0);
  EXPECT_EQ(edges(), std::pair(4u, 6u));
  ASSERT_OK(vd_graph_reset(graph));
  // A ping-pong of ten.
  for (int i = 0; i < 10; ++i) launch(graph, buffers[i % 2], buffers[1 - i % 2], 0);
  EXPECT_EQ(edges(), std::pair(10u, 17u));  // after the last write of each buffer
}

// ---- Pictures

TEST_P(GraphChange, IsDrawn) {
  vd_graph_desc desc = VD_GRAPH_DESC_INIT;
  desc.label = "a \"small\" one";
  ASSERT_OK(vd_graph_create(ctx, &desc, graph.out()));
  const api::Buffer a = api::make_buffer(ctx, Words{1}, "a"), b = api::make_buffer(ctx, Words{0}, "b");
  launch(graph, a, b, 0);
  ASSERT_OK(vd_graph_set_label(graph, 0, "first \"step\""));
  ASSERT_OK(vd_graph_copy(graph, a, 0, b, 0, 4, nullptr));
  ASSERT_OK(vd_graph_call(
      graph, [](void*) {}, nullptr, nullptr, nullptr));
  ASSERT_OK(vd_graph_fill(graph, a, 0, 4, 0, nullptr));
  api::Blob text;
  ASSERT_OK(vd_graph_get_dot(graph, text.out()));
  uint64_t size = 0;
  EXPECT_STREQ(static_cast<const char*>(vd_blob_data(text, &size)),
               "digraph \"a \\\"small\\\" one\" {\n"
               "  node [shape=box];\n"
               "  { rank=same; // level 0\n"
               "    n0 [label=\"0: first \\\"step\\\"\\nmix\\n1 x 1 x 1 workgroups\"];\n"
               "  }\n"
               "  { rank=same; // level 1\n"
               "    n1 [label=\"1: copy 4 bytes\"];\n"
               "  }\n"
               "  { rank=same; // level 2\n"
               "    n2 [label=\"2: call\"];\n"
               "  }\n"
               "  { rank=same; // level 3\n"
               "    n3 [label=\"3: fill 4 bytes\"];\n"
               "  }\n"
               "  n0 -> n1 [label=\"buffer \\\"a\\\"\"];\n"
               "  n1 -> n2;\n"
               "  n2 -> n3;\n"
               "}\n");
  EXPECT_FAILS(vd_graph_set_label(graph, 4, "x"), VD_ERR_INVALID,
               "vd_graph_set_label: node (4) is not a node of this graph (4 nodes).");
  EXPECT_FAILS(vd_graph_set_label(graph, 0, nullptr), VD_ERR_INVALID, "vd_graph_set_label: label is NULL.");
}

// ---- A graph in a graph

TEST_P(GraphChange, AGraphInAGraph) {
  const api::Buffer a = api::make_buffer(ctx, Words{1}), b = api::make_buffer(ctx, Words{2});
  api::Graph inner;
  ASSERT_OK(vd_graph_create(ctx, nullptr, inner.out()));
  launch(inner, a, b, 1);
  launch(inner, b, a, 2);
  ASSERT_OK(vd_graph_fill(graph, a, 0, 4, 10, nullptr));
  vd_node first = 9;
  ASSERT_OK(vd_graph_add_graph(graph, inner, &first));
  EXPECT_EQ(first, 1u);
  ASSERT_OK(vd_graph_add_graph(graph, inner, &first));
  EXPECT_EQ(first, 3u);
  const uint32_t c = 100;
  ASSERT_OK(vd_graph_set_values(graph, first + 1, 0, &c, 4));
  ASSERT_OK(vd_graph_reset(inner));
  EXPECT_EQ(info().node_count, 5u);
  EXPECT_EQ(info().level_count, 5u);
  submit();
  uint32_t x = 10, y = 2;
  x = 3 * x + y + 1, y = 3 * y + x + 2;
  x = 3 * x + y + 1, y = 3 * y + x + 100;
  EXPECT_EQ(api::read<uint32_t>(b, 1), Words{y});
  ASSERT_OK(vd_graph_add_graph(graph, graph, &first));  // itself
  EXPECT_EQ(info().node_count, 10u);
  EXPECT_EQ(first, 5u);
  const api::Context other = api::host_context();
  api::Graph foreign;
  ASSERT_OK(vd_graph_create(other, nullptr, foreign.out()));
  EXPECT_FAILS(vd_graph_add_graph(graph, foreign, nullptr), VD_ERR_INVALID,
               "vd_graph_add_graph: graph and other belong to different contexts.");
}

// ---- Calls

struct Told {
  std::atomic<int> calls{0}, freed{0};
  std::promise<void> go;
  std::shared_future<void> gone = go.get_future().share();
  vd_status status = VD_OK;
  vd_context* ctx = nullptr;

  static void count(void* user) { ++static_cast<Told*>(user)->calls; }
  static void wait(void* user) {
    auto* told = static_cast<Told*>(user);
    told->gone.wait();
    ++told->calls;
  }
  static void free(void* user) { ++static_cast<Told*>(user)->freed; }
};

TEST_P(GraphChange, ACallHoldsUpWhatFollows) {
  const api::Buffer a = api::make_buffer(ctx, Words{1}), b = api::make_buffer(ctx, Words{2});
  Told told;
  launch(graph, a, b, 0);
  vd_node node = 0;
  ASSERT_OK(vd_graph_call(graph, Told::wait, &told, Told::free, &node));
  EXPECT_EQ(node, 1u);
  launch(graph, a, b, 0);
  EXPECT_EQ(info().level_count, 3u);
  vd_ticket ticket = 0;
  ASSERT_OK(vd_graph_submit(graph, nullptr, &ticket));
  EXPECT_EQ(vd_ticket_wait(ctx, ticket, 20'000'000), VD_TIMEOUT);
  EXPECT_EQ(told.calls, 0);
  told.go.set_value();
  ASSERT_OK(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER));
  EXPECT_EQ(told.calls, 1);
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{17});
  submit(5);
  EXPECT_OK(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER));
  EXPECT_EQ(told.calls, 6);
  EXPECT_EQ(told.freed, 0);
  EXPECT_FAILS(vd_graph_set_bindings(graph, node, 0, nullptr, 0), VD_ERR_INVALID,
               "vd_graph_set_bindings: node (1) is a call, and has no arguments.");
  ASSERT_OK(vd_graph_reset(graph));
  for (int i = 0; i < 1000 && told.freed == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(told.freed, 1);
}

TEST_P(GraphChange, ACallWaitsForWhatIsBefore) {
  api::Gate gate(ctx);
  if (!gate.works()) GTEST_SKIP() << "no gate on this device";
  Told told;
  ASSERT_OK(vd_graph_call(graph, Told::count, &told, nullptr, nullptr));
  vd_ticket ticket = 0;
  ASSERT_OK(vd_graph_submit(graph, nullptr, &ticket));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(told.calls, 0);
  gate.open();
  ASSERT_OK(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER));
  EXPECT_EQ(told.calls, 1);
}

TEST_P(GraphChange, InstancesCallEachTime) {
  const api::Buffer a = api::make_buffer(ctx, Words{1}), b = api::make_buffer(ctx, Words{2});
  Told told;
  const vd_node node = launch(graph, a, b, 0);
  ASSERT_OK(vd_graph_call(graph, Told::count, &told, nullptr, nullptr));
  ASSERT_OK(vd_graph_call(graph, Told::count, &told, nullptr, nullptr));
  const vd_node last = launch(graph, b, a, 0);
  const Words values{5, 6, 7}, others{1, 2, 3};
  submit(3, {values_of(node, values), values_of(last, others)});
  uint32_t x = 1, y = 2;
  for (int i = 0; i < 3; ++i) x = 3 * x + y + values[i], y = 3 * y + x + others[i];
  EXPECT_EQ(api::read<uint32_t>(b, 1), Words{y});
  EXPECT_EQ(told.calls, 6);
}

// Other work sees all of a submission or none of it.
TEST_P(GraphChange, ADiscardedBufferBehindACallKeepsAllFromRunning) {
  const api::Buffer a = api::make_buffer(ctx, Words{1}), gone = api::make_buffer(ctx, Words{2}, "gone");
  Told told;
  ASSERT_OK(vd_graph_fill(graph, a, 0, 4, 9, nullptr));
  ASSERT_OK(vd_graph_call(graph, Told::count, &told, nullptr, nullptr));
  ASSERT_OK(vd_graph_fill(graph, gone, 0, 4, 9, nullptr));
  ASSERT_OK(vd_buffer_discard(gone));
  EXPECT_FAILS(vd_graph_submit(graph, nullptr, nullptr), VD_ERR_STATE,
               "vd_graph_submit: node 2: buffer \"gone\" was discarded.");
  EXPECT_OK(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER));
  EXPECT_EQ(told.calls, 0);
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{1});
}

TEST_P(GraphChange, ACallMustNotCallTheLibrary) {
  Told told;
  told.ctx = ctx;
  const auto call = [](void* user) {
    auto* t = static_cast<Told*>(user);
    t->status = vd_context_wait_idle(t->ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER);
    ++t->calls;
  };
  ASSERT_OK(vd_graph_call(graph, call, &told, nullptr, nullptr));
  submit();
  EXPECT_OK(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER));
  EXPECT_EQ(told.calls, 1);
  EXPECT_EQ(told.status, VD_ERR_STATE);
  EXPECT_FAILS(vd_graph_call(graph, nullptr, nullptr, nullptr, nullptr), VD_ERR_INVALID,
               "vd_graph_call: callback is NULL.");
}

INSTANTIATE_TEST_SUITE_P(All, GraphChange, api::each_backend(), api::backend_name);

}  // namespace
