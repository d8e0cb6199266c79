// Debug configurations: made from what is open, completed, and refused with a next step.
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import type { AdapterSetup } from './adapterSetup';
import type { Adapter } from './adapters';
import { chosenRecording, recordingAt, recordingOfActiveFile, recordingsBelow } from './recordingChoice';
import { recordingName, recordingOf, type Recording } from './recordings';

export const DEBUG_TYPE = 'state-program';

/** What the adapter offers beside a launch error: the extension's own commands. */
const ERROR_LINKS = {
  place: { label: 'Open the Place', url: 'command:stateProgram.openPlace?{error}' },
  otherwise: { label: 'Choose Another Recording…', url: 'command:stateProgram.debugAnother?{error}' },
};

export class Configurations implements vscode.DebugConfigurationProvider {
  constructor(private readonly setup: AdapterSetup) {}

  register(context: vscode.ExtensionContext): void {
    const offered: vscode.DebugConfigurationProvider = {
      provideDebugConfigurations: (folder) => this.offered(folder),
    };
    context.subscriptions.push(
      vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, this),
      vscode.debug.registerDebugConfigurationProvider(
        DEBUG_TYPE,
        offered,
        vscode.DebugConfigurationProviderTriggerKind.Dynamic,
      ),
      vscode.debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, {
        createDebugAdapterDescriptor: (session) => descriptor(session.configuration),
      }),
      vscode.commands.registerCommand('stateProgram.debugRecording', (uri?: vscode.Uri) => debugRecording(uri)),
      vscode.commands.registerCommand('stateProgram.debugAnother', () => debugRecording(undefined)),
      vscode.commands.registerCommand('stateProgram.openPlace', (error?: ErrorPlace) => openPlace(error)),
    );
  }

  /** The entries of a new launch.json. */
  provideDebugConfigurations(folder: vscode.WorkspaceFolder | undefined): Promise<vscode.DebugConfiguration[]> {
    return this.offered(folder);
  }

  async resolveDebugConfiguration(
    folder: vscode.WorkspaceFolder | undefined,
    config: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    const isEmpty = !config.type && !config.request && !config.name;
    const named = config['recording'];
    if (!isEmpty && typeof named === 'string' && named !== '') return config;
    const recording = recordingOfActiveFile() ?? (await chosenRecording(folder));
    if (recording === undefined) return undefined;
    return { ...config, ...launchOf(recording, folder), ...(config.name ? { name: config.name } : {}) };
  }

  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    config: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    const recording = await existing(String(config['recording']), folder);
    if (recording === undefined) return undefined;
    const adapter = await this.setup.adapter(folder);
    if (adapter === undefined) return undefined;
    return {
      flowRoot: folder?.uri.fsPath,
      ...config,
      recording,
      errorLinks: ERROR_LINKS,
      __adapter: adapter,
    };
  }

  private async offered(folder: vscode.WorkspaceFolder | undefined): Promise<vscode.DebugConfiguration[]> {
    const root = folder?.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
    const found = root === undefined ? [] : await recordingsBelow(root);
    const offered = found.map((recording) => launchOf(recording, folder));
    if (offered.length > 0) return offered;
    return [{ type: DEBUG_TYPE, request: 'launch', name: 'Recorded call', recording: '${workspaceFolder}/recordings/call' }];
  }
}

function launchOf(recording: Recording, folder: vscode.WorkspaceFolder | undefined): vscode.DebugConfiguration {
  const root = folder?.uri.fsPath;
  const name = recordingName(recording.path, root);
  const isBelow = root !== undefined && !isAbsolute(name) && existsSync(join(root, name));
  return {
    type: DEBUG_TYPE,
    request: 'launch',
    name: `Recorded call ${name}`,
    recording: isBelow ? `\${workspaceFolder}/${name}` : recording.path,
  };
}

/** The path to launch: a file of a session directory becomes the directory. Says so where nothing is there. */
async function existing(named: string, folder: vscode.WorkspaceFolder | undefined): Promise<string | undefined> {
  const path = isAbsolute(named) || folder === undefined ? named : join(folder.uri.fsPath, named);
  if (existsSync(path)) return recordingOf(path, folder?.uri.fsPath)?.path ?? path;
  const button = 'Choose Another Recording…';
  const text = `There is no recording at ${path}. Name a session directory, an artifact or an importable file.`;
  if ((await vscode.window.showErrorMessage(text, button)) !== button) return undefined;
  return (await chosenRecording(folder))?.path;
}

function descriptor(config: vscode.DebugConfiguration): vscode.DebugAdapterDescriptor | undefined {
  const adapter = config['__adapter'] as Adapter | undefined;
  return adapter && new vscode.DebugAdapterExecutable(adapter.command, [...adapter.args]);
}

async function debugRecording(uri: vscode.Uri | undefined): Promise<void> {
  const folder = uri && vscode.workspace.getWorkspaceFolder(uri);
  const recording = uri === undefined ? await chosenRecording(folder) : await recordingAt(uri);
  if (recording !== undefined) {
    await vscode.debug.startDebugging(folder, launchOf(recording, folder));
    return;
  }
  if (uri === undefined) return;
  const button = 'Choose Another Recording…';
  const text = `${uri.fsPath} is no recording and belongs to none: a session directory holds manifest.json and trace_events.jsonl.`;
  if ((await vscode.window.showWarningMessage(text, button)) === button) await debugRecording(undefined);
}

/** What the adapter says of a launch error's place. */
interface ErrorPlace {
  readonly recording?: string | null;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

async function openPlace(error: ErrorPlace | undefined): Promise<void> {
  if (error?.file === undefined) return debugRecording(undefined);
  const path = isAbsolute(error.file) ? error.file : join(error.recording ?? '', error.file);
  if (!existsSync(path)) {
    await vscode.commands.executeCommand('revealInExplorer', vscode.Uri.file(error.recording ?? path));
    return;
  }
  const place = new vscode.Position(Math.max(0, (error.line ?? 1) - 1), Math.max(0, (error.column ?? 1) - 1));
  await vscode.window.showTextDocument(vscode.Uri.file(path), { selection: new vscode.Range(place, place) });
}
