"""What leaves this machine: requests to listed hosts, notices, mail. Closed by default."""
