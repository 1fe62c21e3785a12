"""The analyzer: from source text to wirings."""
