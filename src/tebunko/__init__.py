"""tebunko: finds the cell, the page or the slide in folders of office documents."""

__version__ = "0.1.0"
