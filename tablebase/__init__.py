"""Chess endgame tablebases: generate, store and probe exact distances to mate."""
