import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { localIssuer } from '../../infra/local/issuer.ts';
import { asksForHelp, HELP, startOptions } from '../../infra/local/options.ts';
import { portFailure } from '../../infra/local/ports.ts';
import { localSecrets } from '../../infra/local/secrets.ts';
import { openStateFolder } from '../../infra/local/state-folder.ts';

let folder: string;
const open = (given: { reset?: boolean } = {}) => openStateFolder(folder, { reset: false, ...given });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-state-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('an unknown option or an impossible port is one sentence that lists the options', () => {
  for (const args of [
    ['--prot', '4000'],
    ['--port', 'abc'],
    ['--port', '70000'],
    ['--port', '-1'],
    ['--port'],
    ['extra'],
  ]) {
    expect(() => startOptions(args, {})).toThrow(/^[^\n]+\. Options: --reset .*--port N.*--state FOLDER\.$/);
  }
});

test('0: --help tells every option in lines that fit a terminal, and starts nothing', async () => {
  for (const args of [['--help'], ['-h'], ['--empty', '--help', '--prot']]) expect(asksForHelp(args)).toBe(true);
  expect(asksForHelp(['--empty'])).toBe(false);
  const start = join(import.meta.dirname, '../../infra/local/start.ts');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [start, '--help', '--state', folder]);
  expect([stdout, stderr, await readdir(folder)]).toEqual([`${HELP}\n`, '', []]);
  for (const option of ['--reset', '--empty', '--port', '--state']) expect(stdout).toContain(`  ${option} `);
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test('options have defaults, and only "off" lifts the rate limits', () => {
  expect(startOptions([], {})).toMatchObject({ reset: false, empty: false, port: 3000, rateLimits: true });
  expect(startOptions(['--port', '4000', '--empty', '--state', '/x'], { LOCAL_RATE_LIMITS: 'off' })).toEqual({
    reset: false,
    empty: true,
    port: 4000,
    state: '/x',
    rateLimits: false,
  });
});

test('a taken port names another one', () => {
  const taken = Object.assign(new Error('taken'), { code: 'EADDRINUSE' });
  expect(portFailure(taken, 3000)).toMatchObject({
    name: 'FriendlyError',
    message: expect.stringMatching(/3000.*--port/),
  });
  const other = new Error('other');
  expect(portFailure(other, 3000)).toBe(other);
});

test('a path that can not be a folder, and a folder of somebody else, are refused untouched', async () => {
  const file = join(folder, 'notes.txt');
  await writeFile(file, 'mine');
  await expect(openStateFolder(join(file, 'state'), { reset: true })).rejects.toThrow(/can not be written .*--state/);
  await expect(open({ reset: true })).rejects.toThrow(/not Tributary's.*--state/);
  expect(await readFile(file, 'utf8')).toBe('mine');
});

test('a state of another layout asks for --reset, which begins afresh', async () => {
  await writeFile(join(folder, 'layout.json'), '{"layout":0}');
  await writeFile(join(folder, 'old'), '');
  await expect(open()).rejects.toThrow(/another version.*--reset --state /);
  const state = await open({ reset: true });
  expect(state.read('old')).toBeUndefined();
  state.release();
});

test('a folder in use is refused; a lock left by a killed runtime is taken over', async () => {
  const other = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)', 'start.ts']);
  await once(other, 'spawn');
  await writeFile(join(folder, 'lock'), String(other.pid));
  await expect(open()).rejects.toThrow(/already runs.*--state and --port/);
  other.kill('SIGKILL');
  await once(other, 'exit');
  (await open()).release();
  // After a kill the number may belong to any program.
  await writeFile(join(folder, 'lock'), String(process.ppid));
  (await open()).release();
});

test('secrets are made once, readable by their owner only, and sign tokens after a restart', async () => {
  const state = await open();
  const secrets = localSecrets(state);
  expect(localSecrets(state)).toEqual(secrets);
  expect(secrets.values.leads).not.toBe(secrets.values.voiceWebhook);
  const { mode } = await import('node:fs').then(({ statSync }) => statSync(join(folder, 'secrets.json')));
  expect(mode & 0o077).toBe(0);
  const token = await localIssuer(secrets).sign('somebody', { expiresInSeconds: -60 });
  const [, payload = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  expect(claims).toMatchObject({ sub: 'somebody', aud: 'tributary' });
  expect(claims.exp).toBeLessThan(Date.now() / 1000);
  state.release();
});

/** Tries to take the lock in a process of its own, and says how that went. */
async function contend(): Promise<string> {
  const lock = join(import.meta.dirname, '../../infra/local/lock.ts');
  const script = `import { takeLock } from ${JSON.stringify(lock)};
    const said = await takeLock(${JSON.stringify(folder)}).then(() => 'held', () => 'refused');
    process.stdout.write(said);
    setTimeout(() => {}, said === 'held' ? 500 : 0);`;
  const starter = spawn(process.execPath, ['--input-type=module', '-e', script, 'start.ts'], { stdio: 'pipe' });
  let said = '';
  starter.stdout.on('data', (chunk) => {
    said += String(chunk);
  });
  await once(starter, 'close');
  return said;
}

test('of several that find the lock of a killed runtime at once, one at most takes it over', async () => {
  for (let round = 0; round < 3; round++) {
    await writeFile(join(folder, 'lock'), '2147483646');
    const outcomes = await Promise.all([contend(), contend(), contend(), contend()]);
    expect(outcomes.filter((said) => said === 'held').length).toBeLessThanOrEqual(1);
    expect(outcomes.every((said) => said === 'held' || said === 'refused')).toBe(true);
  }
}, 30_000);
