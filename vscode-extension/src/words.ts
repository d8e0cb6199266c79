// The sentences that the extension says, and the buttons beside them. No window in here.
import type { Missing } from './adapters';

export type Button = 'Choose spd-dap…' | 'How to Install' | 'Copy the Command' | 'Open the Settings' | 'Get Python';

export interface Said {
  readonly text: string;
  readonly buttons: readonly Button[];
  /** What 'Copy the Command' copies. */
  readonly command?: string;
}

/** What to say where no adapter can be started. */
export function missingAdapter(missing: Missing): Said {
  switch (missing.reason) {
    case 'setting':
      return {
        text: `The setting stateProgram.adapter.path names ${missing.path}, and there is no program. Choose the spd-dap to start, or empty the setting.`,
        buttons: ['Choose spd-dap…', 'Open the Settings'],
      };
    case 'broken':
      return {
        text: `${missing.adapter.command} (from ${missing.adapter.origin}) does not start: ${sentence(missing.said)} Install it anew, or choose another one.`,
        buttons: ['Choose spd-dap…', 'How to Install'],
      };
    case 'no adapter': {
      const command = `${quoted(missing.interpreter)} -m pip install PATH/TO/state-program-debugger`;
      return {
        text: `The debug adapter spd-dap is not installed for ${missing.interpreter}, not on PATH and not in .venv. In a terminal, run: ${command} — or choose an spd-dap that you have.`,
        buttons: ['Choose spd-dap…', 'Copy the Command', 'How to Install'],
        command,
      };
    }
    case 'no python':
      return {
        text: 'The debug adapter spd-dap needs Python 3.11 or newer, and no Python was found on PATH. Install Python, then spd-dap; or choose an spd-dap that you have.',
        buttons: ['Get Python', 'Choose spd-dap…', 'How to Install'],
      };
  }
}

/** A text that ends like a sentence. */
function sentence(text: string): string {
  const trimmed = text.trim() || 'it says nothing';
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

function quoted(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `"${path}"`;
}
