// The status bar item: where the call in focus stands, and which way it came there.
import * as vscode from 'vscode';
import type { Calls } from './calls';

export function registerStatusBar(context: vscode.ExtensionContext, calls: Calls): void {
  const item = vscode.window.createStatusBarItem('stateProgram.place', vscode.StatusBarAlignment.Left, 100);
  item.name = 'Place in the recorded call';
  item.command = 'stateProgram.moves';
  item.tooltip = 'Where the recorded call stands: ▶ came forwards, ◀ came backwards. Click to move.';
  const show = (): void => {
    const session = calls.active;
    const place = session && calls.placeOf(session);
    if (place === undefined || place.text === '') {
      item.hide();
      return;
    }
    item.text = `$(pulse) ${place.text}`;
    item.accessibilityInformation = { label: `Recorded call: ${spoken(place.text)}`, role: 'button' };
    item.show();
  };
  context.subscriptions.push(
    item,
    calls.onDidMove(show),
    vscode.debug.onDidChangeActiveDebugSession(show),
    vscode.debug.onDidTerminateDebugSession(show),
  );
}

function spoken(text: string): string {
  return text.replace('▶', 'came forwards to').replace('◀', 'came backwards to');
}
