// The slots' values beside the lines of the flow file that name them, as of the frame in focus.
import * as vscode from 'vscode';
import { variablesOf, type Calls, type Variable } from './calls';
import { slotMentions } from './slotNames';

const LANGUAGES = ['yaml', 'json', 'jsonc', 'python'];
const VALUE_LENGTH_MAX = 40;

export class InlineValues implements vscode.InlineValuesProvider {
  constructor(private readonly calls: Calls) {}

  register(context: vscode.ExtensionContext): void {
    context.subscriptions.push(vscode.languages.registerInlineValuesProvider(LANGUAGES, this));
  }

  async provideInlineValues(
    document: vscode.TextDocument,
    viewPort: vscode.Range,
    context: vscode.InlineValueContext,
  ): Promise<vscode.InlineValue[]> {
    const session = this.calls.active;
    const wanted = vscode.workspace.getConfiguration('stateProgram').get('inlineValues', true);
    if (session === undefined || !wanted) return [];
    const slots = new Map((await slotsAt(session, context.frameId)).map((row) => [row.name, row]));
    const names = new Set(slots.keys());
    const values: vscode.InlineValue[] = [];
    for (let line = viewPort.start.line; line <= Math.min(viewPort.end.line, document.lineCount - 1); line += 1) {
      for (const { slot, start, end } of slotMentions(document.lineAt(line).text, names)) {
        const range = new vscode.Range(line, start, line, end);
        values.push(new vscode.InlineValueText(range, `${slot} = ${shown(slots.get(slot))}`));
      }
    }
    return values;
  }
}

async function slotsAt(session: vscode.DebugSession, frameId: number): Promise<Variable[]> {
  try {
    const answer: unknown = await session.customRequest('scopes', { frameId });
    const { scopes } = answer as { scopes: { name: string; variablesReference: number }[] };
    const reference = scopes.find((scope) => scope.name === 'Slots')?.variablesReference;
    return reference === undefined ? [] : await variablesOf(session, reference);
  } catch {
    return []; // The frame is gone: the session moved on.
  }
}

/** A value beside a line; why one is unavailable stands in the Variables view. */
function shown(row: Variable | undefined): string {
  const value = row?.type === 'unavailable' ? row.type : (row?.value ?? '');
  return value.length > VALUE_LENGTH_MAX ? `${value.slice(0, VALUE_LENGTH_MAX - 1)}…` : value;
}
