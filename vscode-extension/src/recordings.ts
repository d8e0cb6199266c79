// What a path means as a recording: a session directory, an artifact, or a file for an importer.
// Looks at names and at a few bytes; whether a recording is whole is the adapter's to say.
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';

export type RecordingKind = 'session directory' | 'artifact' | 'importable file';

export interface Recording {
  readonly kind: RecordingKind;
  readonly path: string;
}

/** Either of these makes a folder a session directory, even a broken one. */
export const SESSION_FILES = ['manifest.json', 'trace_events.jsonl'] as const;

/** Files of other tools that are known by their name. */
const IMPORTED_EXTENSIONS = new Set(['.whisk', '.sqlite', '.sqlite3', '.db']);

/** Files that a session directory is made of; one of these outside of it is no recording. */
const PART_EXTENSIONS = new Set(['.jsonl', '.wav', '.yaml', '.yml', '.md']);

const ARTIFACT_SCHEMA = 'riff.state_program_debugger/v1';
const LOOKED_AT_BYTES = 4096;

/** Whether a folder holds what a recorder writes. Both files, or the streams alone. */
export function isSessionDirectory(folder: string): boolean {
  return (
    existsSync(join(folder, 'trace_events.jsonl')) ||
    (existsSync(join(folder, 'manifest.json')) &&
      (existsSync(join(folder, 'bus_events.jsonl')) || existsSync(join(folder, 'transcript.jsonl'))))
  );
}

/**
 * The recording that a file or folder is, or belongs to.
 * A file is looked for upwards, to `root` at the most (to the file's own folder without one).
 */
export function recordingOf(path: string, root?: string): Recording | undefined {
  const isFolder = isDirectory(path);
  for (const folder of isFolder ? foldersUp(path, root) : foldersUp(dirname(path), root)) {
    if (isSessionDirectory(folder)) return { kind: 'session directory', path: folder };
  }
  return isFolder ? undefined : fileAsRecording(path);
}

/** The recording that a file is by itself. */
export function fileAsRecording(path: string): Recording | undefined {
  const extension = extname(path).toLowerCase();
  if (IMPORTED_EXTENSIONS.has(extension)) return { kind: 'importable file', path };
  if (extension !== '.json') return undefined;
  if (isArtifact(path)) return { kind: 'artifact', path };
  return isTracker(path) ? { kind: 'importable file', path } : undefined;
}

/** Whether a file is a part of recordings only, never one by itself. */
export function isPart(path: string): boolean {
  return PART_EXTENSIONS.has(extname(path).toLowerCase());
}

/** A short name for lists and launch entries. */
export function recordingName(path: string, root?: string): string {
  const below = root === undefined ? '' : relative(root, path);
  return below !== '' && !below.startsWith('..') ? below : basename(path);
}

function isArtifact(path: string): boolean {
  // Canonical JSON sorts its keys, so the schema stands near the end of a large file.
  return partsOf(path).some((part) => part.includes(ARTIFACT_SCHEMA));
}

function isTracker(path: string): boolean {
  const [head = ''] = partsOf(path);
  return head.includes('"sender_id"') || head.includes('"events"');
}

function partsOf(path: string): string[] {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return [];
  }
  try {
    const size = fstatSync(file).size;
    return [0, Math.max(0, size - LOOKED_AT_BYTES)].map((start) => {
      const buffer = Buffer.alloc(LOOKED_AT_BYTES);
      return buffer.toString('utf8', 0, readSync(file, buffer, 0, LOOKED_AT_BYTES, start));
    });
  } catch {
    return [];
  } finally {
    closeSync(file);
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function foldersUp(folder: string, root?: string): string[] {
  const found = [folder];
  if (root === undefined) return found;
  while (folder !== root && !relative(root, folder).startsWith('..') && dirname(folder) !== folder) {
    folder = dirname(folder);
    found.push(folder);
  }
  return found;
}
