// The calls that are being debugged: where each stands, told by its adapter's own messages.
import * as vscode from 'vscode';
import { DEBUG_TYPE } from './configuration';

/** Where a call stands, as its last stop said. */
export interface Place {
  /** Like `◀ #54 00:19.3 get_time`. */
  readonly text: string;
  readonly isRunning: boolean;
}

interface Notice {
  readonly notice: 'flow_drift';
  readonly path: string;
  readonly name: string;
  readonly sourceReference: number;
}

/** The parts of the protocol's messages that are read here. */
interface AdapterMessage {
  readonly type?: string;
  readonly event?: string;
  readonly body?: {
    readonly description?: string;
    readonly text?: string | null;
    readonly data?: Notice;
  };
}

const POSITION = /^[▶◀] #-?\d+/u;

export class Calls implements vscode.DebugAdapterTrackerFactory {
  private readonly places = new Map<string, Place>();
  private readonly moved = new vscode.EventEmitter<vscode.DebugSession>();
  private readonly drifted = new vscode.EventEmitter<{ session: vscode.DebugSession; notice: Notice }>();

  /** A call moved, or the session that is looked at changed. */
  readonly onDidMove = this.moved.event;
  /** A call's flow file is not the flow that ran. */
  readonly onDidDrift = this.drifted.event;

  register(context: vscode.ExtensionContext): void {
    context.subscriptions.push(
      this.moved,
      this.drifted,
      vscode.debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, this),
      vscode.debug.onDidTerminateDebugSession((session) => this.places.delete(session.id)),
    );
  }

  createDebugAdapterTracker(session: vscode.DebugSession): vscode.DebugAdapterTracker {
    return { onDidSendMessage: (message: AdapterMessage) => this.heard(session, message) };
  }

  /** The call in focus; undefined where another debugger is. */
  get active(): vscode.DebugSession | undefined {
    const session = vscode.debug.activeDebugSession;
    return session?.type === DEBUG_TYPE ? session : undefined;
  }

  placeOf(session: vscode.DebugSession): Place | undefined {
    return this.places.get(session.id);
  }

  private heard(session: vscode.DebugSession, { type, event, body }: AdapterMessage): void {
    if (type !== 'event') return;
    if (event === 'stopped') {
      this.places.set(session.id, { text: placeText(body?.description ?? '', body?.text ?? ''), isRunning: false });
      this.moved.fire(session);
    } else if (event === 'continued') {
      const before = this.places.get(session.id);
      this.places.set(session.id, { text: before?.text ?? '', isRunning: true });
    } else if (event === 'output' && body?.data?.notice === 'flow_drift') {
      this.drifted.fire({ session, notice: body.data });
    }
  }
}

/** Where a stop is, in one line: an end is named beside its position, the start instead of it. */
function placeText(description: string, note: string): string {
  if (POSITION.test(description) || !POSITION.test(note)) return description;
  return note.includes('#-1') ? `${note.charAt(0)} ${description}` : `${note} · ${description}`;
}

/** What the adapter's console answered. */
export interface Answer {
  readonly result: string;
  readonly variablesReference: number;
}

export interface Variable {
  readonly name: string;
  readonly value: string;
  readonly type?: string;
}

/** Say a verb to the adapter's console. Raises what it refuses, as a sentence. */
export async function say(session: vscode.DebugSession, line: string): Promise<Answer> {
  const answer: unknown = await session.customRequest('evaluate', { expression: line, context: 'repl' });
  return answer as Answer;
}

export async function variablesOf(session: vscode.DebugSession, reference: number): Promise<Variable[]> {
  const answer: unknown = await session.customRequest('variables', { variablesReference: reference });
  return (answer as { variables: Variable[] }).variables;
}
