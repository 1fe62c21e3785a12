"""flowcheck: which hidden states of a target reach a draft's fc, proved from the source."""
