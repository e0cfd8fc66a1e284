// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/reflection/registry.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "c_call.h"

namespace {

namespace ffi = tvm::ffi;

std::string KindOf(const std::function<void()>& call, std::string* message = nullptr) {
  try {
    call();
  } catch (const ffi::Error& error) {
    if (message != nullptr) *message = error.message();
    return error.kind();
  }
  return "";
}

// Functions from a table; `payload` tells instances apart.
class TableModuleObj : public ffi::ModuleObj {
 public:
  explicit TableModuleObj(std::string payload) : payload(std::move(payload)) {}
  const char* kind() const final { return "ctest_table"; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final {
    auto it = functions.find(name);
    if (it == functions.end()) return std::nullopt;
    return it->second;
  }
  using ffi::ModuleObj::GetFunction;

  std::string payload;
  std::map<std::string, ffi::Function> functions;
};

ffi::Module MakeTable(const std::string& payload) {
  return ffi::Module(ffi::ObjectPtr<ffi::ModuleObj>(ffi::make_object<TableModuleObj>(payload)));
}

TableModuleObj* Table(const ffi::Module& module) {
  return static_cast<TableModuleObj*>(module.operator->());
}

ffi::Function Constant(int64_t value) {
  return ffi::Function::FromTyped([value]() { return value; });
}

TEST(CModule, DefaultsOfSubclasses) {
  ffi::Module module = MakeTable("a");
  EXPECT_EQ(module->GetPropertyMask(), 0);
  EXPECT_EQ(module->GetWriteFormats().size(), 0u);
  EXPECT_EQ(module->InspectSource(""), "");
  std::string message;
  EXPECT_EQ(KindOf([&] { module->WriteToFile("f", "so"); }, &message), "RuntimeError");
  EXPECT_EQ(message, "Module[ctest_table] does not support WriteToFile");
  EXPECT_EQ(KindOf([&] { module->SaveToBytes(); }, &message), "RuntimeError");
  EXPECT_EQ(message, "Module[ctest_table] does not support SaveToBytes");
}

TEST(CModule, LooksThroughImportsDepthFirst) {
  ffi::Module root = MakeTable("root"), left = MakeTable("left"), right = MakeTable("right"),
              leaf = MakeTable("leaf");
  Table(leaf)->functions["f"] = Constant(1);
  Table(right)->functions["f"] = Constant(2);
  Table(right)->functions["g"] = Constant(3);
  left->ImportModule(leaf);
  right->ImportModule(leaf);
  root->ImportModule(left);
  root->ImportModule(right);
  EXPECT_FALSE(root->GetFunction("f", false).has_value());
  EXPECT_EQ(root->GetFunction("f", true).value()().cast<int>(), 1);
  EXPECT_EQ(root->GetFunction("g", true).value()().cast<int>(), 3);
  EXPECT_TRUE(root->ImplementsFunction("g", true));
  EXPECT_FALSE(root->ImplementsFunction("h", true));
  EXPECT_FALSE(root->GetFunctionDoc("f", true).has_value());
  root->ClearImports();
  EXPECT_FALSE(root->GetFunction("f", true).has_value());
}

TEST(CModule, ImportsMayNotFormCycles) {
  ffi::Module a = MakeTable("a"), b = MakeTable("b"), c = MakeTable("c");
  a->ImportModule(b);
  b->ImportModule(c);
  std::string message;
  EXPECT_EQ(KindOf([&] { c->ImportModule(a); }, &message), "RuntimeError");
  EXPECT_EQ(message, "Cyclic dependency detected during import");
  EXPECT_EQ(KindOf([&] { a->ImportModule(a); }), "RuntimeError");
  a->ImportModule(c);  // a diamond is fine
}

TEST(CModule, ManyLayersOfDiamondsAreSearchedOnce) {
  std::vector<ffi::Module> layer{MakeTable("0")};
  for (int i = 0; i < 200; ++i) {
    ffi::Module next = MakeTable("n");
    next->ImportModule(layer.back());
    next->ImportModule(layer.back());
    layer.push_back(next);
  }
  EXPECT_FALSE(layer.back()->GetFunction("nothing", true).has_value());
}

TEST(CModule, LoadsByFileExtension) {
  std::string message;
  EXPECT_EQ(KindOf([] { ffi::Module::LoadFromFile("noformat"); }, &message), "RuntimeError");
  EXPECT_EQ(message,
            "Failed to get file format from noformat: it has no extension; name a shared library "
            "(.so, .dylib or .dll).");
  EXPECT_EQ(KindOf([] { ffi::Module::LoadFromFile("a.ctest"); }, &message), "RuntimeError");
  EXPECT_EQ(message.substr(0, 108),
            "Loader for `.ctest` files is not registered, resolved to "
            "(ffi.Module.load_from_file.ctest) in the global reg");
  EXPECT_EQ(KindOf([] { ffi::Module::LoadFromFile("/nowhere/a.dylib"); }, &message),
            "InternalError");
  EXPECT_NE(message.find("Failed to load dynamic shared library /nowhere/a.dylib"),
            std::string::npos);
}

class CSharedLibrary : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    TVMFFIEnvModRegisterContextSymbol("ctest_context_value", &context_target);
  }
  ffi::Module module = ffi::Module::LoadFromFile(TVM_FFI_TEST_SAMPLE_LIBRARY);
  static int context_target;
};
int CSharedLibrary::context_target = 0;

