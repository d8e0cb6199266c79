"""State Program Debugger: the engine that every face (CLI, IDE, page) asks."""
