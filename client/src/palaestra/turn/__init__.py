"""The parts of one turn: from a completion to the recorded step."""
