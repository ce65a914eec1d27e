"""What steps do: one module a tool."""
