import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import packageJson from '../../../package.json' with { type: 'json' };
import { tryParseJson } from '../../common/parse-json.ts';
import { errorCode, UserError } from '../friendly-error.ts';
import { diskFullMessage, toStartError } from './disk-space.ts';
import { acquireProcessLock, LOCK_FILE } from './process-lock.ts';

/** Raised whenever what lies in the folder can no longer be read by this code. */
const LAYOUT = 9;
const { version } = packageJson;
const LAYOUT_FILE = 'layout.json';
const Layout = z.object({ layout: z.number(), version: z.optional(z.string()) });

export type StateFolder = {
  path(...names: string[]): string;
  /** The path of a folder within, which is there from then on. */
  folder(name: string): string;
  /** The file's text, or undefined when there is none. */
  read(name: string): string | undefined;
  /** Writes by rename, so that a kill leaves the old file or the new one. */
  write(name: string, text: string, mode?: number): void;
  /** Lets the next runtime in. */
  release(): void;
};

/**
 * Opens the folder that holds the runtime's state, for this process alone.
 *
 * @throws FriendlyError when it is in use, not writable, of another layout, or not ours
 */
export async function openStateFolder(folder: string, { reset }: { reset: boolean }): Promise<StateFolder> {
  await makeWritable(folder);
  refuseForeign(folder);
  const release = await acquireProcessLock(folder);
  const state = filesOf(folder, release);
  try {
    if (reset) clear(folder);
    refuseOtherLayout(folder, state);
    state.write(LAYOUT_FILE, JSON.stringify({ layout: LAYOUT, version }));
    return state;
  } catch (error) {
    release();
    throw error;
  }
}

async function makeWritable(folder: string): Promise<void> {
  const probe = join(folder, `${LAYOUT_FILE}.probe`);
  try {
    await mkdir(folder, { recursive: true });
    writeFileSync(probe, '');
    rmSync(probe);
    const full = diskFullMessage(folder);
    if (full !== undefined) throw new UserError(full);
  } catch (error) {
    throw toStartError(error, folder);
  }
}

/** A slip in --state must not make --reset delete somebody's files. */
function refuseForeign(folder: string): void {
  const entries = readdirSync(folder).filter((name) => name !== LOCK_FILE);
  if (entries.length === 0 || entries.includes(LAYOUT_FILE)) return;
  throw new UserError(`${folder} holds files that are not Tributary's: name another folder with --state.`);
}

function clear(folder: string): void {
  const names = readdirSync(folder).filter((name) => name !== LOCK_FILE && name !== LAYOUT_FILE);
  for (const name of names) rmSync(join(folder, name), { recursive: true, force: true });
  rmSync(join(folder, LAYOUT_FILE), { force: true });
}

function refuseOtherLayout(folder: string, state: StateFolder): void {
  const written = state.read(LAYOUT_FILE);
  if (written === undefined) return;
  const parsed = Layout.safeParse(tryParseJson(written));
  if (parsed.success && parsed.data.layout === LAYOUT) return;
  throw new UserError(
    `The state in ${folder} was written by ${writerOf(parsed.data)}, and this is version ${version} (layout ${LAYOUT}), which can not read it. Start the version that wrote it, or name another folder with --state. This deletes all of it: "npm start -- --reset --state ${folder}".`,
  );
}

function writerOf(written: z.infer<typeof Layout> | undefined): string {
  if (written === undefined) return 'an unknown version';
  const { layout, version: writer } = written;
  const unnamed = layout < LAYOUT ? 'an older version' : 'a newer version';
  return `${writer === undefined ? unnamed : `version ${writer}`} (layout ${layout})`;
}

function filesOf(folder: string, release: () => void): StateFolder {
  const path = (...names: string[]) => join(folder, ...names);
  return {
    path,
    folder: (name) => {
      mkdirSync(path(name), { recursive: true });
      return path(name);
    },
    read: (name) => {
      try {
        return readFileSync(path(name), 'utf8');
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return undefined;
        throw error;
      }
    },
    write: (name, text, mode = 0o644) => {
      writeFileSync(path(`${name}.new`), text, { mode });
      renameSync(path(`${name}.new`), path(name));
    },
    release,
  };
}
