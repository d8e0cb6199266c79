// Finds the debug adapter on this machine, and says what was looked at where there is none.
import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

export interface Adapter {
  readonly command: string;
  readonly args: readonly string[];
  /** In words, for the log: "the setting stateProgram.adapter.path". */
  readonly origin: string;
}

/** Where to look, best first. */
export interface Places {
  readonly setting: string;
  /** Of the Python extension, where it is there. */
  readonly interpreter: string | undefined;
  readonly searchPath: string;
  readonly folders: readonly string[];
  readonly isWindows: boolean;
}

export type Missing =
  | { readonly reason: 'setting'; readonly path: string }
  | { readonly reason: 'broken'; readonly adapter: Adapter; readonly said: string }
  | { readonly reason: 'no adapter'; readonly interpreter: string }
  | { readonly reason: 'no python' };

export type Found = { readonly adapter: Adapter } | { readonly missing: Missing };

/** Runs a program; its exit and the last line that it wrote to standard error. */
export type Run = (command: string, args: readonly string[]) => Promise<{ ok: boolean; said: string }>;

const SCRIPT = 'spd-dap';
const MODULE = 'dap_adapter.main';
const PATIENCE_MS = 15_000;

/** The adapter to start, or what is missing. The first place that has one decides. */
export async function findAdapter(places: Places, run: Run = runProgram): Promise<Found> {
  if (places.setting !== '') {
    if (!isProgram(places.setting)) return { missing: { reason: 'setting', path: places.setting } };
    return checked(script(places.setting, 'the setting stateProgram.adapter.path'), run);
  }
  const { interpreter } = places;
  if (interpreter !== undefined && isProgram(interpreter)) {
    const beside = join(dirname(interpreter), scriptName(places));
    if (isProgram(beside)) return checked(script(beside, 'the Python interpreter'), run);
    const module: Adapter = { command: interpreter, args: ['-m', MODULE], origin: 'the Python interpreter' };
    if ((await run(interpreter, ['-c', `import ${MODULE}`])).ok) return { adapter: module };
  }
  const onPath = programOn(places.searchPath, scriptName(places));
  if (onPath !== undefined) return checked(script(onPath, 'PATH'), run);
  for (const folder of places.folders) {
    const inside = join(folder, '.venv', places.isWindows ? 'Scripts' : 'bin', scriptName(places));
    if (isProgram(inside)) return checked(script(inside, `${folder}/.venv`), run);
  }
  const python = interpreter ?? pythonOn(places);
  return { missing: python === undefined ? { reason: 'no python' } : { reason: 'no adapter', interpreter: python } };
}

async function checked(adapter: Adapter, run: Run): Promise<Found> {
  const { ok, said } = await run(adapter.command, [...adapter.args, '--version']);
  return ok ? { adapter } : { missing: { reason: 'broken', adapter, said } };
}

function script(command: string, origin: string): Adapter {
  return { command, args: [], origin };
}

function scriptName(places: Places): string {
  return places.isWindows ? `${SCRIPT}.exe` : SCRIPT;
}

function pythonOn(places: Places): string | undefined {
  const names = places.isWindows ? ['python.exe', 'py.exe'] : ['python3', 'python'];
  return names.map((name) => programOn(places.searchPath, name)).find((path) => path !== undefined);
}

function programOn(searchPath: string, name: string): string | undefined {
  return searchPath
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function runProgram(command: string, args: readonly string[]): Promise<{ ok: boolean; said: string }> {
  return new Promise((resolve) => {
    execFile(command, [...args], { timeout: PATIENCE_MS }, (error, _out, err) => {
      const lines = err.trim().split('\n');
      resolve({ ok: error === null, said: lines.at(-1) || error?.message.split('\n').at(0) || '' });
    });
  });
}
