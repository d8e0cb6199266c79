// The adapter of a session: found on this machine, or one message that says what to do.
import * as vscode from 'vscode';
import { findAdapter, type Adapter, type Missing } from './adapters';
import { missingAdapter, type Button } from './words';

const INSTALL_GUIDE = 'https://www.python.org/downloads/';

/** The part of the Python extension's API that is used here. */
interface PythonApi {
  readonly environments?: {
    getActiveEnvironmentPath?(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment?(path: { readonly path: string }): Promise<
      { readonly executable?: { readonly uri?: vscode.Uri } } | undefined
    >;
  };
}

export class AdapterSetup {
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  register(): void {
    this.context.subscriptions.push(
      vscode.commands.registerCommand('stateProgram.chooseAdapter', () => this.choose()),
    );
  }

  /** The adapter to start; undefined where there is none and the user gave up. */
  async adapter(folder: vscode.WorkspaceFolder | undefined): Promise<Adapter | undefined> {
    for (;;) {
      const found = await findAdapter({
        setting: setting(folder),
        interpreter: await interpreter(folder?.uri),
        searchPath: process.env['PATH'] ?? '',
        folders: (vscode.workspace.workspaceFolders ?? []).map((each) => each.uri.fsPath),
        isWindows: process.platform === 'win32',
      });
      if ('adapter' in found) {
        this.log.info(`adapter: ${found.adapter.command} (from ${found.adapter.origin})`);
        return found.adapter;
      }
      if (!(await this.isMended(found.missing))) return undefined;
    }
  }

  /** Say what is missing; whether the user chose an adapter, so that looking again makes sense. */
  private async isMended(missing: Missing): Promise<boolean> {
    const said = missingAdapter(missing);
    this.log.warn(said.text);
    const pressed: Button | undefined = await vscode.window.showErrorMessage(said.text, ...said.buttons);
    switch (pressed) {
      case 'Choose spd-dap…':
        return this.choose();
      case 'Copy the Command':
        await vscode.env.clipboard.writeText(said.command ?? '');
        return false;
      case 'Open the Settings':
        await showSetting();
        return false;
      case 'How to Install':
        await this.showInstallGuide();
        return false;
      case 'Get Python':
        await vscode.env.openExternal(vscode.Uri.parse(INSTALL_GUIDE));
        return false;
      case undefined:
        return false;
    }
  }

  private async choose(): Promise<boolean> {
    const [chosen] =
      (await vscode.window.showOpenDialog({ title: 'Choose spd-dap', openLabel: 'Use This Adapter' })) ?? [];
    if (chosen === undefined) return false;
    const target =
      vscode.workspace.workspaceFolders === undefined
        ? vscode.ConfigurationTarget.Global
        : vscode.ConfigurationTarget.Workspace;
    await vscode.workspace.getConfiguration('stateProgram').update('adapter.path', chosen.fsPath, target);
    return true;
  }

  private async showInstallGuide(): Promise<void> {
    const readme = vscode.Uri.joinPath(this.context.extensionUri, 'README.md');
    await vscode.commands.executeCommand('markdown.showPreview', readme.with({ fragment: 'install' }));
  }
}

/** Open the settings where the adapter's path is set. */
async function showSetting(): Promise<void> {
  const known = vscode.workspace.getConfiguration('stateProgram').inspect('adapter.path');
  const isOfWorkspace = (known?.workspaceFolderValue ?? known?.workspaceValue) !== undefined;
  const machine = vscode.env.remoteName === undefined ? 'openSettings' : 'openRemoteSettings';
  const command = `workbench.action.${isOfWorkspace ? 'openWorkspaceSettings' : machine}`;
  await vscode.commands.executeCommand(command, { query: 'stateProgram.adapter.path' });
}

function setting(folder: vscode.WorkspaceFolder | undefined): string {
  const text = vscode.workspace.getConfiguration('stateProgram', folder).get<string>('adapter.path', '').trim();
  return text.replaceAll('${workspaceFolder}', folder?.uri.fsPath ?? '');
}

/** The interpreter that is selected in the Python extension; undefined without it. */
async function interpreter(resource: vscode.Uri | undefined): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>('ms-python.python');
  if (extension === undefined) return undefined;
  try {
    const { environments } = await extension.activate();
    const path = environments?.getActiveEnvironmentPath?.(resource);
    if (path === undefined) return undefined;
    const environment = await environments?.resolveEnvironment?.(path);
    return environment?.executable?.uri?.fsPath ?? path.path;
  } catch {
    return undefined;
  }
}

