"""Value-flow analysis: where a tracked value goes, through code of which most is unknown."""
