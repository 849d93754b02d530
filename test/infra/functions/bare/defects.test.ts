import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bareMachine, type Machine, startBare } from '../../../support/lambda-runtime/bare-function.ts';

// Checks that a bare process provides only what Lambda provides, because the other tests in this folder rely on this.

let machine: Machine;
beforeAll(async () => {
  machine = await bareMachine();
});
afterAll(() => machine.remove());

let functions = 0;

async function started(source: string, environment: Record<string, string> = {}) {
  const name = `defect-${++functions}`;
  const asset = join(machine.folder, 'assets', name);
  mkdirSync(asset, { recursive: true });
  writeFileSync(join(asset, 'index.mjs'), source);
  return startBare(machine, {
    name,
    asset,
    environment,
    handler: 'index.handler',
    memoryMb: 512,
    timeoutSeconds: 10,
  });
}

async function outcome(source: string, environment: Record<string, string> = {}) {
  const bare = await started(source, environment);
  expect(bare.init).toBe('ready');
  const result = await bare.invoke({ asked: 1 });
  await bare.stop();
  return { ...result, connections: bare.connections };
}

describe('an init fails', () => {
  test.concurrent.each([
    ['a module is missing', "import 'zod'; export const handler = async () => 1;", 'zod'],
    ['a module of the repository is imported', `import '${join(process.cwd(), 'infra/outputs.ts')}';`, 'restricted'],
    ['the top level throws', "throw new Error('no table'); export const handler = async () => 1;", 'no table'],
    ['the handler is not exported', 'export const main = async () => 1;', 'index.handler is undefined'],
    ['the handler takes a callback', 'export const handler = (a, b, c) => c(null, a, b);', 'reject callbacks'],
    ['the module ends the process', 'process.exit(0);', 'ended with 0'],
  ])('when %s', async (_, source, reason) => {
    const bare = await started(source);
    await bare.stop();
    expect(bare.init).toMatchObject({ errorMessage: expect.stringContaining(reason) });
  });
});

describe('an invocation in a bare process', () => {
  test.concurrent("returns the handler's result, and passes the handler the event, Lambda's context and the environment", async () => {
    const source = `export const handler = async (event, context) =>
      [event.asked, context.functionName, context.getRemainingTimeInMillis() > 0, process.env.HOME ?? 'no home', process.env.TABLE];`;
    const result = await outcome(source, { TABLE: 'leads' });
    expect(result).toMatchObject({ kind: 'answered', streamed: false });
    const [asked, name, inTime, home, table] = JSON.parse(result.kind === 'answered' ? `${result.bytes}` : '[]');
    expect([asked, inTime, home, table]).toEqual([1, true, 'no home', 'leads']);
    expect(name).toMatch(/^defect-/);
  });

  test.concurrent('fails if the handler throws', async () => {
    const result = await outcome("export const handler = async () => { throw new TypeError('no key'); };");
    expect(result).toMatchObject({ kind: 'failed', errorType: 'TypeError', errorMessage: 'no key' });
  });

  test.concurrent('cannot write outside of its /tmp', async () => {
    const beside = join(machine.folder, 'beside.txt');
    const result = await outcome(`import { writeFile } from 'node:fs/promises';
      export const handler = () => writeFile('${beside}', 'x');`);
    expect(result).toMatchObject({ kind: 'failed', errorMessage: expect.stringContaining('restricted') });
    expect(existsSync(beside)).toBe(false);
  });

  test.concurrent('cannot connect to another host', async () => {
    const result = await outcome("export const handler = () => fetch('https://203.0.113.1/').then(() => 'reached');");
    expect(result).toMatchObject({ kind: 'failed', errorMessage: 'fetch failed' });
    expect(result.connections).toEqual([
      { what: 'connection', to: '203.0.113.1:443', phase: 'invocation', refused: true },
    ]);
  });

  test.concurrent('reports an error that the handler throws after it streamed bytes', async () => {
    const result = await outcome(`export const handler = awslambda.streamifyResponse(async (event, stream) => {
      stream.write('begun'); await new Promise((later) => setTimeout(later, 5)); throw new Error('broken'); });`);
    expect(result).toMatchObject({ kind: 'failed', errorMessage: 'broken', afterBytes: 5 });
  });
});

test('a connection that a module opens during its import is reported', async () => {
  const bare = await started(
    "await fetch('http://example.com/').catch(() => 0); export const handler = async () => 1;",
  );
  await bare.stop();
  expect(bare.connections).toMatchObject([{ to: 'example.com:80', phase: 'init', refused: true }]);
});

test('no parent folder of a function has node_modules', () => {
  for (let folder = machine.folder; folder !== dirname(folder); folder = dirname(folder))
    expect(existsSync(join(folder, 'node_modules'))).toBe(false);
});
