"""PowerPoint: slides as pages, with their tables, figures and notes."""
