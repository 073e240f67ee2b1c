#!/usr/bin/env python3
"""Cuts a weight of Inter down to what the page can show, with tabular digits: font.py IN.otf OUT.otf

Dear ImGui takes glyphs through the character map only and ignores OpenType features, so the digits of the `tnum` feature
are put into the map in place of the proportional ones: columns of numbers line up and a changing number does not jump.
"""
import sys

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont


def code_points():
    """Russian, Kazakh, English; signs of numbers, prices and verdicts; spaces that keep a number with its unit."""
    chosen = set(range(0x20, 0x7F)) | set(range(0xA0, 0x100)) | set(range(0x410, 0x450)) | {0x401, 0x451}
    kazakh = "ӘәҒғҚқҢңӨөҰұҮүҺһІі"
    dashes_quotes = "‐‑‒–—‘’‚“”„†•…‰′″‹›"
    spaces = "\u2007\u2009\u200a\u202f"
    signs = "₸₽€№™−×÷≈≠≤≥√∞∑∆⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉"
    marks = "←↑→↓↔↗↘■□▲△▶▷▼▽◀◁●○◆◇✓✗⚠"
    return chosen | {ord(c) for c in kazakh + dashes_quotes + spaces + signs + marks}


def tabular_digits(font):
    """Points the digits of the character map at the glyphs that the tnum feature would have chosen."""
    gsub = font["GSUB"].table
    lookups = {i for r in gsub.FeatureList.FeatureRecord if r.FeatureTag == "tnum" for i in r.Feature.LookupListIndex}
    swap = {}
    for index in lookups:
        for subtable in gsub.LookupList.Lookup[index].SubTable:
            swap.update(getattr(getattr(subtable, "ExtSubTable", subtable), "mapping", {}))
    tabular = {ord(digit): swap[font.getBestCmap()[ord(digit)]] for digit in "0123456789"}
    for table in font["cmap"].tables:
        table.cmap.update(tabular)


def line_metrics(font):
    """A line of 1.2 em with the capitals in its middle, so that text sits centred in buttons (web/ui/font.h)."""
    em, capital = font["head"].unitsPerEm, font["OS/2"].sCapHeight
    font["hhea"].ascent = round((1.2 * em + capital) / 2)
    font["hhea"].descent = font["hhea"].ascent - round(1.2 * em)
    font["hhea"].lineGap = 0


def main(source, target):
    font = TTFont(source, recalcTimestamp=False)  # the same bytes at every build
    tabular_digits(font)
    line_metrics(font)
    options = Options()
    options.layout_features = []
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "DSIG", "STAT"]
    options.name_IDs = []
    options.glyph_names = False
    options.hinting = False
    options.desubroutinize = True
    options.notdef_outline = True
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=code_points())
    subsetter.subset(font)
    missing = sorted(code_points() - set(font.getBestCmap()))
    if missing:
        sys.exit("font.py: " + source + " has no " + " ".join(f"U+{c:04X} {chr(c)}" for c in missing))
    font["post"].formatType = 3.0
    font.save(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
