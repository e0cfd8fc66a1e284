// SPDX-License-Identifier: Apache-2.0
//! Loads the exported kernels and classifies the digits. Needs libtvm_ffi alone.
//!
//! usage: `classify LIBRARY DATA`

use std::fs;
use std::process::ExitCode;
use tvm_ffi::dtype::AsDLDataType;
use tvm_ffi::{ensure, Module, Result, Tensor, VALUE_ERROR};

/// Reads arrays one after another: int64 ndim, extents, then elements of 4 bytes, little-endian.
struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn take(&mut self, count: usize) -> Result<&[u8]> {
        ensure!(self.rest.len() >= count, VALUE_ERROR, "the data file ends early");
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        Ok(taken)
    }

    fn extents(&mut self) -> Result<Vec<i64>> {
        let int64 = |bytes: &[u8]| i64::from_le_bytes(bytes.try_into().expect("8 bytes"));
        let ndim = int64(self.take(8)?);
        ensure!((0..=8).contains(&ndim), VALUE_ERROR, "the data file is not as expected");
        Ok(self.take(8 * ndim as usize)?.chunks_exact(8).map(int64).collect())
    }

    fn array<T: AsDLDataType>(&mut self, from: fn([u8; 4]) -> T) -> Result<Tensor> {
        let shape = self.extents()?;
        let count: i64 = shape.iter().product();
        let bytes = self.take(4 * count as usize)?;
        let elements: Vec<T> = bytes.chunks_exact(4).map(|b| from(b.try_into().expect("4 bytes"))).collect();
        Tensor::from_slice(&elements, &shape)
    }
}

fn classify(library: &str, data: &[u8]) -> Result<bool> {
    let module = Module::load_from_file(library)?;
    let mut file = Reader { rest: data };
    let images = file.array(f32::from_le_bytes)?;
    let (w1, b1) = (file.array(f32::from_le_bytes)?, file.array(f32::from_le_bytes)?);
    let (w2, b2) = (file.array(f32::from_le_bytes)?, file.array(f32::from_le_bytes)?);
    let labels = file.array(i32::from_le_bytes)?.to_vec::<i32>()?;
    let expected = file.array(i32::from_le_bytes)?.to_vec::<i32>()?;

    let n = images.shape()[0];
    let hidden = Tensor::zeros::<f32>(&[n, w1.shape()[1]])?;
    let scores = Tensor::zeros::<f32>(&[n, w2.shape()[1]])?;
    let chances = Tensor::zeros::<f32>(&[n, w2.shape()[1]])?;
    let predicted = Tensor::zeros::<i32>(&[n])?;
    module.get_function("dense_relu")?.call_tuple((&images, &w1, &b1, &hidden))?;
    module.get_function("dense")?.call_tuple((&hidden, &w2, &b2, &scores))?;
    module.get_function("softmax")?.call_tuple((&scores, &chances))?;
    module.get_function("argmax")?.call_tuple((&chances, &predicted))?;

    let got = predicted.to_vec::<i32>()?;
    let right = got.iter().zip(&labels).filter(|(a, b)| a == b).count();
    let different = got.iter().zip(&expected).filter(|(a, b)| a != b).count();
    println!("{right} of {n} digits right, {different} predictions differ from numpy's");
    Ok(different == 0)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, library, data] = arguments.as_slice() else {
        eprintln!("usage: classify LIBRARY DATA");
        return ExitCode::from(2);
    };
    let data = match fs::read(data) {
        Ok(data) => data,
        Err(error) => {
            eprintln!("{data}: {error}");
            return ExitCode::FAILURE;
        }
    };
    match classify(library, &data) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