TEST_F(CSharedLibrary, ExportsFunctions) {
  EXPECT_STREQ(module->kind(), "library");
  EXPECT_EQ(module->GetPropertyMask(), 3);
  EXPECT_TRUE(module->ImplementsFunction("add", false));
  EXPECT_FALSE(module->GetFunction("nothing", true).has_value());
  EXPECT_EQ(module->GetFunction("add", false).value()(20, 22).cast<int>(), 42);
  EXPECT_EQ(module->GetFunctionMetadata("add", false).value(), "{\"type_schema\":\"a schema\"}");
  EXPECT_EQ(module->GetFunctionDoc("add", false).value(), "Adds.");
  EXPECT_FALSE(module->GetFunctionDoc("main", false).has_value());
  EXPECT_EQ(KindOf([&] { module->GetFunction("add", false).value()(1); }), "TypeError");
}

TEST_F(CSharedLibrary, AppearsInBacktracesThoughLoadedAfterTheFirst) {
  TVMFFIBacktrace(nullptr, 0, nullptr, 0);
  ffi::Module again = ffi::Module::LoadFromFile(TVM_FFI_TEST_SAMPLE_LIBRARY);
  try {
    again->GetFunction("add", false).value()(1);
    FAIL();
  } catch (const ffi::Error& error) {
    EXPECT_NE(error.backtrace().find(", in __tvm_ffi_add\n"), std::string::npos)
        << error.backtrace();
    EXPECT_EQ(error.backtrace().find("LibraryFunctionObj"), std::string::npos);
  }
}

TEST_F(CSharedLibrary, FunctionsKeepItMapped) {
  ffi::Function add = module->GetFunction("add", false).value();
  module = MakeTable("other");
  EXPECT_EQ(add(1, 2).cast<int>(), 3);
}

TEST_F(CSharedLibrary, ReceivesContextSymbols) {
  EXPECT_EQ(module->GetFunction("main", false).value()().cast<void*>(), &context_target);
  int num_seen = 0;
  ffi::Module::VisitContextSymbols([&](ffi::String name, void* value) {
    num_seen += name == "ctest_context_value" && value == &context_target;
  });
  EXPECT_EQ(num_seen, 1);
}

TEST_F(CSharedLibrary, ResultSlotMustBeFree) {
  ffi::Function add = module->GetFunction("add", false).value();
  TVMFFIObjectHandle handle = ffi::detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(add);
  TVMFFIAny result{};
  result.type_index = kTVMFFIFunction;
  result.v_obj = static_cast<TVMFFIObject*>(handle);
  EXPECT_EQ(TVMFFIFunctionCall(handle, nullptr, 0, &result), -1);
  EXPECT_EQ(TakeError().substr(0, 15), "InternalError: ");
}

