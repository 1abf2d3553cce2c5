"""PyTorch modules, which hold the parameters; the functions of the chapters compute with these."""
