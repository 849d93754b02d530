import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UserError } from '../../../../infra/local/friendly-error.ts';
import { createLocalIssuer } from '../../../../infra/local/oidc/issuer.ts';
import { toStartError } from '../../../../infra/local/runtime/disk-space.ts';
import { HELP, isHelpRequested, parseStartOptions } from '../../../../infra/local/runtime/options.ts';
import { toPortError } from '../../../../infra/local/runtime/port-errors.ts';
import { loadOrCreateSecrets } from '../../../../infra/local/runtime/secrets.ts';
import { openStateFolder } from '../../../../infra/local/runtime/state-folder.ts';
import { freePort } from '../../../support/free-port.ts';

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
    // The pages listen on the next port.
    ['--port', '65535'],
    ['--port', '-1'],
    ['--port'],
    ['extra'],
  ]) {
    expect(() => parseStartOptions(args, {})).toThrow(/^[^\n]+\. Options: --reset .*--port N.*--state FOLDER\.$/);
  }
});

test('0: --help tells every option in lines that fit a terminal, and starts nothing', async () => {
  for (const args of [['--help'], ['-h'], ['--empty', '--help', '--prot']]) expect(isHelpRequested(args)).toBe(true);
  expect(isHelpRequested(['--empty'])).toBe(false);
  const start = join(import.meta.dirname, '../../../../infra/local/start.ts');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [start, '--help', '--state', folder]);
  expect([stdout, stderr, await readdir(folder)]).toEqual([`${HELP}\n`, '', []]);
  for (const option of ['--reset', '--empty', '--port', '--origin', '--state'])
    expect(stdout).toContain(`  ${option} `);
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test('options have defaults, and only "off" lifts the rate limits', () => {
  expect(parseStartOptions([], {})).toMatchObject({
    origins: [],
    reset: false,
    empty: false,
    port: 3000,
    rateLimits: true,
  });
  expect(parseStartOptions(['--port', '4000', '--empty', '--state', '/x'], { LOCAL_RATE_LIMITS: 'off' })).toEqual({
    reset: false,
    empty: true,
    port: 4000,
    state: '/x',
    origins: [],
    rateLimits: false,
  });
});

const failure = (code: string) => Object.assign(new Error(code), { code });

test('a taken port is named with what needs it and with what to pass instead', () => {
  const taken = failure('EADDRINUSE');
  expect(toPortError(taken, 'api', 3000)).toMatchObject({
    name: 'FriendlyError',
    message: expect.stringMatching(/^Port 3000, for the API, is taken .*"npm start -- --port 8080"/),
  });
  expect(toPortError(taken, 'pages', 3001)).toMatchObject({
    name: 'FriendlyError',
    message: expect.stringMatching(
      /^Port 3001, for the pages \(one above the API's\), is taken .*"npm start -- --port 8080"/,
    ),
  });
  const other = new Error('other');
  expect(toPortError(other, 'api', 3000)).toBe(other);
});

test('1: `npm start` beside a program on the port of its pages ends, and names that port', async () => {
  const port = await freePort();
  const server = createServer().listen(port + 1, '127.0.0.1');
  await once(server, 'listening');
  const start = join(import.meta.dirname, '../../../../infra/local/start.ts');
  const started = promisify(execFile)(process.execPath, [start, '--port', String(port), '--state', folder]);
  await expect(started).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^Port ${port + 1}, for the pages .* is taken .*--port \\d+`)),
  });
  server.close();
}, 60_000);

test('a failure of the file system is a sentence that says why and what to do, without a code', () => {
  const sentences = ['ENOSPC', 'EROFS', 'EACCES', 'ENOTDIR'].map((code) => {
    const failed = toStartError(failure(code), '/state', 1e12);
    return failed instanceof UserError ? failed.message : failed;
  });
  expect(sentences).toEqual([
    'The state folder /state can not be written: its disk is full. Free some space, or name a folder on another disk with --state.',
    'The state folder /state can not be written: its file system is read-only. Name a folder elsewhere with --state.',
    'The state folder /state can not be written: this user may not write there. Change its permissions, or name another folder with --state.',
    'The state folder /state can not be written: a part of its path is a file. Name another folder with --state.',
  ]);
});

test('a stand-in that fails on a full disk is reported as a full disk; on another one, as it is', () => {
  const timeout = failure('ETIMEDOUT');
  expect(toStartError(timeout, '/state', 1_000)).toMatchObject({
    name: 'FriendlyError',
    message: expect.stringMatching(/^The disk of \/state is full: .*--state/),
  });
  expect(toStartError(timeout, '/state', 1e12)).toBe(timeout);
  expect(toStartError(timeout, '/state', undefined)).toBe(timeout);
});

test('a log that can not be written is named once at the terminal, and ends nothing', async () => {
  const log = join(import.meta.dirname, '../../../../infra/local/lambda/logs.ts');
  const script = `import { redirectFunctionLogs } from ${JSON.stringify(log)};
    redirectFunctionLogs('/dev/full', '/dev/null');
    for (let line = 0; line < 3; line++) { console.log('a line'); await new Promise((resolve) => setTimeout(resolve, 50)); }`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(stdout).toBe('  The log /dev/full can not be written: its disk is full.\n');
});

test('a path that can not be a folder, and a folder of somebody else, are refused untouched', async () => {
  const file = join(folder, 'notes.txt');
  await writeFile(file, 'mine');
  await expect(openStateFolder(join(file, 'state'), { reset: true })).rejects.toThrow(
    /can not be written: a part of its path is a file\. .*--state/,
  );
  await expect(open({ reset: true })).rejects.toThrow(/not Tributary's.*--state/);
  expect(await readFile(file, 'utf8')).toBe('mine');
});

test('a state of another layout asks for --reset, which begins afresh', async () => {
  await writeFile(join(folder, 'layout.json'), '{"layout":0}');
  await writeFile(join(folder, 'old'), '');
  await expect(open()).rejects.toThrow(
    /written by an older version \(layout 0\).*deletes all of it: .*--reset --state /,
  );
  await writeFile(join(folder, 'layout.json'), '{"layout":99,"version":"9.1.0"}');
  await expect(open()).rejects.toThrow(
    /written by version 9\.1\.0 \(layout 99\), .*this is version 2\.0\.0 \(layout \d+\)/,
  );
  const state = await open({ reset: true });
  expect(state.read('old')).toBeUndefined();
  expect(JSON.parse(state.read('layout.json') ?? '')).toMatchObject({ version: '2.0.0' });
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
  const secrets = loadOrCreateSecrets(state);
  expect(loadOrCreateSecrets(state)).toEqual(secrets);
  expect(secrets.values.leads).not.toBe(secrets.values.voiceWebhook);
  const { mode } = await import('node:fs').then(({ statSync }) => statSync(join(folder, 'secrets.json')));
  expect(mode & 0o077).toBe(0);
  const token = await createLocalIssuer(secrets).sign('somebody', { expiresInSeconds: -60 });
  const [, payload = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  expect(claims).toMatchObject({ sub: 'somebody', aud: 'tributary' });
  expect(claims.exp).toBeLessThan(Date.now() / 1000);
  state.release();
});

/** Tries to take the lock in a process of its own, and says how that went. */
async function contend(): Promise<string> {
  const lock = join(import.meta.dirname, '../../../../infra/local/runtime/process-lock.ts');
  const script = `import { acquireProcessLock } from ${JSON.stringify(lock)};
    const said = await acquireProcessLock(${JSON.stringify(folder)}).then(() => 'held', () => 'refused');
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

test('bench --help lists its sections and measures nothing; an unknown section points to it', async () => {
  const bench = join(import.meta.dirname, '../../../bench/run.ts');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [bench, '--help']);
  expect([stdout, stderr]).toEqual([
    expect.stringMatching(/^Usage: npm run bench -- \[section\].*\bproduct\b.*\bsynth\b/s),
    '',
  ]);
  const refused = promisify(execFile)(process.execPath, [bench, 'speed']);
  await expect(refused).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(/no section speed.*--help/s) });
});
