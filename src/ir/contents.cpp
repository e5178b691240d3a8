#include "ir/contents.h"

#include <unordered_map>

namespace vd::ir {
namespace {

class Counter {
 public:
  explicit Counter(const TypeTable& types) : types_(types) {}

  Contents count(Type type) {
    if (!type.is_array() && !type.is_struct()) {
      if (types_.size(type) == 0) return {};
      return {uint64_t{type.count()} * type.rows(), 1u << static_cast<uint32_t>(type.scalar())};
    }
    if (const auto found = known_.find(type.value().bits()); found != known_.end()) return found->second;
    Contents all;
    if (type.is_array()) {
      const auto& array = types_.get_array(type);
      all = count(array.element);
      all.scalars *= array.count;
    } else {
      for (const Field& field : types_.get_struct(type).fields) {
        const Contents one = count(field.type);
        all.scalars += one.scalars;
        all.kinds |= one.kinds;
      }
    }
    known_.emplace(type.value().bits(), all);
    return all;
  }

 private:
  const TypeTable& types_;
  std::unordered_map<uint32_t, Contents> known_;
};

}  // namespace

Contents contents_of(const TypeTable& types, Type type) { return Counter(types).count(type); }

}  // namespace vd::ir
