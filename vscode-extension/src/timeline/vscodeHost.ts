// The host that is an editor's webview: requests and answers as messages, numbered.
import type { Command, Notice, Peaks, SeekPlace, TimelineHost } from './host';

interface Api {
  postMessage(message: unknown): void;
}
declare function acquireVsCodeApi(): Api;

interface Answer {
  readonly id?: number;
  readonly value?: unknown;
  readonly error?: string;
  readonly notice?: Notice;
}

const PIECE = 1 << 20;

export function editorHost(nonce: string): TimelineHost {
  const api = acquireVsCodeApi();
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  const listeners: ((notice: Notice) => void)[] = [];
  let last = 0;
  window.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    if (data.notice !== undefined) for (const listener of listeners) listener(data.notice);
    const request = data.id === undefined ? undefined : waiting.get(data.id);
    if (data.id === undefined || request === undefined) return;
    waiting.delete(data.id);
    if (data.error !== undefined) request.reject(new Error(data.error));
    else request.resolve(data.value as never);
  });
  function ask<Result>(method: string, params: object): Promise<Result> {
    last += 1;
    const id = last;
    return new Promise<Result>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      api.postMessage({ id, method, params });
    });
  }
  return {
    nonce,
    query: async <Result>(command: Command) => (await ask<{ result: Result }>('query', { command })).result,
    seek: async (place: SeekPlace) => (await ask<{ cursor: number }>('seek', place)).cursor,
    peaks: (audioId) => ask<Peaks>('peaks', { audioId }),
    audioUrl: (audioId) => ask<string>('audioUrl', { audioId }),
    audioBytes: async (audioId) => {
      const parts: Uint8Array<ArrayBuffer>[] = [];
      for (let offset = 0, size = 1; offset < size; offset += PIECE) {
        const piece = await ask<{ size: number; data: string }>('audio', { audioId, offset, length: PIECE });
        size = piece.size;
        parts.push(Uint8Array.from(atob(piece.data), (letter) => letter.charCodeAt(0)));
      }
      return new Blob(parts, { type: 'audio/wav' });
    },
    onNotice: (listener) => void listeners.push(listener),
  };
}