TEST_F(CSharedLibrary, FindsFunctionsOfItsImports) {
  ffi::Function call = module->GetFunction("call_import", false).value();
  std::string message;
  EXPECT_EQ(KindOf([&] { call(); }, &message), "RuntimeError");
  EXPECT_EQ(message, "Cannot find function imported in the imported modules or global registry.");
  ffi::Module table = MakeTable("imports");
  Table(table)->functions["imported"] = Constant(11);
  module->ImportModule(table);
  EXPECT_EQ(call().cast<int>(), 11);
  module->ClearImports();
  EXPECT_EQ(call().cast<int>(), 11) << "what was resolved stays";
}

int AddOne(void*, const TVMFFIAny* args, int32_t, TVMFFIAny* result) {
  result->type_index = kTVMFFIInt;
  result->v_int64 = args[0].v_int64 + 1;
  return 0;
}

int AddTwo(void*, const TVMFFIAny* args, int32_t, TVMFFIAny* result) {
  result->type_index = kTVMFFIInt;
  result->v_int64 = args[0].v_int64 + 2;
  return 0;
}

ffi::Module SystemLib(const char* prefix) {
  return ffi::Function::GetGlobalRequired("ffi.SystemLib")(prefix).cast<ffi::Module>();
}

TEST(CSystemLibrary, PrefersNamesWithItsPrefix) {
  TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_ctest_inc", reinterpret_cast<void*>(AddOne));
  TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_ctestlib_ctest_inc",
                                      reinterpret_cast<void*>(AddTwo));
  ffi::Module plain = SystemLib(""), prefixed = SystemLib("ctestlib_");
  EXPECT_EQ(plain->GetFunction("ctest_inc", false).value()(1).cast<int>(), 2);
  EXPECT_EQ(prefixed->GetFunction("ctest_inc", false).value()(1).cast<int>(), 3);
  EXPECT_TRUE(SystemLib("ctestlib_").same_as(prefixed));
  ::testing::internal::CaptureStderr();
  TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_ctest_inc", reinterpret_cast<void*>(AddTwo));
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("__tvm_ffi_ctest_inc"),
            std::string::npos);
  EXPECT_EQ(plain->GetFunction("ctest_inc", false).value()(1).cast<int>(), 3);
}

// Writes the format of a packed import tree.
struct BinWriter {
  std::string body;
  void Word(uint64_t value) {
    for (int i = 0; i < 8; ++i) body.push_back(static_cast<char>(value >> (8 * i)));
  }
  void Words(const std::vector<uint64_t>& values) {
    Word(values.size());
    for (uint64_t value : values) Word(value);
  }
  void Text(const std::string& text) {
    Word(text.size());
    body += text;
  }
  std::string Finish() const {
    BinWriter result;
    result.Text(body);
    return result.body;
  }
};

ffi::Module LoadPacked(const std::string& prefix, const std::string& binary) {
  // Kept: the loaded modules may point into it.
  static std::vector<std::string>* kept = new std::vector<std::string>();
  kept->reserve(1000);
  kept->push_back(binary);
  std::string name = prefix + "__tvm_ffi__library_bin";
  TVMFFIEnvModRegisterSystemLibSymbol(name.c_str(), kept->back().data());
  return SystemLib(prefix.c_str());
}

