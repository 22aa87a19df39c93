"""The parts of the number format compiler; its door is `tebunko.extract.excel.number_format`."""
