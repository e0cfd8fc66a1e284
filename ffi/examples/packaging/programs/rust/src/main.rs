// SPDX-License-Identifier: Apache-2.0
//! Uses the library of the wheel from Rust. `int_pair.rs` is written by `tvm-ffi-stubgen --target rust`.
//!
//! usage: `use-extension LIBRARY`

mod int_pair;

use int_pair::IntPair;
use std::process::ExitCode;
use tvm_ffi::{Function, Module, Result, Tensor};

fn add_one(module: &Module) -> Result<()> {
    let add_one = module.get_function("add_one")?;
    let x = Tensor::from_slice(&[1.0_f32, 2.0, 3.0], &[3])?;
    let y = Tensor::zeros::<f32>(&[3])?;
    add_one.call_tuple((&x, &y))?;
    let y = y.to_vec::<f32>()?;
    println!("{} {} {}", y[0], y[1], y[2]);
    if let Err(error) = add_one.call_tuple((&x, &Tensor::zeros::<f32>(&[2])?)) {
        println!("{}: {}", error.kind(), error.message());
    }
    Ok(())
}

fn int_pair() -> Result<()> {
    let pair = IntPair::new(1, 2)?;
    println!("second = {}", pair.b()?);
    Ok(())
}

fn raise_error() -> Result<()> {
    if let Err(error) = Function::get_global("my_ffi_extension.raise_error")?.call_tuple(("from Rust",)) {
        println!("{}: {}", error.kind(), error.message());
    }
    Ok(())
}

fn main() -> ExitCode {
    let Some(library) = std::env::args().nth(1) else {
        eprintln!("usage: use-extension LIBRARY");
        return ExitCode::from(2);
    };
    let run = || -> Result<()> {
        let module = Module::load_from_file(&library)?;
        add_one(&module)?;
        int_pair()?;
        raise_error()
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