TEST(CLibraryBin, RebuildsTheImportTree) {
  ffi::Function::SetGlobal(
      "ffi.Module.load_from_bytes.ctest_table",
      ffi::Function::FromTyped([](ffi::Bytes payload) { return MakeTable(payload); }), true);
  static void* context = nullptr;
  TVMFFIEnvModRegisterSystemLibSymbol("ctestbin_good___tvm_ffi__library_ctx", &context);
  BinWriter writer;
  writer.Words({0, 2, 3, 3});  // module 0 imports 1 and 2, module 1 imports 2
  writer.Words({1, 2, 2});
  writer.Text("ctest_table");
  writer.Text("first");
  writer.Text("_lib");
  writer.Text("ctest_table");
  writer.Text("third");
  ffi::Module root = LoadPacked("ctestbin_good_", writer.Finish());
  EXPECT_EQ(Table(root)->payload, "first");
  ASSERT_EQ(root->imports().size(), 2u);
  ffi::Module host = root->imports()[0].cast<ffi::Module>();
  EXPECT_STREQ(host->kind(), "library");
  EXPECT_EQ(context, host.operator->());
  EXPECT_EQ(Table(root->imports()[1].cast<ffi::Module>())->payload, "third");
  EXPECT_TRUE(
      host->imports()[0].cast<ffi::Module>().same_as(root->imports()[1].cast<ffi::Module>()));
}

TEST(CLibraryBin, MalformedBytesAreErrors) {
  BinWriter good;
  good.Words({0, 0});
  good.Words({});
  good.Text("ctest_unknown_kind");
  good.Text("payload");
  int number = 0;
  auto load = [&](const std::string& binary, std::string* message) {
    std::string prefix = "ctestbin_bad" + std::to_string(number++) + "_";
    return KindOf([&] { LoadPacked(prefix, binary); }, message);
  };
  std::string message;
  EXPECT_EQ(load(good.Finish(), &message), "RuntimeError");
  EXPECT_EQ(message.find("Library binary was created using {ctest_unknown_kind} but a loader of "
                         "that name is not registered."),
            0u);
  // Cut anywhere: the size in front is kept consistent, the content ends early.
  for (size_t size = 0; size < good.body.size(); ++size) {
    BinWriter cut;
    cut.Text(good.body.substr(0, size));
    EXPECT_EQ(load(cut.body, &message), "RuntimeError") << size;
    EXPECT_NE(message.find("Malformed library binary"), std::string::npos) << size;
  }
  struct Tree {
    std::vector<uint64_t> rows, children;
  };
  for (const Tree& tree : {Tree{{0}, {}}, Tree{{0, 2}, {0}}, Tree{{0, 1}, {7}}, Tree{{1, 0}, {0}},
                           Tree{{0, 1}, {0}}}) {
    BinWriter bad;
    bad.Words(tree.rows);
    bad.Words(tree.children);
    bad.Text("_lib");
    EXPECT_EQ(load(bad.Finish(), &message), "RuntimeError");
  }
  BinWriter huge;
  huge.Word(uint64_t{1} << 61);
  EXPECT_EQ(load(huge.Finish(), &message), "RuntimeError");
}

TEST(CModuleFunctions, DispatchToTheModule) {
  auto global = [](const char* name) { return ffi::Function::GetGlobalRequired(name); };
  ffi::Module module = MakeTable("a"), other = MakeTable("b");
  Table(other)->functions["f"] = Constant(9);
  EXPECT_EQ(global("ffi.ModuleGetKind")(module).cast<std::string>(), "ctest_table");
  EXPECT_EQ(global("ffi.ModuleGetPropertyMask")(module).cast<int>(), 0);
  global("ffi.ModuleImportModule")(module, other);
  EXPECT_TRUE(global("ffi.ModuleImplementsFunction")(module, "f", true).cast<bool>());
  EXPECT_EQ(global("ffi.ModuleGetFunction")(module, "f", true).cast<ffi::Function>()().cast<int>(),
            9);
  EXPECT_EQ(global("ffi.ModuleGetFunction")(module, "f", false), nullptr);
  global("ffi.ModuleClearImports")(module);
  EXPECT_FALSE(global("ffi.ModuleImplementsFunction")(module, "f", true).cast<bool>());
  EXPECT_EQ(other.use_count(), 1u);
  global("ffi.ModuleGlobalsAdd")(other);
  EXPECT_EQ(other.use_count(), 2u);
  global("ffi.ModuleGlobalsAdd")(other);
  global("ffi.ModuleGlobalsRemove")(other);
  EXPECT_EQ(other.use_count(), 1u);
}

}  // namespace
