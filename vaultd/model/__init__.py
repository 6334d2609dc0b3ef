"""The shared words: frozen values that every layer speaks."""
