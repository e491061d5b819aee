"""Draws what pacbench computed: figures (matplotlib) and the HTML report (plotly).

Reads one document of the format pacbench.figures/1.
Computes no result of its own.
"""
