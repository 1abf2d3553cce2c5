"""Applications of the building blocks: layers of networks, and the fits of data that are done without one."""
