import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { HELP, isHelpRequested, parseStartOptions } from '../../../../infra/local/runtime/options.ts';

test.each([
  [['--prot', '4000']],
  [['--port', 'abc']],
  [['--port', '70000']],
  // The pages would use port 65535, and the webhook receiver 65536, which is not a port.
  [['--port', '65534']],
  [['--port', '-1']],
  [['--port']],
  [['extra']],
])('the arguments %j are rejected with one line that lists the options', (args) => {
  expect(() => parseStartOptions(args, {})).toThrow(/^[^\n]+\. Options: --reset .*--port N.*--state FOLDER\.$/);
});

test('0: --help prints every option in lines of at most 80 characters and starts nothing', async () => {
  for (const args of [['--help'], ['-h'], ['--empty', '--help', '--prot']]) expect(isHelpRequested(args)).toBe(true);
  expect(isHelpRequested(['--empty'])).toBe(false);
  const folder = await mkdtemp(join(tmpdir(), 'tributary-help-'));
  const start = join(import.meta.dirname, '../../../../infra/local/start.ts');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [start, '--help', '--state', folder]);
  expect([stdout, stderr, await readdir(folder)]).toEqual([`${HELP}\n`, '', []]);
  for (const option of ['--reset', '--empty', '--port', '--origin', '--webhook-origin', '--state']) {
    expect(stdout).toContain(`  ${option} `);
  }
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  await rm(folder, { recursive: true });
});

test('options have defaults, and LOCAL_RATE_LIMITS=off disables the rate limits', () => {
  expect(parseStartOptions([], {})).toMatchObject({
    origins: [],
    webhookOrigins: [],
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
    webhookOrigins: [],
    rateLimits: false,
  });
});

test.each(['localhost:5173', 'http://localhost:5173/', 'http://LOCALHOST', 'ftp://a.example', '*', 'http://a:80'])(
  'the origin %s is rejected',
  (origin) => {
    expect(() => parseStartOptions(['--origin', origin], {})).toThrow('--origin must be an origin');
    expect(() => parseStartOptions(['--webhook-origin', origin], {})).toThrow('--webhook-origin must be an origin');
  },
);
