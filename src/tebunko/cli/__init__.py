"""The command line: one module a command group; it calls `tebunko.api` and nothing else of ours."""
