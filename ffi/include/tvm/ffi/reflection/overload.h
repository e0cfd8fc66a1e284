// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/overload.h
 * \brief Registration of several functions under one name, chosen by their arguments.
 */
#ifndef TVM_FFI_REFLECTION_OVERLOAD_H_
#define TVM_FFI_REFLECTION_OVERLOAD_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {
namespace reflection {
namespace detail {

/*! \brief One overload, without its type. */
class OverloadBase {
 public:
  explicit OverloadBase(std::string name) : name_(std::move(name)) {}
  virtual ~OverloadBase() = default;

  /*! \brief Calls the overload; arguments that do not fit are thrown as for a single function. */
  virtual void Call(const AnyView* args, int32_t num_args, Any* rv) = 0;
  /*!
   * \brief Calls the overload if the arguments fit.
   * \param why Why they do not; text is made only when it is given.
   */
  virtual bool TryCall(const AnyView* args, int32_t num_args, Any* rv, std::string* why) = 0;

 protected:
  std::string name_;
};

/*! \brief ``Mismatched ... when calling: `<name> <signature>` `` */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string OverloadArityText(const std::string& name,
                                                                         FSchemaText signature,
                                                                         size_t expected) {
  return "Mismatched number of arguments when calling: `" + name + " " + signature() +
         "`. Expected " + std::to_string(expected) + " arguments";
}
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string OverloadTypeText(const std::string& name,
                                                                        FSchemaText signature,
                                                                        size_t index,
                                                                        const std::string& expected,
                                                                        const std::string& got) {
  return "Mismatched type on argument #" + std::to_string(index) + " when calling: `" + name + " " +
         signature() + "`. Expected `" + expected + "` but got `" + got + "`";
}

/*! \brief An overload with its callable. */
template <typename Callable>
class TypedOverload : public OverloadBase {
 public:
  using Info = ffi::detail::FunctionInfo<Callable>;
  using ArgTuple = typename Info::ArgType;
  using R = typename Info::RetType;

  TypedOverload(std::string name, Callable callable)
      : OverloadBase(std::move(name)), callable_(std::move(callable)) {}

  void Call(const AnyView* args, int32_t num_args, Any* rv) final {
    ffi::detail::UnpackCall<Info>(std::make_index_sequence<Info::num_args>(), name_.c_str(),
                                  callable_, args, num_args, rv);
  }
  bool TryCall(const AnyView* args, int32_t num_args, Any* rv, std::string* why) final {
    if (num_args != static_cast<int32_t>(Info::num_args)) {
      if (why != nullptr) *why = OverloadArityText(name_, &Info::Sig, Info::num_args);
      return false;
    }
    return TryCallConverted(std::make_index_sequence<Info::num_args>(), args, rv, why);
  }

 private:
  /*! \brief An argument after conversion; empty when it did not convert. */
  template <typename Arg>
  using Converted = std::optional<ffi::detail::RemoveCVRef<Arg>>;

  template <size_t... Is>
  bool TryCallConverted(std::index_sequence<Is...>, [[maybe_unused]] const AnyView* args, Any* rv,
                        [[maybe_unused]] std::string* why) {
    std::tuple<Converted<std::tuple_element_t<Is, ArgTuple>>...> values;
    if (!(TryConvert<Is>(args[Is], &std::get<Is>(values), why) && ...)) return false;
    if constexpr (std::is_void_v<R>) {
      callable_(static_cast<std::tuple_element_t<Is, ArgTuple>&&>(*std::get<Is>(values))...);
      *rv = nullptr;
    } else {
      *rv = Any(R(
          callable_(static_cast<std::tuple_element_t<Is, ArgTuple>&&>(*std::get<Is>(values))...)));
    }
    return true;
  }

  template <size_t I, typename T>
  bool TryConvert(AnyView arg, std::optional<T>* out, std::string* why) const {
    if constexpr (ffi::detail::is_any_type_v<T>) {
      out->emplace(arg);
      return true;
    } else {
      const TVMFFIAny raw = arg.CopyToTVMFFIAny();
      try {
        if (std::optional<T> value = TypeTraits<T>::TryCastFromAnyView(&raw)) {
          out->emplace(*std::move(value));
          return true;
        }
        if (why != nullptr) {
          *why = OverloadTypeText(name_, &Info::Sig, I, TypeTraits<T>::TypeStr(),
                                  TypeTraits<T>::GetMismatchTypeInfo(&raw));
        }
      } catch (const Error& err) {
        // A conversion that fails loudly, such as a malformed dtype, is no match either.
        if (why != nullptr) {
          *why = OverloadTypeText(name_, &Info::Sig, I, TypeTraits<T>::TypeStr(), err.message());
        }
      }
      return false;
    }
  }

