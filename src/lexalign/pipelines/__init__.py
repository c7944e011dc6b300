"""From files to files: functions for the command line, the experiments and the explorer."""
