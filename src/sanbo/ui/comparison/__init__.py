"""What the page of comparisons is made of: what is compared, the work, what came out."""
