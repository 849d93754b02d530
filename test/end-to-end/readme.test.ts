import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalRuntime, startLocalRuntime } from '../support/local/runtime.ts';

const ROOT = join(import.meta.dirname, '../..');

let folder: string;
let runtime: LocalRuntime;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-readme-'));
  runtime = await startLocalRuntime({ state: join(folder, '.local'), args: ['--empty'] });
}, 120_000);

afterAll(async () => {
  await runtime?.stop();
  await rm(folder, { recursive: true, force: true });
}, 30_000);

const hasShell = (() => {
  try {
    execFileSync('bash', ['-c', 'command -v curl']);
    return true;
  } catch {
    return false;
  }
})();

/** The documents whose commands are run. The commands of a document use results of the documents before it. */
const DOCUMENTS = ['README.md', 'docs/guides/training.md', 'docs/guides/operators.md'];

const readDocuments = async () =>
  (await Promise.all(DOCUMENTS.map((path) => readFile(join(ROOT, path), 'utf8')))).join('\n');

/** Returns the shell blocks that need only a running service. */
async function pastedBlocks(): Promise<string[]> {
  const text = await readDocuments();
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, lines = '']) => lines);
  return blocks.filter((lines) => /^(?:curl|demo\(\)|npm run admin)/m.test(lines));
}

/** Runs pasted lines in a shell. The commands use the state folder of this test. */
async function run(pasted: string): Promise<string> {
  const admin = `node '${join(ROOT, 'infra/cli/main.ts')}' --state '${join(folder, '.local')}'`;
  const script = pasted
    .replaceAll(/npm run (?:-s )?admin --/g, admin)
    .replaceAll('infra/local/seed/', join(ROOT, 'infra/local/seed/'))
    .replace('LEAD_ID', `$(node -p 'JSON.parse(process.argv[1]).lead_id' "$LEAD")`);
  const { stdout } = await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: folder });
  return stdout;
}

const handle = { id: expect.any(String), update_token: expect.any(String) };

test.skipIf(!hasShell)(
  'the commands of the README and the guides work as pasted',
  async () => {
    const blocks = await pastedBlocks();
    const pasted = blocks.map((block) => `${block}\nprintf '\\n----\\n'`).join('\n');
    const [
      first = '',
      codes = '',
      answer = '',
      upload = '',
      training = '',
      session = '',
      walk = '',
      operator = '',
      upkeep = '',
    ] = (await run(pasted)).split('\n----\n');
    expect(jsonIn(first)).toEqual([
      { data: handle },
      { received: 1 },
      {
        overview: { totalStarts: expect.any(Number), totalCompletions: 0, conversionRate: 0 },
        devices: expect.any(Array),
      },
      expect.objectContaining({ id: expect.any(String), name: 'Price objection' }),
    ]);
    expect(jsonIn(codes)).toEqual([
      { data: { channel: 'email', masked_destination: 'a***@s***.example', available_channels: ['email'] } },
      { data: { verified: true, contact_field: 'email' } },
    ]);
    expect(answer).toContain('built-in writer');
    expect(jsonIn(upload)).toEqual([
      { data: expect.objectContaining({ name: 'plan.pdf', mimeType: 'application/pdf' }) },
    ]);
    expect(training).toMatch(
      /^SCORE \d+ of 100 \(provisional\)$.*^CALL .*ready, \d+ of 100, provisional$.*^CASE .*The sceptical homeowner.*^agent +agent_/ms,
    );
    expect(jsonIn(session)).toMatchObject([
      { token: expect.stringMatching(/^ws:/), systemPrompt: expect.stringContaining('Alex') },
      { id: runtime.demo.readyCallId, status: 'ready', score: { total: expect.any(Number) } },
    ]);
    await walked(walk);
    expect(operator).toContain('ada@shop.example');
    expect(await readFile(join(folder, 'leads.csv'), 'utf8')).toContain('ada@shop.example');
    expect(upkeep).toMatch(/^fresh facts +\d.*^raw events +0 events in 0 files$/ms);
    expect(blocks).toHaveLength(9);
  },
  240_000,
);

/** Returns the keys of `data` that a text submits to the funnel whose id is in a shell variable. */
function submittedKeys(text: string, variable: string): string[] {
  const submits = [
    ...text.matchAll(/funnel\/\$(\w+)\/submit"[^']*'content-type: application\/json'[\s\\]+-d '(.*?)'/g),
  ];
  return submits.flatMap(([, funnel, body = '{}']) => (funnel === variable ? Object.keys(JSON.parse(body).data) : []));
}

test('submits in the README and the guides send fields that their funnels declare', async () => {
  const text = await readDocuments();
  const example = JSON.parse(await readFile(join(ROOT, 'infra/local/seed/example-funnel.json'), 'utf8'));
  for (const [variable, fields] of [
    ['FUNNEL', runtime.demo.funnel.fields],
    ['CAKES', example.fields],
  ] as const) {
    const sent = submittedKeys(text, variable);
    expect(sent.length).toBeGreaterThan(1);
    expect(fields.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(sent));
  }
});

/** Checks the output of the operators' guide: a new organization gets a funnel on its own hostname, and is erased. */
async function walked(output: string): Promise<void> {
  expect(output).toMatch(/^The user [0-9a-f-]{36} is now a member, as owner\.$/m);
  const [submitted, copied, , removed] = jsonIn(
    output
      .split('\n')
      .flatMap((line) => line.match(/\{.*\}/) ?? [])
      .join('\n'),
  );
  expect(submitted).toEqual({ data: handle });
  expect(copied).toEqual({ landingPageId: expect.any(String) });
  expect(removed).toEqual({ success: true });
  expect(output).toMatch(/^orders\.mill-lane\.example is verified\.$.*^status +(?:verified|active)$/ms);
  // One lead was erased. The other lead was exported for its person.
  expect(output).toMatch(/^FUNNEL .*LEADS.*\n[0-9a-f-]{36} +1 +1 +0 +0 +0$/m);
  const handed = JSON.parse(await readFile(join(folder, 'ada', 'leads.json'), 'utf8'));
  expect(JSON.stringify(handed)).toContain('ada@cakes.example');
}

const jsonIn = (printed: string): unknown[] =>
  printed
    .replaceAll('}{', '}\n{')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
