"""What starts plans by itself: times, folders, webhooks, the end of another plan."""
