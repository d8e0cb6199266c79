// The page's entry: takes the host that stands ready for it, else the editor's.
import './style.css';
import type { TimelineHost } from './host';
import { listen } from './input';
import { Timeline } from './timeline';
import { editorHost } from './vscodeHost';

declare global {
  interface Window {
    stateProgramTimelineHost?: TimelineHost;
  }
}

const root = document.getElementById('timeline');
if (root !== null) {
  const host = window.stateProgramTimelineHost ?? editorHost(root.dataset['nonce'] ?? '');
  const timeline = new Timeline(root, host);
  listen(timeline);
  void timeline.load();
}
