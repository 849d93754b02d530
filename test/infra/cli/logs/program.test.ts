import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runLogs } from '../../../../infra/cli/logs/program.ts';
import { formatAccessLogLine } from '../../../../infra/local/gateway/access-log.ts';

let state: string;
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'tributary-logs-'));
});
afterAll(() => rm(state, { recursive: true }));

async function logs(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: '', err: '' };
  const terminal = {
    columns: undefined,
    write: async (text: string) => {
      printed.out += text;
    },
    note: (line: string) => {
      printed.err += `${line}\n`;
    },
  };
  const code = await runLogs([...args, '--state', state], terminal, AbortSignal.timeout(10_000));
  return { code, ...printed };
}

const accessLine = (requestId: string) =>
  formatAccessLogLine(
    { requestId, operation: 'funnel/submit' },
    { at: new Date(), milliseconds: 1, method: 'POST', path: '/', status: 200 },
  );
const functionLine = (requestId: string, level: string, id = 'funnel/submit') =>
  JSON.stringify({ level, message: `${level} of ${requestId}`, function: id, requestId });

test('1: without logs, the message says how to start the service', async () => {
  const { code, err } = await logs('--no-follow');
  expect([code, err]).toEqual([1, expect.stringMatching(/^There are no logs in .*"npm start" or "npm run dev"/)]);
});

test('0: --no-follow prints the last 20 requests, with errors and plain text of functions, but no info lines', async () => {
  const lines = Array.from({ length: 25 }, (_, index) => [
    functionLine(`id${index}=`, index === 24 ? 'error' : 'info'),
    ...(index === 23 ? ['printed by a function'] : []),
    accessLine(`id${index}=`),
  ]);
  await writeFile(join(state, 'functions.log'), `${lines.flat().join('\n')}\nan incomplete li`);
  const { code, out } = await logs('--no-follow');
  expect(code).toBe(0);
  expect(out.match(/id\d+=/g)).toEqual([
    ...Array.from({ length: 19 }, (_, index) => `id${index + 5}=`),
    'id24=',
    'id24=',
  ]);
  expect(out).toContain('error  funnel/submit: error of id24=');
  expect(out).toContain('\n  printed by a function\n');
});

test('0: --id prints the lines of one request from all files and functions; 1: says that no line has the given id', async () => {
  const metric = { function: 'background/analyse-call', requestId: 'id1=', Calls: 2 };
  const _aws = { CloudWatchMetrics: [{ Metrics: [{ Name: 'Calls' }] }] };
  await writeFile(join(state, 'functions.log.1'), `${functionLine('id1=', 'info')}\n${accessLine('id1=')}\n`);
  await writeFile(
    join(state, 'functions.log'),
    `${functionLine('id1=', 'info', 'background/analyse-call')}\n${accessLine('id2=')}\n`,
  );
  await writeFile(join(state, 'metrics.log'), `${JSON.stringify({ ...metric, _aws })}\n`);
  const { code, out } = await logs('--id', 'id1=');
  expect(code).toBe(0);
  expect(out.split('\n')).toEqual([
    expect.stringMatching(/200 .* funnel\/submit +id1=$/),
    '  info   funnel/submit: info of id1=',
    '  info   background/analyse-call: info of id1=',
    '  metric background/analyse-call: Calls=2',
    '',
  ]);
  expect(await logs('--id', 'id3=')).toMatchObject({ code: 1, out: '', err: expect.stringContaining('id3=') });
});
