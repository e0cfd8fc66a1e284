// SPDX-License-Identifier: Apache-2.0
// Access paths.
#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/string.h>

#include <string>
#include <vector>

namespace {

using namespace tvm::ffi;
using reflection::AccessKind;
using reflection::AccessPath;
using reflection::AccessStep;

TEST(AccessPath, StepsAndText) {
  const AccessPath path = AccessPath::Root()->Attr("body")->ArrayItem(0)->MapItem("k");
  EXPECT_EQ(path->depth, 3);
  EXPECT_EQ(ReprPrint(path), "<root>.body[0][\"k\"]");
  const Array<AccessStep> steps = path->ToSteps();
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0]->kind, AccessKind::kAttr);
  EXPECT_EQ(steps[0]->key.cast<String>(), "body");
  EXPECT_EQ(steps[1]->key.cast<int64_t>(), 0);
  EXPECT_EQ(steps[2]->kind, AccessKind::kMapItem);
  EXPECT_TRUE(AccessPath::FromSteps(steps)->PathEqual(path));
  EXPECT_EQ(AccessPath::Root()->ToSteps().size(), 0u);
  EXPECT_FALSE(AccessPath::Root()->GetParent().has_value());
  EXPECT_EQ(ReprPrint(path->GetParent().value()), "<root>.body[0]");
}

TEST(AccessPath, EqualityAndPrefix) {
  const AccessPath base = AccessPath::Root()->Attr("a");
  const AccessPath left = base->ArrayItem(1);
  EXPECT_TRUE(left->PathEqual(AccessPath::Root()->Attr("a")->ArrayItem(1)));
  EXPECT_FALSE(left->PathEqual(base->ArrayItem(2)));
  EXPECT_FALSE(left->PathEqual(base->ArrayItemMissing(1)));
  EXPECT_FALSE(left->PathEqual(base));
  EXPECT_TRUE(base->IsPrefixOf(left));
  EXPECT_TRUE(left->IsPrefixOf(left));
  EXPECT_FALSE(left->IsPrefixOf(base));
  EXPECT_TRUE(AccessPath::Root()->IsPrefixOf(left));
  EXPECT_FALSE(AccessPath::Root()->Attr("b")->IsPrefixOf(left));
  // Keys are compared by content.
  EXPECT_TRUE(base->MapItem(String(std::string("k")))->PathEqual(base->MapItem("k")));
}

TEST(AccessPath, MissingKinds) {
  const AccessPath root = AccessPath::Root();
  EXPECT_EQ(root->AttrMissing("x")->step.value()->kind, AccessKind::kAttrMissing);
  EXPECT_EQ(root->MapItemMissing()->step.value()->kind, AccessKind::kMapItemMissing);
  EXPECT_TRUE(root->MapItemMissing()->step.value()->key == nullptr);
  EXPECT_EQ(ReprPrint(root->MapItemMissing("a")), "<root>[<missing:\"a\">]");
}

TEST(AccessPath, PathsShareTheirBeginning) {
  const AccessPath base = AccessPath::Root()->Attr("a");
  const AccessPath one = base->ArrayItem(0);
  const AccessPath two = base->ArrayItem(1);
  EXPECT_TRUE(one->GetParent().value().same_as(two->GetParent().value()));
}

}  // namespace
