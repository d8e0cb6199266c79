// Which recording a user means: what they point at, what is open, or what they pick from a list.
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { fileAsRecording, isSessionDirectory, recordingName, recordingOf, type Recording } from './recordings';

const LISTED_MAX = 200;
const EVERYWHERE = '**/{manifest.json,trace_events.jsonl,*.whisk,checkpoints.sqlite,*artifact*.json}';
const SKIPPED = '**/{node_modules,.venv,.git}/**';

interface Choice extends vscode.QuickPickItem {
  readonly recording?: Recording;
  readonly browses?: 'folder' | 'file';
}

/** The recording that a file or folder is, is in, or holds; a list where it holds several. */
export async function recordingAt(uri: vscode.Uri): Promise<Recording | undefined> {
  const root = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath;
  const itself = recordingOf(uri.fsPath, root);
  if (itself !== undefined) return itself;
  const isFolder = ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.Directory) !== 0;
  if (!isFolder) return undefined;
  const inside = await recordingsBelow(uri);
  return inside.length === 1 ? inside[0] : inside.length > 1 ? picked(inside, uri.fsPath) : undefined;
}

/** The recording of the file in the active tab, whatever editor shows it. */
export function recordingOfActiveFile(): Recording | undefined {
  const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const uri =
    input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom
      ? input.uri
      : vscode.window.activeTextEditor?.document.uri;
  if (uri === undefined || uri.scheme !== 'file') return undefined;
  return recordingOf(uri.fsPath, vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath);
}

/** The only recording of the workspace, or the one that the user picks. */
export async function chosenRecording(folder: vscode.WorkspaceFolder | undefined): Promise<Recording | undefined> {
  const root = folder?.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  const found = root === undefined ? [] : await recordingsBelow(root);
  return found.length === 1 ? found[0] : picked(found, root?.fsPath);
}

/** Every recording below a folder, by name. */
export async function recordingsBelow(folder: vscode.Uri): Promise<Recording[]> {
  const pattern = new vscode.RelativePattern(folder, EVERYWHERE);
  const files = await vscode.workspace.findFiles(pattern, SKIPPED, LISTED_MAX);
  const found = new Map<string, Recording>();
  for (const { fsPath } of files) {
    const above = dirname(fsPath);
    const recording: Recording | undefined = isSessionDirectory(above)
      ? { kind: 'session directory', path: above }
      : fileAsRecording(fsPath);
    if (recording !== undefined) found.set(recording.path, recording);
  }
  return [...found.values()].sort((a, b) => a.path.localeCompare(b.path));
}

async function picked(recordings: readonly Recording[], root: string | undefined): Promise<Recording | undefined> {
  const items: Choice[] = recordings.map((recording) => ({
    label: `$(${recording.kind === 'session directory' ? 'folder' : 'file'}) ${recordingName(recording.path, root)}`,
    description: recording.kind,
    recording,
  }));
  if (items.length > 0) items.push({ label: '', kind: vscode.QuickPickItemKind.Separator });
  items.push(
    { label: '$(folder-opened) Open a session directory…', browses: 'folder' },
    { label: '$(go-to-file) Open an artifact or another file…', browses: 'file' },
  );
  const choice = await vscode.window.showQuickPick(items, {
    title: 'Debug a Recorded Call',
    placeHolder: recordings.length > 0 ? 'Which call?' : 'No recording was found in this folder. Choose one:',
    matchOnDescription: true,
  });
  if (choice === undefined || choice.recording !== undefined) return choice?.recording;
  const isFolder = choice.browses === 'folder';
  const [uri] =
    (await vscode.window.showOpenDialog({
      canSelectFolders: isFolder,
      canSelectFiles: !isFolder,
      openLabel: 'Debug This Call',
    })) ?? [];
  if (uri === undefined) return undefined;
  return recordingOf(uri.fsPath) ?? { kind: isFolder ? 'session directory' : 'importable file', path: uri.fsPath };
}
