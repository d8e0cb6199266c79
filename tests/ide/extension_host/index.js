// Runs once inside the real extension host, and writes what it saw into the workspace.
// Waits on messages of the adapter and of the workbench, never on a time.
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

const TYPE = 'state-program';
const PATIENCE_MS = 20_000;

function within(what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`never seen: ${what}`)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Wait until something is so; it is looked at now, and after each event. */
function seen(what, event, isSo) {
  let listening;
  const becoming = new Promise((resolve) => {
    const look = () => isSo() && resolve();
    listening = event(look);
    look();
  });
  return within(what, becoming).finally(() => listening.dispose());
}

class Stops {
  constructor() {
    this.waiting = [];
    this.requests = [];
    vscode.debug.registerDebugAdapterTrackerFactory(TYPE, {
      createDebugAdapterTracker: () => ({
        onWillReceiveMessage: (message) => this.requests.push(message.command),
        onDidSendMessage: (message) => this.heard(message),
      }),
    });
  }

  /** A stop counts once the workbench has read its stack: until then it takes no command. */
  heard({ type, event, command, body }) {
    if (type === 'event' && event === 'stopped') this.body = body;
    if (type === 'response' && command === 'stackTrace' && this.body !== undefined) {
      const stop = { reason: this.body.reason, description: this.body.description, text: this.body.text ?? null };
      this.body = undefined;
      this.waiting.splice(0).forEach((tell) => tell(stop));
    }
  }

  /** Do something; return the stop that follows, once its frame has the focus. */
  async after(act) {
    const stopped = new Promise((resolve) => this.waiting.push(resolve));
    await act();
    const stop = await within('a stop', stopped);
    await seen('the focus on a frame', vscode.debug.onDidChangeActiveStackItem, () => {
      const item = vscode.debug.activeStackItem;
      return item?.frameId !== undefined && item.session.id === vscode.debug.activeDebugSession?.id;
    });
    return stop;
  }
}

async function frames() {
  const session = vscode.debug.activeDebugSession;
  const { stackFrames } = await session.customRequest('stackTrace', { threadId: 1 });
  return stackFrames.map((frame) => `${frame.name}:${frame.line}`);
}

async function ended(act) {
  let over;
  const listening = vscode.debug.onDidTerminateDebugSession((session) => (over = session));
  await act();
  await seen('the end of the session', vscode.debug.onDidTerminateDebugSession, () => over !== undefined);
  await seen('no session', vscode.debug.onDidChangeActiveDebugSession, () => vscode.debug.activeDebugSession === undefined);
  listening.dispose();
  return over;
}

async function tests(note) {
  const [folder] = vscode.workspace.workspaceFolders;
  const stops = new Stops();
  const recording = path.join(folder.uri.fsPath, 'booking_racy');
  const flow = vscode.Uri.file(path.join(recording, 'flow', 'flow.yaml'));
  const command = (name, ...rest) => vscode.commands.executeCommand(name, ...rest);

  const known = await vscode.commands.getCommands(true);
  const extension = vscode.extensions.getExtension('state-program.state-program-debugger');
  const contributed = extension.packageJSON.contributes.commands.map((each) => each.command);

  // "Debug Recorded Call" on the folder, on a file of it: the same recording.
  const where = {};
  for (const [name, uri] of [['folder', vscode.Uri.file(recording)], ['file', vscode.Uri.file(path.join(recording, 'manifest.json'))]]) {
    await stops.after(() => command('stateProgram.debugRecording', uri));
    where[name] = vscode.debug.activeDebugSession.configuration.recording;
    await ended(() => vscode.debug.stopDebugging());
  }
  note({ test: 'commands', missing: contributed.filter((each) => !known.includes(each)) });
  note({ test: 'recordings', ...where });

  const line = (await vscode.workspace.openTextDocument(flow)).getText().split('\n').indexOf('  confirm:');
  vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(new vscode.Location(flow, new vscode.Position(line, 0)))]);
  const begun = stops.requests.length;
  note({
    test: 'entry',
    stop: await stops.after(() =>
      vscode.debug.startDebugging(folder, { type: TYPE, request: 'launch', name: 'call', recording: '${workspaceFolder}/booking_racy' }),
    ),
  });
  const first = stops.requests.slice(begun);
  note({ test: 'handshake', requests: first.slice(0, first.indexOf('configurationDone') + 1) });
  for (const name of ['continue', 'stepOver', 'stepBack', 'reverseContinue']) {
    note({ test: name, stop: await stops.after(() => command(`workbench.action.debug.${name}`)), frames: await frames() });
  }
  await stops.after(() => command('workbench.action.debug.continue'));
  for (const name of ['reverseStepOut', 'visitBack', 'visitForward']) {
    note({ test: name, stop: await stops.after(() => command(`stateProgram.${name}`)), frames: await frames() });
  }
  const slot = { name: 'time', evaluateName: 'slots["time"]' };
  const wrote = await stops.after(() => void command('stateProgram.whoWrote', { variable: slot }));
  note({ test: 'whoWrote', stop: wrote, frames: await frames() });
  const closed = await ended(() => vscode.debug.stopDebugging());
  note({ test: 'end', type: closed.type });
}

exports.activate = async () => {
  const file = path.join(vscode.workspace.workspaceFolders[0].uri.fsPath, 'extension-host.jsonl');
  const lines = [];
  const note = (seen) => lines.push(JSON.stringify(seen));
  try {
    await tests(note);
    note({ done: true });
  } catch (error) {
    note({ failed: String(error.stack ?? error) });
  }
  fs.writeFileSync(`${file}.part`, `${lines.join('\n')}\n`);
  fs.renameSync(`${file}.part`, file);
};
