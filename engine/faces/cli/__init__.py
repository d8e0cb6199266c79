"""The command line face: `spd`, one JSON object or one readable answer a command."""