  Callable callable_;
};

/*! \brief The overload of a callable. */
template <typename Callable>
std::unique_ptr<OverloadBase> CreateNewOverload(Callable callable, std::string name) {
  return std::make_unique<TypedOverload<Callable>>(std::move(name), std::move(callable));
}

/*! \brief All overloads of one name; the first whose parameters take the arguments is called. */
class OverloadedFunction {
 public:
  explicit OverloadedFunction(std::string name) : name_(std::move(name)) {}
  void Register(std::unique_ptr<OverloadBase> overload) {
    overloads_.push_back(std::move(overload));
  }
  const std::string& name() const { return name_; }

  void operator()(const AnyView* args, int32_t num_args, Any* rv) {
    if (overloads_.size() == 1) {
      overloads_.front()->Call(args, num_args, rv);
      return;
    }
    for (const std::unique_ptr<OverloadBase>& overload : overloads_) {
      if (overload->TryCall(args, num_args, rv, nullptr)) return;
    }
    ThrowNoMatch(args, num_args);
  }

 private:
  [[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE void ThrowNoMatch(const AnyView* args,
                                                                     int32_t num_args) {
    std::string text = "No matching overload found when calling: `" + name_ + "` with " +
                       std::to_string(num_args) + " arguments:";
    Any unused;
    for (size_t i = 0; i < overloads_.size(); ++i) {
      std::string why;
      overloads_[i]->TryCall(args, num_args, &unused, &why);
      text += "\nOverload #" + std::to_string(i) + ": " + why;
    }
    TVM_FFI_THROW(TypeError) << text;
    TVM_FFI_UNREACHABLE();
  }

  std::string name_;
  std::vector<std::unique_ptr<OverloadBase>> overloads_;
};

}  // namespace detail

/*!
 * \brief ObjectDef whose methods may share a name.
 *
 * Each repetition of a name adds an overload to one function. Overloads are tried in the order of
 * registration; every one has its own method entry with its own signature.
 */
template <typename Class>
class OverloadObjectDef : private ObjectDef<Class> {
  using Base = ObjectDef<Class>;

 public:
  /*! \brief `extra`: as for ObjectDef. */
  template <typename... Extra>
  explicit OverloadObjectDef(const Extra&... extra) : Base(extra...) {}

  template <typename T, typename Owner, typename... Extra>
  OverloadObjectDef& def_ro(const char* name, T Owner::* field, Extra&&... extra) {
    Base::def_ro(name, field, std::forward<Extra>(extra)...);
    return *this;
  }
  template <typename T, typename Owner, typename... Extra>
  OverloadObjectDef& def_rw(const char* name, T Owner::* field, Extra&&... extra) {
    Base::def_rw(name, field, std::forward<Extra>(extra)...);
    return *this;
  }
  /*! \brief A method, or a callable that takes the object first. */
  template <typename Func, typename... Extra>
  OverloadObjectDef& def(const char* name, Func&& func, Extra&&... extra) {
    Add(name, detail::AsCallable<Class>(std::forward<Func>(func)), false, extra...);
    return *this;
  }
  /*! \brief A function that belongs to the type but takes no object. */
  template <typename Func, typename... Extra>
  OverloadObjectDef& def_static(const char* name, Func&& func, Extra&&... extra) {
    Add(name, detail::AsCallable<Class>(std::forward<Func>(func)), true, extra...);
    return *this;
  }
  /*! \brief The constructor from `Args`. */
  template <typename... Args, typename... Extra>
  OverloadObjectDef& def(init<Args...>, Extra&&... extra) {
    this->wants_init_ = false;
    const auto [function, is_new] =
        Add(type_attr::kInit.name, &init<Args...>::template Execute<Class>, true, extra...);
    if (is_new) detail::RegisterAttr(this->type_index_, type_attr::kInit.name, function);
    return *this;
  }

 private:
  struct Named {
    std::string name;
    Function function;
    detail::OverloadedFunction* overloads;
  };

  template <typename Func, typename... Extra>
  std::pair<Function, bool> Add(const char* name, Func func, bool is_static,
                                const Extra&... extra) {
    detail::RecordFor<detail::MethodRecord, sizeof...(Extra)> record(name);
    record.schema = detail::kSchemaOf<Func>;
    (record.Take(extra), ...);
    const auto [named, is_new] = Find(name);
    named->overloads->Register(
        detail::CreateNewOverload(std::move(func), named->overloads->name()));
    detail::RegisterMethod(this->type_index_, record, named->function, is_static);
    return {named->function, is_new};
  }
  std::pair<Named*, bool> Find(const char* name) {
    for (Named& named : functions_) {
      if (named.name == name) return {&named, false};
    }
    auto [function, overloads] = Function::FromPackedInplace<detail::OverloadedFunction>(
        detail::MethodFullName(Class::_type_key, name));
    functions_.push_back(Named{name, std::move(function), overloads});
    return {&functions_.back(), true};
  }

  std::vector<Named> functions_;
};

}  // namespace reflection
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_REFLECTION_OVERLOAD_H_
