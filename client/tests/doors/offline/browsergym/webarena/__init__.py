"""In place of BrowserGym's WebArena, which AgentLab imports and which downloads data when it is imported."""
