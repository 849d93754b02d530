import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStateFolder } from '../../../../infra/local/runtime/state-folder.ts';

let folder: string;
const open = (options: { reset?: boolean } = {}) => openStateFolder(folder, { reset: false, ...options });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-state-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a folder with files of other programs is rejected and stays unchanged; a path below a file is rejected', async () => {
  const file = join(folder, 'notes.txt');
  await writeFile(file, 'mine');
  await expect(openStateFolder(join(file, 'state'), { reset: true })).rejects.toThrow(
    /cannot be written: a part of its path is a file\. .*--state/,
  );
  await expect(open({ reset: true })).rejects.toThrow(/contains files of other programs.*--state/);
  expect(await readFile(file, 'utf8')).toBe('mine');
});

test('a folder can be opened after its first start was killed', async () => {
  for (const name of ['layout.json.probe', 'layout.json.new']) await writeFile(join(folder, name), '');
  const state = await open();
  expect(state.read('layout.json')).toContain('"layout"');
  state.release();
});

test('a state of another version is rejected with the advice to use --reset, which deletes the state', async () => {
  await writeFile(join(folder, 'layout.json'), '{"layout":0}');
  await writeFile(join(folder, 'old'), '');
  await expect(open()).rejects.toThrow(/written by an older version \(layout 0\).*To delete the state, add --reset\./);
  await writeFile(join(folder, 'layout.json'), '{"layout":99,"version":"9.1.0"}');
  await expect(open()).rejects.toThrow(
    /written by version 9\.1\.0 \(layout 99\)\. This is version 2\.0\.0 \(layout \d+\)/,
  );
  const state = await open({ reset: true });
  expect(state.read('old')).toBeUndefined();
  expect(JSON.parse(state.read('layout.json') ?? '')).toMatchObject({ version: '2.0.0' });
  state.release();
});

test('a folder in use is rejected, and the lock of a killed runtime is replaced', async () => {
  const other = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)', 'start.ts']);
  await once(other, 'spawn');
  await writeFile(join(folder, 'lock'), String(other.pid));
  await expect(open()).rejects.toThrow(/already running.*--state and --port/);
  other.kill('SIGKILL');
  await once(other, 'exit');
  (await open()).release();
  // The system may have given the process id of the killed runtime to another program.
  await writeFile(join(folder, 'lock'), String(process.ppid));
  (await open()).release();
});

/** Tries to acquire the lock in a new process, which then runs until it is killed. */
async function contend() {
  const lock = join(import.meta.dirname, '../../../../infra/local/runtime/process-lock.ts');
  const script = `import { acquireProcessLock } from ${JSON.stringify(lock)};
    process.stdout.write(await acquireProcessLock(${JSON.stringify(folder)}).then(() => 'held', () => 'rejected'));
    setInterval(() => {}, 60_000);`;
  const contender = spawn(process.execPath, ['--input-type=module', '-e', script, 'start.ts'], { stdio: 'pipe' });
  const [outcome] = await once(contender.stdout, 'data');
  return { outcome: String(outcome), contender };
}

test('if several processes find the lock of a killed runtime, at most one process acquires the lock', async () => {
  for (let round = 0; round < 3; round++) {
    await writeFile(join(folder, 'lock'), '2147483646');
    const contenders = await Promise.all([contend(), contend(), contend(), contend()]);
    for (const { contender } of contenders) contender.kill('SIGKILL');
    const outcomes = contenders.map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'held').length).toBeLessThanOrEqual(1);
    expect(outcomes.every((outcome) => outcome === 'held' || outcome === 'rejected')).toBe(true);
  }
}, 30_000);
