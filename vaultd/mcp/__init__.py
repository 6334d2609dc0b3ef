"""The vault for AI agents: the Model Context Protocol over standard input and output."""
