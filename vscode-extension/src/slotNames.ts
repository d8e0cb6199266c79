// Where a line of a flow file names a slot. Plain text rules, for the values shown beside the line.

export interface SlotMention {
  readonly slot: string;
  /** Zero-based, half-open. */
  readonly start: number;
  readonly end: number;
}

// {{ time }} and {time} in a prompt; slots.time and slots["time"] in a condition; `time:` as a key;
// `slot: time` and `- time` as a whole value.
const NAMED = [
  /\{\{-?\s*([\p{L}_][\p{L}\p{N}_]*)/gu,
  /(?<![{\w])\{([\p{L}_][\p{L}\p{N}_]*)\}/gu,
  /\bslots\.([\p{L}_][\p{L}\p{N}_]*)/gu,
  /\bslots\[["']([^"']+)["']\]/gu,
  /^\s*(?:-\s+)?["']?([\p{L}_][\p{L}\p{N}_]*)["']?\s*:/gu,
  /^\s*(?:-\s+|slot\s*:\s*|-\s+slot\s*:\s*)["']?([\p{L}_][\p{L}\p{N}_]*)["']?\s*$/gu,
];

/** The slots that a line names, in order of place, each once. */
export function slotMentions(line: string, slots: ReadonlySet<string>): SlotMention[] {
  const found = new Map<string, SlotMention>();
  for (const pattern of NAMED) {
    for (const match of line.matchAll(pattern)) {
      const slot = match[1];
      if (slot === undefined || !slots.has(slot)) continue;
      const start = match.index + match[0].lastIndexOf(slot);
      const known = found.get(slot);
      if (known === undefined || start < known.start) found.set(slot, { slot, start, end: start + slot.length });
    }
  }
  return [...found.values()].sort((a, b) => a.start - b.start);
}

/** The slot of a row in the Variables view: of its expression, else its name. */
export function slotOfVariable(variable: { readonly name: string; readonly evaluateName?: string | undefined }): string {
  const match = /^slots\["((?:[^"\\]|\\.)*)"\]/.exec(variable.evaluateName ?? '');
  if (match?.[1] === undefined) return variable.name;
  const slot: unknown = JSON.parse(`"${match[1]}"`);
  return String(slot);
}
