"""Where blocks compute: threads, processes that can be killed, or a cluster."""
