"""One update run: crawl, decide, extract in worker processes, publish."""
