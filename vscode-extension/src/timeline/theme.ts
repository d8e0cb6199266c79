// The colours of the theme that the page stands in, read once for each redraw.

export interface Colours {
  readonly background: string;
  readonly foreground: string;
  readonly faint: string;
  readonly line: string;
  readonly cursor: string;
  readonly selection: string;
  readonly lanes: Readonly<Record<string, string>>;
  readonly error: string;
  readonly warning: string;
  readonly font: string;
}

export function colours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string, fallback: string): string => style.getPropertyValue(name).trim() || fallback;
  const foreground = of('--vscode-editor-foreground', '#3b3b3b');
  const line = of('--vscode-contrastBorder', '') || of('--vscode-panel-border', 'rgba(128,128,128,.35)');
  return {
    background: of('--vscode-editor-background', '#ffffff'),
    foreground,
    faint: of('--vscode-descriptionForeground', '#717171'),
    line,
    cursor: of('--vscode-focusBorder', '#005fb8'),
    selection: of('--vscode-contrastActiveBorder', '') || of('--vscode-focusBorder', '#005fb8'),
    error: of('--vscode-charts-red', '#d13438'),
    warning: of('--vscode-editorWarning-foreground', '#bf8803'),
    font: of('--vscode-font-family', 'system-ui, sans-serif'),
    lanes: {
      visits: of('--vscode-charts-blue', '#1a85ff'),
      playbacks: of('--vscode-charts-purple', '#652d90'),
      speech: of('--vscode-charts-green', '#388a34'),
      slots: of('--vscode-symbolIcon-eventForeground', '#d18616'),
      guards: of('--vscode-charts-foreground', foreground),
      transitions: of('--vscode-charts-blue', '#1a85ff'),
      pending: of('--vscode-charts-yellow', '#bf8803'),
      findings: of('--vscode-charts-red', '#e51400'),
    },
  };
}
