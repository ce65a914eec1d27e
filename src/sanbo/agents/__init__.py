"""The agents: each folder is one workflow's thinking. They never import each other."""
