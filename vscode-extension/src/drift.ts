// A flow file that is not the flow that ran: one message, with the comparison as its button.
import * as vscode from 'vscode';
import type { Calls } from './calls';

const COMPARE = 'Compare';
const AS_IT_RAN = 'Show the Flow as It Ran';

interface Drift {
  readonly path: string;
  readonly name: string;
  readonly sourceReference: number;
}

export function registerDrift(context: vscode.ExtensionContext, calls: Calls): void {
  const drifts = new Map<string, Drift>();
  context.subscriptions.push(
    calls.onDidDrift(({ session, notice }) => {
      drifts.set(session.id, notice);
      void warn(session, notice);
    }),
    vscode.debug.onDidTerminateDebugSession((session) => drifts.delete(session.id)),
    vscode.commands.registerCommand('stateProgram.compareFlow', async () => {
      const session = calls.active;
      const drift = session && drifts.get(session.id);
      if (session === undefined || drift === undefined) {
        void vscode.window.showInformationMessage('The flow file that is shown is the flow that ran in this call.');
        return;
      }
      await compare(session, drift);
    }),
  );
}

async function warn(session: vscode.DebugSession, drift: Drift): Promise<void> {
  const text = `${drift.name} was changed after this call: it is not the flow that ran, so lines may not match.`;
  const pressed = await vscode.window.showWarningMessage(text, COMPARE, AS_IT_RAN);
  if (pressed === COMPARE) await compare(session, drift);
  if (pressed === AS_IT_RAN) await restartAsItRan(session);
}

async function compare(session: vscode.DebugSession, drift: Drift): Promise<void> {
  const ran = vscode.debug.asDebugSourceUri(
    { name: drift.name, path: drift.name, sourceReference: drift.sourceReference },
    session,
  );
  const title = `${drift.name}: as it ran ↔ now`;
  await vscode.commands.executeCommand('vscode.diff', ran, vscode.Uri.file(drift.path), title);
}

async function restartAsItRan(session: vscode.DebugSession): Promise<void> {
  const again = { ...session.configuration, sourcePolicy: 'recorded' };
  await vscode.debug.stopDebugging(session);
  await vscode.debug.startDebugging(session.workspaceFolder, again);
}
