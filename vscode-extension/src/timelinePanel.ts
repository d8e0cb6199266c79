// The Call Timeline in the editor: a webview that asks the session's adapter, and hears of its stops.
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import * as vscode from 'vscode';

const TYPE = 'state-program';
const MAX_ROOTS = 16;

interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

interface ClockItems {
  readonly result: { readonly items: readonly { readonly audio_id: string; readonly label: string }[] };
}

class TimelinePanel {
  private panel: vscode.WebviewPanel | undefined;
  private session: vscode.DebugSession | undefined;
  private hasEnded = false;

  constructor(private readonly extension: vscode.Uri) {}

  /** Show the timeline of a session below the editor; without one, say how to start. */
  async show(session: vscode.DebugSession | undefined): Promise<void> {
    if (session === undefined || session.type !== TYPE) {
      const start = 'Debug a Recorded Call';
      const chosen = await vscode.window.showInformationMessage('The call timeline shows the call that is being debugged. None is.', start);
      if (chosen === start) await vscode.commands.executeCommand('stateProgram.debugRecording');
      return;
    }
    if (this.panel !== undefined) {
      this.panel.reveal(undefined, true);
      if (this.session !== session) await this.load(this.panel, session);
      return;
    }
    const panel = vscode.window.createWebviewPanel('stateProgram.timeline', 'Call Timeline', { viewColumn: vscode.ViewColumn.Active, preserveFocus: false }, {
      enableScripts: true,
      retainContextWhenHidden: true,
    });
    this.panel = panel;
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.session = undefined;
    });
    panel.webview.onDidReceiveMessage((asked: Asked) => {
      if (this.session !== undefined) void this.answer(panel, this.session, asked);
    });
    await vscode.commands.executeCommand('workbench.action.moveEditorToBelowGroup');
    await this.load(panel, session);
  }

  /** Load the page for a session; it may read the extension's page and this call's audio folder. */
  private async load(panel: vscode.WebviewPanel, session: vscode.DebugSession): Promise<void> {
    this.session = session;
    this.hasEnded = false;
    const roots = await audioFolders(session);
    panel.webview.options = { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(this.extension, 'dist'), ...roots] };
    panel.webview.html = this.html(panel.webview);
  }

  /** Pass on that a session has stopped or ended; an open panel goes on with the next session. */
  notice(session: vscode.DebugSession, notice: 'stopped' | 'ended'): void {
    if (this.panel === undefined || session.type !== TYPE) return;
    if (session === this.session) {
      this.hasEnded ||= notice === 'ended';
      void this.panel.webview.postMessage({ notice });
    } else if (notice === 'stopped' && this.hasEnded) void this.load(this.panel, session);
  }

  private async answer(panel: vscode.WebviewPanel, session: vscode.DebugSession, { id, method, params }: Asked): Promise<void> {
    try {
      await panel.webview.postMessage({ id, value: await served(panel.webview, session, method, params) });
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      await panel.webview.postMessage({ id, error: words });
    }
  }

  private html(webview: vscode.Webview): string {
    const nonce = randomBytes(18).toString('base64');
    const at = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(this.extension, 'dist', name)).toString();
    const policy = [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src ${webview.cspSource} 'nonce-${nonce}'`,
      `media-src ${webview.cspSource} blob:`,
      'img-src data:',
    ].join('; ');
    return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Call Timeline</title>
<link rel="stylesheet" href="${at('timeline.css')}">
</head>
<body>
<main id="timeline" data-nonce="${nonce}"></main>
<script nonce="${nonce}" src="${at('timeline.js')}"></script>
</body>
</html>`;
  }
}

async function served(webview: vscode.Webview, session: vscode.DebugSession, method: string, params: Record<string, unknown>): Promise<unknown> {
  switch (method) {
    case 'query':
    case 'seek':
    case 'peaks':
    case 'audio':
      return (await session.customRequest(`stateProgram/${method}`, params)) as unknown;
    case 'audioUrl': {
      const { path } = (await session.customRequest('stateProgram/audio', { audioId: params['audioId'] })) as { path: string };
      return webview.asWebviewUri(vscode.Uri.file(path)).toString();
    }
    default:
      throw new Error(`The timeline has no request '${method}'.`);
  }
}

/** The folders that hold the session's recorded audio: all that the page may read beside itself. */
async function audioFolders(session: vscode.DebugSession): Promise<vscode.Uri[]> {
  try {
    const { result } = (await session.customRequest('stateProgram/query', { command: { action: 'inspect_clocks' } })) as ClockItems;
    const recorded = result.items.filter((item) => item.label === 'recorded').slice(0, MAX_ROOTS);
    const found = await Promise.all(
      recorded.map(async (item) => {
        try {
          const { path } = (await session.customRequest('stateProgram/audio', { audioId: item.audio_id })) as { path: string };
          return [dirname(path)];
        } catch {
          return [];
        }
      }),
    );
    return [...new Set(found.flat())].map((folder) => vscode.Uri.file(folder));
  } catch {
    return [];
  }
}

/** Register the timeline: its command, and the watch on the adapters' messages. */
export function registerTimeline(context: vscode.ExtensionContext): void {
  const panel = new TimelinePanel(context.extensionUri);
  context.subscriptions.push(
    vscode.commands.registerCommand('stateProgram.showTimeline', () => panel.show(vscode.debug.activeDebugSession)),
    vscode.debug.onDidTerminateDebugSession((session) => panel.notice(session, 'ended')),
    vscode.debug.registerDebugAdapterTrackerFactory(TYPE, {
      createDebugAdapterTracker: (session) => ({
        onDidSendMessage: (message: { type?: string; event?: string }) => {
          if (message.type === 'event' && message.event === 'stopped') panel.notice(session, 'stopped');
        },
      }),
    }),
  );
}
