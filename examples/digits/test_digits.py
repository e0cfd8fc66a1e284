# SPDX-License-Identifier: Apache-2.0
"""Runs the demo as a user does and reads what it prints."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def test_three_languages_agree_with_numpy(tmp_path):
    result = subprocess.run(
        [sys.executable, str(HERE / "digits.py"), "--out", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    accuracy = dict(re.findall(r"^(numpy|kiln)\s+([\d.]+)%", result.stdout, re.MULTILINE))
    assert accuracy["numpy"] == accuracy["kiln"]
    assert float(accuracy["kiln"]) > 88
    assert "predictions that differ from numpy's: 0" in result.stdout
    assert "def softmax" in result.stdout
    languages = ["C++"] + (["Rust"] if shutil.which("cargo") else [])
    for language in languages:
        assert re.search(
            rf"^{re.escape(language)}: \d+ of 1797 digits right, 0 predictions differ",
            result.stdout,
            re.MULTILINE,
        ), result.stdout
