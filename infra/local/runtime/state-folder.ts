import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import packageJson from '../../../package.json' with { type: 'json' };
import { tryParseJson } from '../../common/parse-json.ts';
import { errorCode, UserError } from '../../common/user-error.ts';
import { diskFullMessage, toStateFolderError } from './disk-space.ts';
import { acquireProcessLock, LOCK_FILE } from './process-lock.ts';

/** Version of the stored state's layout. Increase it when the code can no longer read state of the earlier layout. */
const LAYOUT = 9;
const { version } = packageJson;
const LAYOUT_FILE = 'layout.json';
const PROBE_FILE = `${LAYOUT_FILE}.probe`;
/** If a start is killed before it writes the layout file, these files can remain. */
const EARLY_FILES = [LOCK_FILE, PROBE_FILE, `${LAYOUT_FILE}.new`];
const Layout = z.object({ layout: z.number(), version: z.optional(z.string()) });

export type StateFolder = {
  path(...names: string[]): string;
  /** Creates a subfolder if it does not exist. @returns its path */
  folder(name: string): string;
  /** Returns a file's text; undefined if the file does not exist. */
  read(name: string): string | undefined;
  /** Replaces a file by rename, so that a kill leaves either the old or the new content. */
  write(name: string, text: string, mode?: number): void;
  /** Releases the lock, so that another runtime can start. */
  release(): void;
};

/**
 * Opens and locks the folder with the runtime's state. With `reset`, deletes the existing state.
 *
 * @throws UserError if the folder is in use, is not writable, contains files of other programs or is on a full disk.
 *   Without `reset`, also if the state has another layout.
 */
export async function openStateFolder(folder: string, { reset }: { reset: boolean }): Promise<StateFolder> {
  await ensureWritable(folder);
  assertNoForeignFiles(folder);
  const release = await acquireProcessLock(folder);
  const state = createStateFolder(folder, release);
  try {
    if (reset) clear(folder);
    assertLayout(folder, state);
    state.write(LAYOUT_FILE, JSON.stringify({ layout: LAYOUT, version }));
    return state;
  } catch (error) {
    release();
    throw error;
  }
}

async function ensureWritable(folder: string): Promise<void> {
  const probe = join(folder, PROBE_FILE);
  try {
    await mkdir(folder, { recursive: true });
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    throw toStateFolderError(error, folder);
  }
  const diskFull = diskFullMessage(folder);
  if (diskFull !== undefined) throw new UserError(diskFull);
}

/** Protects files of other programs from --reset if --state names the wrong folder. */
function assertNoForeignFiles(folder: string): void {
  const entries = readdirSync(folder).filter((name) => !EARLY_FILES.includes(name));
  if (entries.length === 0 || entries.includes(LAYOUT_FILE)) return;
  throw new UserError(`${folder} contains files of other programs. Choose another folder with --state.`);
}

function clear(folder: string): void {
  const names = readdirSync(folder).filter((name) => name !== LOCK_FILE && name !== LAYOUT_FILE);
  for (const name of names) rmSync(join(folder, name), { recursive: true, force: true });
  // Remove the layout file last. If a kill interrupts the removal, the file still marks the folder as a state folder.
  rmSync(join(folder, LAYOUT_FILE), { force: true });
}

function assertLayout(folder: string, state: StateFolder): void {
  const written = state.read(LAYOUT_FILE);
  if (written === undefined) return;
  const parsed = Layout.safeParse(tryParseJson(written));
  if (parsed.success && parsed.data.layout === LAYOUT) return;
  throw new UserError(
    `The state in ${folder} was written by ${describeWriter(parsed.data)}. ` +
      `This is version ${version} (layout ${LAYOUT}), which cannot read it. ` +
      'Start the version that wrote it, or choose another folder with --state. ' +
      'To delete the state, add --reset.',
  );
}

function describeWriter(written: z.infer<typeof Layout> | undefined): string {
  if (written === undefined) return 'an unknown version';
  const { layout, version: writerVersion } = written;
  const relative = layout < LAYOUT ? 'an older version' : 'a newer version';
  return `${writerVersion === undefined ? relative : `version ${writerVersion}`} (layout ${layout})`;
}

function createStateFolder(folder: string, release: () => void): StateFolder {
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
