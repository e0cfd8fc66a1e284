// SPDX-License-Identifier: Apache-2.0
//! Programs that the compiler must refuse, and what it says. `TRYBUILD=overwrite` writes the texts anew.

#[test]
fn programs_are_refused_with_these_words() {
    // A failure leaves the actual text in `wip`, not in the source.
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
