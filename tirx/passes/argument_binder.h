// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_ARGUMENT_BINDER_H_
#define TIRX_PASSES_ARGUMENT_BINDER_H_

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tirx/ir/function.h"

namespace tvm {
namespace tirx {

/// Emits the statements at the top of an exported function: checks of the packed arguments and
/// bindings of its parameters and sizes.
class ArgumentBinder {
 public:
  /// `args`, `num_args`: the parameters of the safe call. `device_type`: where tensors must lie.
  ArgumentBinder(std::string name, const Function& function, Var args, Var num_args,
                 int device_type);

  /// Statements up to the body, in order.
  std::vector<Stmt> Run();

  /// Id of the device of the tensors; a null Expr without tensors.
  const Expr& device_id() const { return device_id_; }

 private:
  struct TensorArg {
    int index;
    Var param;
    const TensorTypeObj* type;
    Var handle, shape, strides, data;
  };

  std::string Signature() const;
  void Check(Expr condition, const char* kind, std::vector<std::string> start,
             const std::string& expected);
  void CheckArgument(int index, Expr condition, const char* kind, const std::string& what,
                     const std::string& expected);
  Var BindNew(const std::string& name, Expr value);
  Expr TypeIndex(int index, const Var& param);
  Expr Field(const Expr& base, int64_t index, int64_t field, Type type);
  Expr TensorField(const TensorArg& tensor, int64_t field, DLDataType dtype);
  Expr Handle(int index, const Expr& type_index);

  void BindScalar(int index, const Var& param, DLDataType dtype);
  void BindTensor(int index, const Var& param);
  void CheckHeader(TensorArg* tensor);
  void BindSizes(const TensorArg& tensor);
  bool Solve(const Expr& extent, Expr value, const std::string& text);
  void Define(const Var& size, const Expr& value, const std::string& text);
  void CheckMemory(const TensorArg& tensor);
  void CheckExtents(const TensorArg& tensor);
  Expr IsEmpty(const TensorArg& tensor);
  Expr Extent(const TensorArg& tensor, size_t dim);
  std::string Describe(const Expr& extent) const;
  bool IsDefined(const Expr& extent) const;

  const std::string name_;
  const Function function_;
  const Var args_, num_args_;
  const int device_type_;
  const std::unordered_set<const VarObj*> written_;
  std::string signature_;
  std::vector<Stmt> stmts_;
  std::vector<TensorArg> tensors_;
  std::unordered_map<const VarObj*, std::string> known_;  // how messages name a known variable
  std::unordered_map<const VarObj*, std::pair<int, size_t>> definers_;  // tensor and dimension
  Expr device_id_;
  std::string device_owner_;
};

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_ARGUMENT_BINDER_H_
