"""What Node.js and an office program make of our files, and the pages as they were built."""
