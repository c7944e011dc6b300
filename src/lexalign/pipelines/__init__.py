"""From files to files: what the command line, the experiments and the explorer call."""
