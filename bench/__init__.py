"""Measures tebunko against other programs, in one run on one corpus; see docs/speed.md."""
