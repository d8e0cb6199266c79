// Reports what a browser really played: when sound started, paused, stalled, went on, ended, failed.
//
// A call of play() or start() is no evidence. A start is reported once the media time has advanced,
// dated back by as much as it has advanced; so blocked audio, a suspended context or a file that
// never comes is not reported as started. Nothing is needed but this file. The messages are those
// of docs/guide/playback.md; the server takes each client_event_id once, so they are sent again
// until they arrive.

const POLL_MS = 10;
const ATTEMPTS_MAX = 6;
const SEND_AGAIN_MS = 250;
const MEDIA_ERRORS = [, "MEDIA_ERR_ABORTED", "MEDIA_ERR_NETWORK", "MEDIA_ERR_DECODE", "MEDIA_ERR_SRC_NOT_SUPPORTED"];

/**
 * Report one playback of an HTMLMediaElement or an AudioBufferSourceNode.
 *
 * options: playbackId; send(message), which may return a promise that rejects where the message did
 * not arrive; lastWord(message), called while the page goes away, such as with
 * navigator.sendBeacon (without it: send); clock(), milliseconds, the same clock for every reporter
 * of the page (default: since 1970); for a node that was started already, startTime, when that was
 * on its context.
 *
 * Returns a reporter: play(...) starts the source and reports a refusal; stop(reason) stops it and
 * reports `interrupted`; settled() resolves when all that was reported has arrived or been given up.
 */
export function reportPlayback(source, options) {
  const line = new Line(options);
  return source instanceof AudioScheduledSourceNode
    ? new NodeReporter(source, line, options)
    : new ElementReporter(source, line);
}

/** The messages of one source, in order; one is under way at a time. */
class Line {
  constructor({ playbackId, send, lastWord, clock }) {
    this.playbackId = playbackId;
    this.send = send;
    this.lastWord = lastWord ?? send;
    this.clock = clock ?? (() => performance.timeOrigin + performance.now());
    this.waiting = [];
    this.pumping = Promise.resolve();
    this.isPumping = false;
    this.begin();
  }

  /** Begin another play of the same playback. */
  begin() {
    const bytes = crypto.getRandomValues(new Uint8Array(12));
    this.playId = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.count = 0;
  }

  tell(kind, { at = this.clock(), mediaMs, reason } = {}) {
    this.count += 1;
    const message = {
      playback_id: this.playbackId,
      play_id: this.playId,
      client_event_id: `${this.playId}-${this.count}`,
      kind,
      client_clock_ms: Math.round(at),
    };
    if (Number.isFinite(mediaMs)) message.media_ms = Math.round(mediaMs);
    if (reason) message.reason = String(reason).replace(/[^A-Za-z0-9_]/g, "_").slice(0, 64);
    this.waiting.push(message);
    if (!this.isPumping) {
      this.isPumping = true;
      this.pumping = this.pump();
    }
  }

  async pump() {
    let attempts = 0;
    while (this.waiting.length && attempts < ATTEMPTS_MAX) {
      const message = this.waiting[0];
      try {
        await this.send(message);
        attempts = 0;
        if (this.waiting[0] === message) this.waiting.shift();
      } catch {
        attempts += 1;
        await new Promise((done) => setTimeout(done, SEND_AGAIN_MS * 2 ** (attempts - 1)));
      }
    }
    this.isPumping = false;
  }

  /** Hand over what has not arrived, now: the page goes away. */
  flush() {
    for (const message of this.waiting.splice(0)) this.lastWord(message);
  }
}

/** What both kinds of source share: a play begins, halts, goes on, and is over. */
class Reporter {
  constructor(line) {
    this.line = line;
    this.state = "idle"; // idle, awaiting a start, sounding, halted, over
    this.hasStarted = false;
    this.timer = undefined;
    this.from = NaN;
    addEventListener("pagehide", () => this.leave());
  }

  settled() {
    return this.line.pumping;
  }

  /** Wait until media time advances from `from` (seconds), then report that it did. */
  await(from) {
    clearTimeout(this.timer);
    if (this.state === "over") {
      this.line.begin();
      this.hasStarted = false;
    }
    if (this.state !== "halted") this.state = "awaiting";
    this.from = from;
    this.poll();
  }

  poll() {
    clearTimeout(this.timer);
    if (this.state !== "awaiting" && this.state !== "halted") return;
    if (!this.advance()) this.timer = setTimeout(() => this.poll(), POLL_MS);
  }

  /** Report the start if one is awaited and media time has advanced; return whether it has. */
  advance() {
    if (this.state !== "awaiting" && this.state !== "halted") return false;
    const advanced = this.mediaTime() - this.from;
    if (!(advanced > 0)) return false;
    const at = this.line.clock() - (advanced * 1000) / this.rate();
    this.line.tell(this.hasStarted ? "resumed" : "started", { at, mediaMs: this.from * 1000 });
    this.hasStarted = true;
    this.state = "sounding";
    return true;
  }

