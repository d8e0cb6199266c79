// What the page asks of whoever shows it: the editor today, a browser server later. The page holds
// no rule and no join: rows, places and the clock table come from the core as they are shown.

export type Label = 'recorded' | 'unavailable' | 'redacted' | 'simulated';

/** An event or span of a lane; a merged stretch has only its place and how many it holds. */
export interface Row {
  readonly event_index: number;
  readonly end_index: number | null;
  readonly start_ms: number | null;
  readonly end_ms: number | null;
  readonly count: number;
  readonly timed?: boolean;
  readonly id?: string | null;
  readonly title?: string;
  readonly text?: string;
  readonly label?: Label;
  readonly reason?: string | null;
  readonly kind?: string;
  readonly depth?: number;
  readonly visit_id?: string | null;
}

export interface LaneRows {
  readonly lane: string;
  readonly total: number;
  readonly in_window: number;
  readonly merged: boolean;
  readonly items: readonly Row[];
}

/** Where an event cursor stands. */
export interface Place {
  readonly event_index: number;
  readonly media_ms: number | null;
  readonly event: { readonly event_id: string; readonly type: string; readonly clock_ms: number | null; readonly what: string } | null;
  readonly visit: { readonly visit_id: string; readonly state_id: string; readonly status: string } | null;
  readonly playing: readonly string[];
  readonly edge: 'start' | 'end' | null;
}

export interface Call {
  readonly session_id: string | null;
  readonly flow_id: string | null;
  readonly events: number;
  readonly events_without_clock: number;
  readonly first_ms: number | null;
  readonly last_ms: number | null;
}

export interface TimelineResult {
  readonly place: Place;
  readonly call: Call;
  readonly window: { readonly start_ms: number; readonly end_ms: number };
  readonly lanes: readonly LaneRows[];
}

export interface ClockTableResult {
  readonly clocks: readonly number[];
  readonly indices: readonly number[];
  readonly total: number;
}

/** A row of `inspect_clocks`: one audio file of the call. */
export interface AudioFile {
  readonly audio_id: string;
  readonly role: string | null;
  readonly channels: readonly string[];
  readonly availability: string | null;
  readonly reason: string | null;
  readonly offset_ms: number | null;
  readonly declared_ms: number | null;
  readonly measured_ms: number | null;
  readonly label: Label;
}

/** Peaks of an audio file: 16-bit samples, little endian, base64. */
export interface Peaks {
  readonly binMs: number;
  readonly offsetMs: number;
  readonly channels: readonly { readonly name: string; readonly lows: string; readonly highs: string }[];
}

export type Command = { readonly action: string } & { readonly [key: string]: unknown };
export type SeekPlace =
  | { readonly event_index: number }
  | { readonly clock_ms: number }
  | { readonly finding: string }
  | { readonly edge: 'start' | 'end' };

export type Notice = 'stopped' | 'ended';

export interface TimelineHost {
  /** Ask the core; rejects with its sentence. */
  query<Result>(command: Command): Promise<Result>;
  /** Move the debugger's cursor; resolves with where it stands. */
  seek(place: SeekPlace): Promise<number>;
  peaks(audioId: string): Promise<Peaks>;
  /** Where the audio can be played from, seeking included; rejects with the reason there is none. */
  audioUrl(audioId: string): Promise<string>;
  /** The same as bytes, where the address cannot be played from. */
  audioBytes(audioId: string): Promise<Blob>;
  /** Hear of every stop of the debugger, and of its end. */
  onNotice(listener: (notice: Notice) => void): void;
  /** The nonce that style sheets of libraries need. */
  readonly nonce: string;
}
