"""What judged answers say, and how surely: pure functions over arrays. Heavy to import: for workers alone."""
