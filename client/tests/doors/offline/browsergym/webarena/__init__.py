"""A replacement for BrowserGym's WebArena, which AgentLab imports and which downloads data on import."""
