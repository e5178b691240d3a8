#include "program.h"

namespace vdc::random {

namespace {

// Leaves out statements, takes a block out of its `if`, puts an operand of the same kind, or zero, in an expression's
// place. A program that is not quite the same may fail no more for lack of registers or time alone; so each step is
// kept only if the program still fails.
class Shrinker {
 public:
  explicit Shrinker(const std::function<bool()>& fails) : fails_(fails) {}

  bool shrink(Block& block) {
    bool any = false;
    for (size_t k = 0; k < block.size();) {
      auto removed = std::move(block[k]);
      block.erase(block.begin() + static_cast<ptrdiff_t>(k));
      if (fails_()) {
        any = true;
        continue;
      }
      block.insert(block.begin() + static_cast<ptrdiff_t>(k), std::move(removed));
      Statement& s = *block[k];
      any |= shrink(s.then);
      any |= shrink(s.otherwise);
      if (s.value) any |= shrink(s.value);
      ++k;
    }
    return any;
  }

 private:
  bool shrink(Tree& tree) {
    if (tree->what == Expression::What::Constant) return false;
    for (size_t k = 0; k < tree->operands.size(); ++k) {
      if (tree->operands[k]->kind != tree->kind) continue;
      Tree smaller = std::move(tree->operands[k]);
      std::swap(tree, smaller);
      if (fails_()) return true;
      std::swap(tree, smaller);
      tree->operands[k] = std::move(smaller);
    }
    Tree zero = std::make_unique<Expression>();
    zero->kind = tree->kind;
    std::swap(tree, zero);
    if (fails_()) return true;
    std::swap(tree, zero);
    bool any = false;
    for (Tree& operand : tree->operands) {
      if (tree->op == VD_OP_INDEX && &operand == &tree->operands[1]) continue;
      any |= shrink(operand);
    }
    return any;
  }

  const std::function<bool()>& fails_;
};

}  // namespace

void shrink(Program& program, const std::function<bool()>& fails) {
  Shrinker shrinker(fails);
  for (int round = 0; round < 8 && shrinker.shrink(program.body); ++round) {
  }
}

}  // namespace vdc::random
