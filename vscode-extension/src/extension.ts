// Wires only: what the extension contributes, each part in its own file.
import * as vscode from 'vscode';
import { AdapterSetup } from './adapterSetup';
import { Calls } from './calls';
import { Configurations } from './configuration';
import { registerDrift } from './drift';
import { InlineValues } from './inlineValues';
import { Moves } from './moves';
import { registerStatusBar } from './statusBar';
import { registerTimeline } from './timelinePanel';

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Recorded Call', { log: true });
  context.subscriptions.push(log);
  const setup = new AdapterSetup(context, log);
  const calls = new Calls();
  setup.register();
  calls.register(context);
  new Configurations(setup).register(context);
  new Moves(calls).register(context);
  new InlineValues(calls).register(context);
  registerStatusBar(context, calls);
  registerDrift(context, calls);
  registerTimeline(context);
}