  /** Report that sound has halted; nothing where there was none. */
  halt(kind, reason, from) {
    clearTimeout(this.timer);
    this.advance();
    if (this.state === "sounding") {
      this.line.tell(kind, { mediaMs: (from ?? this.mediaTime()) * 1000, reason });
      this.state = "halted";
    }
    this.from = NaN; // nothing counts as an advance until the source says that it goes on
  }

  /** Report the end of the play, once. */
  end(kind, { reason, at, mediaMs } = {}) {
    clearTimeout(this.timer);
    if (this.state === "over") return;
    this.advance();
    this.state = "over";
    this.line.tell(kind, { at, mediaMs: mediaMs ?? this.mediaTime() * 1000, reason });
  }

  leave() {
    if (this.state !== "over" && this.state !== "idle") this.end("interrupted", { reason: "unload" });
    this.line.flush();
  }
}

class ElementReporter extends Reporter {
  constructor(element, line) {
    super(line);
    this.element = element;
    const on = (name, then) => element.addEventListener(name, then);
    on("playing", () => this.sounds());
    on("seeked", () => this.sounds());
    on("pause", () => element.ended || this.halt("paused", "paused"));
    on("seeking", () => element.ended || this.halt("paused", "seek"));
    on("waiting", () => element.seeking || this.halt("stalled", "waiting"));
    on("timeupdate", () => this.poll());
    on("ended", () => this.ended());
    on("emptied", () => this.state === "idle" || this.end("interrupted", { reason: "emptied" }));
    on("error", () => this.failed());
    if (element.error) this.failed();
    else if (!element.paused) this.await(element.currentTime);
  }

  mediaTime() {
    return this.element.seeking ? NaN : this.element.currentTime; // a seek is no advance
  }

  rate() {
    return this.element.playbackRate || 1;
  }

  /** Start the element. Resolves to whether the browser allowed it. */
  async play() {
    if (this.state === "idle" || this.state === "over") this.await(this.element.currentTime);
    try {
      await this.element.play();
      return true;
    } catch (error) {
      const isCut = error.name === "AbortError";
      this.end(isCut ? "interrupted" : "failed", { reason: error.name });
      return false;
    }
  }

  stop(reason = "stopped") {
    if (this.state !== "idle") this.end("interrupted", { reason });
    this.element.pause();
  }

  sounds() {
    const { paused, currentTime } = this.element;
    if (!paused && this.state !== "sounding") this.await(currentTime);
  }

  ended() {
    this.end("ended");
  }

  failed() {
    this.end("failed", { reason: MEDIA_ERRORS[this.element.error?.code] ?? "unknown" });
  }
}

class NodeReporter extends Reporter {
  constructor(node, line, { startTime }) {
    super(line);
    this.node = node;
    this.context = node.context;
    this.context.addEventListener("statechange", () => this.changed());
    node.addEventListener("ended", () => this.ended());
    if (startTime !== undefined) this.starts(startTime);
  }

  mediaTime() {
    return this.context.currentTime;
  }

  rate() {
    return 1; // the context's time is real time, whatever the node's rate
  }

  /** Start the node: when, offset and duration as its start() has them. */
  play(when = 0, ...place) {
    const startTime = Math.max(when, this.context.currentTime);
    this.node.start(when, ...place);
    this.starts(startTime, place[1]);
  }

  stop(reason = "stopped") {
    this.end("interrupted", { reason, mediaMs: this.played() });
    this.node.stop();
  }

  starts(startTime, duration) {
    this.startTime = startTime;
    const rate = this.node.playbackRate?.value || 1;
    this.lasts = duration ?? (this.node.buffer ? this.node.buffer.duration / rate : Infinity);
    this.await(startTime);
  }

  played() {
    return Math.max(0, this.context.currentTime - this.startTime) * 1000;
  }

  changed() {
    if (this.context.state === "running" && this.state === "halted") this.await(this.mediaTime());
    else if (this.context.state === "closed") this.state === "idle" || this.end("interrupted", { reason: "closed" });
    else this.context.state === "running" || this.halt("paused", this.context.state);
  }

  ended() {
    if (this.state === "over" || this.startTime === undefined) return;
    const beyond = this.context.currentTime - this.startTime - this.lasts;
    if (beyond < -0.05) return this.end("interrupted", { reason: "stopped", mediaMs: this.played() });
    const at = this.line.clock() - Math.max(0, beyond) * 1000;
    this.end("ended", { at, mediaMs: this.lasts * 1000 });
  }
}
