// The moves that the protocol has no button for. Each is a verb of the adapter's console.
import * as vscode from 'vscode';
import { say, variablesOf, type Calls } from './calls';
import { slotOfVariable } from './slotNames';

/** What a menu of the Variables view gives to a command. */
interface VariableContext {
  readonly variable?: { readonly name: string; readonly evaluateName?: string };
}

const UNITS: readonly vscode.QuickPickItem[] = [
  { label: 'event', detail: 'One event of the call' },
  { label: 'beat', detail: 'To the next kind of evidence: entry, agent output, caller input, work, guards, exit' },
  { label: 'visit', detail: 'To the next visit of a state' },
];

const DIRECTIONS: readonly vscode.QuickPickItem[] = [
  { label: 'forward', detail: 'Continue, Step Over, Step Into and Step Out go on' },
  { label: 'reverse', detail: 'Continue, Step Over, Step Into and Step Out go back' },
];

const MOVES: readonly { readonly label: string; readonly command: string }[] = [
  { label: '$(debug-step-back) Step back', command: 'workbench.action.debug.stepBack' },
  { label: '$(debug-reverse-continue) Reverse to the breakpoint before', command: 'workbench.action.debug.reverseContinue' },
  { label: '$(debug-step-out) Reverse step out: to where this visit was entered', command: 'stateProgram.reverseStepOut' },
  { label: '$(arrow-left) Back to the visit before', command: 'stateProgram.visitBack' },
  { label: '$(arrow-right) Forward to the next visit', command: 'stateProgram.visitForward' },
  { label: '$(watch) Go to a time or place…', command: 'stateProgram.goToTime' },
  { label: '$(warning) Go to a finding…', command: 'stateProgram.goToFinding' },
  { label: '$(history) Rewind to a duplicate playback', command: 'stateProgram.rewindToDuplicate' },
  { label: '$(symbol-ruler) Choose how far a step goes…', command: 'stateProgram.stepUnit' },
  { label: '$(arrow-swap) Choose which way steps go…', command: 'stateProgram.direction' },
  { label: '$(pulse) Show the call timeline', command: 'stateProgram.showTimeline' },
];

const SEVERITY_ICONS: Readonly<Record<string, string>> = { error: 'error', warning: 'warning', info: 'info' };

export class Moves {
  constructor(private readonly calls: Calls) {}

  register(context: vscode.ExtensionContext): void {
    const on = (name: string, act: (session: vscode.DebugSession, argument: unknown) => Promise<void>): void => {
      const run = (argument: unknown): Promise<void> => this.withCall((session) => act(session, argument));
      context.subscriptions.push(vscode.commands.registerCommand(`stateProgram.${name}`, run));
    };
    on('reverseStepOut', (session) => move(session, 'rout'));
    on('visitBack', (session) => move(session, 'back visit'));
    on('visitForward', (session) => move(session, 'ahead visit'));
    on('goToTime', goToTime);
    on('goToFinding', goToFinding);
    on('rewindToDuplicate', rewindToDuplicate);
    on('stepUnit', (session) => choose(session, 'unit', UNITS, 'How far does a step go?'));
    on('direction', (session) => choose(session, 'dir', DIRECTIONS, 'Which way do steps go?'));
    on('whoWrote', (session, argument) => whoWrote(session, argument as VariableContext | undefined));
    context.subscriptions.push(vscode.commands.registerCommand('stateProgram.moves', () => this.showMoves()));
  }

  /** Do something with the call in focus; what the adapter refuses is shown as it says it. */
  private async withCall(act: (session: vscode.DebugSession) => Promise<void>): Promise<void> {
    const session = this.calls.active;
    if (session === undefined) {
      void vscode.window.showInformationMessage('No recorded call is being debugged. Start one first.');
      return;
    }
    try {
      await act(session);
    } catch (error) {
      void vscode.window.showWarningMessage(error instanceof Error ? error.message : String(error));
    }
  }

  private async showMoves(): Promise<void> {
    const session = this.calls.active;
    const title = (session && this.calls.placeOf(session)?.text) ?? 'Recorded call';
    const chosen = await vscode.window.showQuickPick(MOVES, { title, placeHolder: 'Where to?' });
    if (chosen !== undefined) await vscode.commands.executeCommand(chosen.command);
  }
}

async function move(session: vscode.DebugSession, line: string): Promise<void> {
  await say(session, line);
}

async function goToTime(session: vscode.DebugSession): Promise<void> {
  const place = await vscode.window.showInputBox({
    title: 'Go to a Time or Place',
    prompt: 'A time 01:42.3, an event #812, a visit menu#2, a share 50%, a finding or a mark',
    placeHolder: '01:42.3',
  });
  if (place?.trim()) await move(session, `goto ${place.trim()}`);
}

async function goToFinding(session: vscode.DebugSession): Promise<void> {
  const { variablesReference, result } = await say(session, 'findings');
  const rows = variablesReference > 0 ? await variablesOf(session, variablesReference) : [];
  if (rows.length === 0) {
    void vscode.window.showInformationMessage(result);
    return;
  }
  const items = rows
    .filter(({ name }) => name.includes('#'))
    .map(({ name, value, type }) => {
      const [severity = '', place = '', ...sentence] = value.split(' · ');
      const here = type === severity ? '' : ` — ${type ?? ''}`;
      return { label: `$(${SEVERITY_ICONS[severity] ?? 'info'}) ${name}`, description: place + here, detail: sentence.join(' · '), name };
    });
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Go to a Finding',
    placeHolder: 'What is notable in this call',
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (chosen !== undefined) await move(session, `goto ${chosen.name}`);
}

async function rewindToDuplicate(session: vscode.DebugSession): Promise<void> {
  const { result } = await say(session, 'duplicate');
  void vscode.window.showInformationMessage(result.split('\n').join(' · '));
}

async function choose(
  session: vscode.DebugSession,
  verb: 'unit' | 'dir',
  choices: readonly vscode.QuickPickItem[],
  title: string,
): Promise<void> {
  const now = (await say(session, verb)).result.split(' ').at(-1);
  const items = choices.map((item) => ({ ...item, ...(item.label === now ? { description: 'now' } : {}) }));
  const chosen = await vscode.window.showQuickPick(items, { title });
  if (chosen === undefined) return;
  const { result } = await say(session, `${verb} ${chosen.label}`);
  vscode.window.setStatusBarMessage(`Recorded call: ${result}`, 4000);
}

async function whoWrote(session: vscode.DebugSession, context: VariableContext | undefined): Promise<void> {
  const slot = context?.variable ? slotOfVariable(context.variable) : await askedSlot();
  if (!slot) return;
  const { result } = await say(session, `last ${slot}`);
  const why = `Why This Value?`;
  if ((await vscode.window.showInformationMessage(result, why)) !== why) return;
  const chain = await say(session, `why ${slot}`);
  vscode.debug.activeDebugConsole.appendLine(chain.result);
  await vscode.commands.executeCommand('workbench.debug.action.focusRepl');
}

async function askedSlot(): Promise<string | undefined> {
  return vscode.window.showInputBox({ title: 'Who Wrote This Slot?', prompt: "The slot's name" });
}
