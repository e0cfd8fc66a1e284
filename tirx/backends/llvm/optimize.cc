// SPDX-License-Identifier: Apache-2.0
#include "tirx/backends/llvm/optimize.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/Inliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>
#include <tvm/ffi/error.h>

namespace tvm {
namespace tirx {
namespace llvm_backend {
namespace {

// Loop access analysis compares all memory operations of a loop with each other. Above this many
// stores a function is long straight-line code, where vectorising has nothing to gain.
constexpr int kMaxStoresToVectorize = 64;

struct FunctionShape {
  int stores = 0;
  int memory = 0;
  bool loops = false;
};

FunctionShape Measure(const llvm::Function& function) {
  FunctionShape shape;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> seen;
  for (const llvm::BasicBlock& block : function) {
    seen.insert(&block);
    for (const llvm::Instruction& inst : block) {
      if (llvm::isa<llvm::StoreInst>(inst)) ++shape.stores;
      if (inst.mayReadOrWriteMemory()) ++shape.memory;
    }
    // The emitter places a loop's header before its latch.
    for (const llvm::BasicBlock* next : llvm::successors(&block))
      shape.loops |= seen.contains(next);
  }
  return shape;
}

// Scalars out of memory, then each expression once, in short form.
void AddCleanup(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
}

void AddLoops(llvm::FunctionPassManager& passes) {
  llvm::LoopPassManager rotate;
  rotate.addPass(llvm::LoopRotatePass());
  rotate.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(rotate), /*UseMemorySSA=*/true));
  llvm::LoopPassManager simplify;
  simplify.addPass(llvm::IndVarSimplifyPass());
  simplify.addPass(llvm::LoopDeletionPass());
  simplify.addPass(llvm::LoopFullUnrollPass(/*OptLevel=*/2));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(simplify)));
}

void AddVectorize(llvm::FunctionPassManager& passes, bool large_loops) {
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  llvm::LoopVectorizeOptions options(/*InterleaveOnlyWhenForced=*/!large_loops,
                                     /*VectorizeOnlyWhenForced=*/false);
  passes.addPass(llvm::LoopVectorizePass(options));
  passes.addPass(llvm::SLPVectorizerPass());
}

void AddFinish(llvm::FunctionPassManager& passes, bool loops) {
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(
      llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true).hoistCommonInsts(true)));
  if (loops) {
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                         /*UseMemorySSA=*/true));
  }
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
}

}  // namespace

void Optimize(llvm::Module* module, llvm::TargetMachine* machine, int level) {
  if (level <= 0) return;
  llvm::PassBuilder builder(machine);
  llvm::LoopAnalysisManager loop_analyses;
  llvm::FunctionAnalysisManager function_analyses;
  llvm::CGSCCAnalysisManager cgscc_analyses;
  llvm::ModuleAnalysisManager module_analyses;
  builder.registerModuleAnalyses(module_analyses);
  builder.registerCGSCCAnalyses(cgscc_analyses);
  builder.registerFunctionAnalyses(function_analyses);
  builder.registerLoopAnalyses(loop_analyses);
  builder.crossRegisterProxies(loop_analyses, function_analyses, cgscc_analyses, module_analyses);

  int defined = 0;
  for (const llvm::Function& function : *module) defined += !function.isDeclaration();
  if (defined > 1) {
    llvm::ModulePassManager inline_passes;
    llvm::FunctionPassManager before;
    before.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    before.addPass(llvm::EarlyCSEPass());
    before.addPass(llvm::SimplifyCFGPass());
    inline_passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(before)));
    inline_passes.addPass(llvm::ModuleInlinerWrapperPass(llvm::getInlineParams(2, 0)));
    inline_passes.addPass(llvm::GlobalDCEPass());
    inline_passes.run(*module, module_analyses);
  }
  for (llvm::Function& function : *module) {
    if (function.isDeclaration()) continue;
    FunctionShape shape = Measure(function);
    llvm::FunctionPassManager passes;
    AddCleanup(passes);
    if (shape.loops) AddLoops(passes);
    if (shape.stores <= kMaxStoresToVectorize) AddVectorize(passes, level >= 2);
    AddFinish(passes, shape.loops);
    passes.run(function, function_analyses);
    function_analyses.clear();
  }
}

namespace {

std::string EmitFile(llvm::Module* module, llvm::TargetMachine* machine,
                     llvm::CodeGenFileType type) {
  llvm::SmallString<0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, type)) {
    TVM_FFI_THROW(ValueError) << "LLVM cannot write this kind of file for the target "
                              << machine->getTargetTriple().str();
  }
  passes.run(*module);
  return std::string(buffer.data(), buffer.size());
}

}  // namespace

std::string EmitObject(llvm::Module* module, llvm::TargetMachine* machine) {
  return EmitFile(module, machine, llvm::CodeGenFileType::ObjectFile);
}

std::string EmitAssembly(llvm::Module* module, llvm::TargetMachine* machine) {
  return EmitFile(module, machine, llvm::CodeGenFileType::AssemblyFile);
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
