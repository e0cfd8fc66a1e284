// SPDX-License-Identifier: Apache-2.0
#include "tirx/text/underline.h"

#include <gtest/gtest.h>

#include "tirx/ir/function.h"
#include "tirx/ir/ops.h"
#include "tirx/text/script.h"

namespace tvm {
namespace tirx {
namespace {

namespace refl = ffi::reflection;

struct Underline : testing::Test {
  Var A{"A", TensorType({int32(4)}, PrimType(Int(32)))}, n{"n", Int(32)}, i{"i", Int(32)};
  Function func = Make();
  ffi::ObjectPtr<PrinterConfigObj> config = ffi::make_object<PrinterConfigObj>();

  Function Make() {
    auto store = [&](int index, int value) { return TensorStore(A, {int32(index)}, int32(value)); };
    Stmt loop =
        For(i, int32(0), int32(4), int32(1), ForKind::Serial,
            SeqStmt({TensorStore(A, {i}, add(TensorLoad(A, {i}), mul(n, int32(3)))), store(0, 7)}));
    return Function({A, n}, SeqStmt({store(0, 1), store(1, 2), loop, store(3, 3)}));
  }
  static refl::AccessPath Seq(int64_t index) {
    return refl::AccessPath::Root()->Attr("body")->Attr("seq")->ArrayItem(index);
  }
  // The text from the function's first line on, and what comes before the header.
  std::string Text() { return Script(func, PrinterConfig(config)); }
  static std::string Body(const std::string& text) {
    return text.substr(text.find("    A[0] = 1"));
  }
};

TEST_F(Underline, AStatementOverSeveralLines) {
  config->path_to_underline.push_back(Seq(2));
  EXPECT_EQ(Body(Text()),
            "    A[0] = 1\n"
            "    A[1] = 2\n"
            "    for i in range(4):\n"
            "    ^^^^^^^^^^^^^^^^^^\n"
            "        A[i] = A[i] + n * 3\n"
            "        ^^^^^^^^^^^^^^^^^^^\n"
            "        A[0] = 7\n"
            "        ^^^^^^^^\n"
            "    A[3] = 3");
}

TEST_F(Underline, NearestVisibleParent) {
  config->path_to_underline.push_back(
      Seq(2)->Attr("body")->Attr("seq")->ArrayItem(0)->Attr("value")->Attr("b")->Attr("ty"));
  std::string text = Text();
  EXPECT_EQ(
      text.rfind("Access path: <root>.body.seq[2].body.seq[0].value.b.ty\n"
                 "Note: The underlined object is the nearest visible parent of this path.\n\n",
                 0),
      0u)
      << text;
  EXPECT_NE(text.find("        A[i] = A[i] + n * 3\n"
                      "                      ^^^^^\n"),
            std::string::npos)
      << text;
}

TEST_F(Underline, EveryPlaceOfAnObject) {
  config->obj_to_underline.push_back(n);
  std::string text = Text();
  EXPECT_EQ(text.rfind("Access path: <root>.params[1]\n"
                       "Access path: <root>.body.seq[2].body.seq[0].value.b.a\n\n",
                       0),
            0u)
      << text;
  EXPECT_NE(text.find("def main(A: T.Tensor((4,), T.int32), n: T.int32):\n"
                      "                                     ^\n"),
            std::string::npos)
      << text;
}

TEST_F(Underline, ParameterType) {
  config->path_to_underline.push_back(
      refl::AccessPath::Root()->Attr("params")->ArrayItem(0)->Attr("ty"));
  EXPECT_NE(Text().find("def main(A: T.Tensor((4,), T.int32), n: T.int32):\n"
                        "            ^^^^^^^^^^^^^^^^^^^^^^^\n"),
            std::string::npos);
}

TEST_F(Underline, CommentsBehindALineAndBeforeABlock) {
  config->path_to_annotate.Set(Seq(1), "hello");
  config->path_to_annotate.Set(Seq(2), "loop");
  EXPECT_EQ(Body(Text()),
            "    A[0] = 1\n"
            "    A[1] = 2  # hello\n"
            "    # loop\n"
            "    for i in range(4):\n"
            "        A[i] = A[i] + n * 3\n"
            "        A[0] = 7\n"
            "    A[3] = 3");
}

TEST_F(Underline, LineNumbersAndContext) {
  config->path_to_underline.push_back(Seq(3));
  config->num_context_lines = 1;
  config->print_line_numbers = true;
  EXPECT_EQ(Text(),
            "Access path: <root>.body.seq[3]\n\n"
            "(... 10 lines skipped ...)\n"
            "11         A[0] = 7\n"
            "12     A[3] = 3\n"
            "       ^^^^^^^^");
}

}  // namespace
}  // namespace tirx
}  // namespace tvm
