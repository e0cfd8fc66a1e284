# SPDX-License-Identifier: Apache-2.0
"""A log-log plot of seconds over statements as SVG text; no plotting library needed."""

from __future__ import annotations

import math

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720, 440, 70, 50, 20, 150
COLORS = ["#1b6ca8", "#2a9d4a", "#c44536", "#7fb3d5", "#98d6a8", "#e6a097"]


def growth_plot(lines: dict[str, list[tuple[int, float]]]) -> str:
    """`lines` maps a label to its (statements, seconds) points."""
    lines = {label: points for label, points in lines.items() if points}
    xs = [x for points in lines.values() for x, _ in points]
    ys = [y for points in lines.values() for _, y in points]
    x0, x1 = math.floor(math.log10(min(xs))), math.ceil(math.log10(max(xs)))
    y0, y1 = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))

    def px(x: float) -> float:
        return LEFT + (math.log10(x) - x0) / max(x1 - x0, 1) * (WIDTH - LEFT - RIGHT)

    def py(y: float) -> float:
        return HEIGHT - BOTTOM - (math.log10(y) - y0) / max(y1 - y0, 1) * (HEIGHT - BOTTOM - TOP)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for power in range(y0, y1 + 1):
        y = py(10.0**power)
        out.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        )
        out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">1e{power} s</text>')
    for power in range(x0, x1 + 1):
        x = px(10.0**power)
        out.append(
            f'<line y1="{TOP}" y2="{HEIGHT - BOTTOM}" x1="{x:.1f}" x2="{x:.1f}" stroke="#ddd"/>'
        )
        out.append(
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{10**power:,}</text>'
        )
    out.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">statements</text>'
    )
    for index, (label, points) in enumerate(lines.items()):
        color = COLORS[index % len(COLORS)]
        path = " ".join(f"{px(x):.1f},{py(y):.1f}" for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        out += [
            f'<circle cx="{px(x):.1f}" cy="{py(y):.1f}" r="3" fill="{color}"/>' for x, y in points
        ]
        last = points[-1]
        out.append(
            f'<text x="{px(last[0]) + 8:.1f}" y="{py(last[1]) + 4:.1f}" fill="{color}">{label}</text>'
        )
    return "\n".join([*out, "</svg>"]) + "\n"
