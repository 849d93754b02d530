import { execFile, execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeBlocksOf, readDocument } from '../support/documents.ts';
import { freePort } from '../support/free-port.ts';
import { type LocalRuntime, startLocalRuntime } from '../support/local/runtime.ts';

const ROOT = join(import.meta.dirname, '../..');

/**
 * The documents whose commands are run, in this order and in one shell, because commands use variables and results of
 * earlier commands. `test/docs/commands.test.ts` checks that no document is missing.
 */
const DOCUMENTS = [
  'README.md',
  'docs/guides/laptop.md',
  'docs/webhooks.md',
  'docs/notifications.md',
  'docs/guides/training.md',
  'docs/guides/operators.md',
  'docs/guides/deployment.md',
];

/** Functions that check the output of a block, by the name of the block. */
const CHECKS: Record<string, (printed: string) => void | Promise<void>> = {
  'main-operations': (printed) =>
    expect(jsonIn(printed)).toEqual([
      { data: handle },
      { received: 1 },
      {
        overview: { totalStarts: expect.any(Number), totalCompletions: 0, conversionRate: 0 },
        devices: expect.any(Array),
      },
      expect.objectContaining({ id: expect.any(String), name: 'Price objection' }),
    ]),
  verification: (printed) =>
    expect(jsonIn(printed)).toEqual([
      { data: { channel: 'email', masked_destination: 'a***@s***.example', available_channels: ['email'] } },
      { data: { verified: true, contact_field: 'email' } },
    ]),
  'ai-stream': (printed) => expect(printed).toContain('built-in writer'),
  upload: (printed) =>
    expect(jsonIn(printed)).toEqual([
      { data: expect.objectContaining({ name: 'plan.pdf', mimeType: 'application/pdf' }) },
    ]),
  'webhook-receiver': (printed) =>
    expect(jsonIn(printed)).toMatchObject([
      { deliveries: [{ path: '/hook', type: 'endpoint.test', signature: 'not-verified', response: 204 }] },
    ]),
  'webhook-endpoint': (printed) => expect(printed).toMatch(/^whsec_[\w+/]{43}=$/m),
  'webhook-test': (printed) =>
    expect(jsonIn(printed)).toEqual([
      {
        delivered: true,
        messageId: expect.stringMatching(/^msg_/),
        status: 204,
        durationMs: expect.any(Number),
        problem: null,
      },
    ]),
  'webhook-lead': async (printed) => {
    const [submitted = '', ...signatures] = printed.split('\n');
    expect(signatures.slice(0, 2)).toEqual(['lead.created: signature valid', 'endpoint.test: signature valid']);
    const response = await fetch(runtime.demo.webhookReceiver.deliveries);
    const { deliveries } = (await response.json()) as { deliveries: { body: string }[] };
    expect(deliveries.map(({ body }) => JSON.parse(body))).toContainEqual({
      type: 'lead.created',
      timestamp: expect.any(String),
      data: expect.objectContaining({
        leadId: JSON.parse(submitted).data.id,
        seq: expect.any(Number),
        lead: expect.objectContaining({ data: { name: 'Kim Example', email: 'kim@shop.example' } }),
      }),
    });
  },
  'webhook-own-receiver': async (printed) => {
    expect(jsonIn(printed)).toMatchObject([{ url: `${ownReceiver}/` }, { delivered: true, status: 204 }]);
    expect(await readFile(join(folder, 'receiver.printed'), 'utf8')).toMatch(
      /^Listening on port \d+\.\nMissing required headers\nendpoint\.test\n/,
    );
  },
  'webhook-deliveries': (printed) =>
    expect(jsonIn(printed)).toMatchObject([
      { deliveries: [{ type: 'lead.created', status: 'delivered', attempts: [{ number: 1, status: 204 }] }] },
    ]),
  'webhook-redelivery': (printed) =>
    expect(jsonIn(printed)).toMatchObject([{ success: true }, { includeDelivered: false }]),
  'webhook-resume': (printed) => expect(jsonIn(printed)).toMatchObject([{ enabled: true, pausedAt: null }]),
  'webhook-rotation': (printed) =>
    expect(jsonIn(printed)).toMatchObject([
      { secret: expect.stringMatching(/^whsec_/), secretRotatedAt: expect.any(String) },
    ]),
  'webhook-change': (printed) =>
    expect(jsonIn(printed)).toMatchObject([
      { enabled: false, description: 'My first endpoint' },
      {
        endpoints: expect.arrayContaining([
          expect.objectContaining({ enabled: false, description: 'My first endpoint' }),
        ]),
      },
      { success: true },
    ]),
  'notification-address': (printed) => expect(printed).toBe(''),
  'notification-confirm': (printed) => expect(printed.trim()).toBe('<h1>Bestätigt</h1>'),
  'notification-lead': (printed) =>
    expect(printed).toMatch(/New lead\n\nname: Robin Example\nemail: robin@shop\.example\n/),
  'notification-change': (printed) =>
    expect(jsonIn(printed)).toMatchObject([
      { mode: 'daily_digest', status: 'confirmed' },
      { addresses: expect.arrayContaining([expect.objectContaining({ address: 'leads@northlight.example' })]) },
      { success: true },
    ]),
  rehearsal: (printed) =>
    expect(printed).toMatch(
      /^SCORE \d+ of 100 \(provisional\)$.*^CALL .*ready, \d+ of 100, provisional$.*^CASE .*The sceptical homeowner.*^agent +agent_/ms,
    ),
  'training-session': (printed) =>
    expect(jsonIn(printed)).toMatchObject([
      { token: expect.stringMatching(/^ws:/), systemPrompt: expect.stringContaining('Alex') },
      { id: runtime.demo.readyCallId, status: 'ready', score: { total: expect.any(Number) } },
    ]),
  customer: expectCustomer,
  leads: async (printed) => {
    expect(printed).toContain('ada@shop.example');
    expect(await readFile(join(folder, 'leads.csv'), 'utf8')).toContain('ada@shop.example');
  },
  'analytics-upkeep': (printed) => expect(printed).toMatch(/^fresh facts +\d.*^raw events +0 events in 0 files$/ms),
  costs: (printed) => expect(printed).toMatch(/10B.*\$.*Analytics/is),
};

let folder: string;
let runtime: LocalRuntime;

/** Address of `receiver.mjs`. */
let ownReceiver: string;

/** Commands that replace manual steps, by the name of a block. The text before the block describes the steps. */
const BY_HAND: Record<string, string> = {
  'webhook-test': `curl -s -X PUT "$(demo webhookReceiver.page)secrets" -H 'content-type: application/json' \
    -d '{"secrets":["'$(tail -1 webhook-endpoint.printed)'"]}'`,
  'webhook-own-receiver': `ln -s '${join(ROOT, 'node_modules')}' node_modules
    WEBHOOK_SIGNING_SECRET=$(tail -1 webhook-endpoint.printed) node receiver.mjs > receiver.printed 2>&1 &
    trap "kill $!" EXIT
    until curl -s http://127.0.0.1:4000/; do sleep 0.1; done`,
};

const hasShell = (() => {
  try {
    execFileSync('bash', ['-c', 'command -v curl']);
    return true;
  } catch {
    return false;
  }
})();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-readme-'));
  ownReceiver = `http://127.0.0.1:${await freePort()}`;
  runtime = await startLocalRuntime({
    state: join(folder, '.local'),
    args: ['--empty', '--webhook-origin', ownReceiver],
  });
}, 120_000);

afterAll(async () => {
  await runtime?.stop();
  await rm(folder, { recursive: true, force: true });
}, 30_000);

const blocks = DOCUMENTS.flatMap(codeBlocksOf).filter(({ attributes }) => attributes.test !== undefined);

test('every shell block with the attribute `test` has a check, and every check has a shell block', () => {
  expect(blocks.map(({ attributes }) => attributes.test).sort()).toEqual(Object.keys(CHECKS).sort());
});

describe.skipIf(!hasShell)('the commands of the README and the guides work as pasted', () => {
  let stopped: string | undefined;
  beforeAll(async () => {
    stopped = await runInOneShell(blocks.map(({ attributes, text }) => [attributes.test ?? '', text]));
  }, 240_000);

  test.each(blocks.map(({ document, line, attributes: { test: name = '' } }) => ({ name, document, line })))(
    '$name ($document, line $line)',
    async ({ name }) => {
      const printed = await readFile(join(folder, `${name}.printed`), 'utf8').catch(() => undefined);
      if (printed === undefined)
        throw new Error(`The block was not run, because a block before it failed.\n${stopped}`);
      if (stopped?.startsWith(`${name}:`)) throw new Error(stopped);
      await CHECKS[name]?.(printed);
    },
  );
});

/**
 * Runs the blocks in one shell, and writes the output of each block to a separate file.
 *
 * @returns the name and the error output of a block that fails; no later block is run
 */
async function runInOneShell(named: readonly (readonly [string, string])[]): Promise<string | undefined> {
  const script = join(folder, 'commands.sh');
  await writeFile(script, 'set -e -o pipefail\n');
  for (const { attributes, text } of DOCUMENTS.flatMap(codeBlocksOf))
    if (attributes.file !== undefined) await writeFile(join(folder, attributes.file), withState(text));
  for (const [name, pasted] of named)
    await appendFile(
      script,
      `echo '${name}' > block-name\n${withState(BY_HAND[name] ?? '')}\nexec > '${name}.printed'\n${withState(pasted)}\n`,
    );
  try {
    await promisify(execFile)('bash', [script], { cwd: folder });
    return undefined;
  } catch (error) {
    const name = (await readFile(join(folder, 'block-name'), 'utf8')).trim();
    return `${name}: ${(error as { stderr: string }).stderr}`;
  }
}

/**
 * Adapts pasted commands to the test. Replaces npm, because npm would run the commands in the root of the repository.
 * Replaces the port of `receiver.mjs`, and fills in `LEAD_ID`.
 */
function withState(pasted: string): string {
  const state = join(folder, '.local');
  return pasted
    .replaceAll(
      /npm run (?:-s )?admin --/g,
      `'${process.execPath}' '${join(ROOT, 'infra/cli/main.ts')}' --state '${state}'`,
    )
    .replaceAll(/npm run (?:-s )?cost(?: --)?/g, `'${process.execPath}' '${join(ROOT, 'infra/cli/cost/main.ts')}'`)
    .replaceAll(/\b4000\b/g, new URL(ownReceiver).port)
    .replaceAll('infra/local/seed/', join(ROOT, 'infra/local/seed/'))
    .replace('LEAD_ID', `$(node -p 'JSON.parse(process.argv[1]).lead_id' "$LEAD")`);
}

const handle = { id: expect.any(String), update_token: expect.any(String) };

/** Finds the submits in a text that use this shell variable as funnel id. Returns the keys of their `data`. */
function submittedKeys(text: string, variable: string): string[] {
  const submits = [
    ...text.matchAll(/funnel\/\$(\w+)\/submit"[^']*'content-type: application\/json'[\s\\]+-d '(.*?)'/g),
  ];
  return submits.flatMap(([, funnel, body = '{}']) => (funnel === variable ? Object.keys(JSON.parse(body).data) : []));
}

test('every submit in the README and the guides sends only fields that the funnel declares', async () => {
  const text = DOCUMENTS.map(readDocument).join('\n');
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

/** Checks the set-up of a new organization with funnel, page and hostname, and the export and erasure of a lead. */
async function expectCustomer(printed: string): Promise<void> {
  expect(printed).toMatch(/^The user [0-9a-f-]{36} is now a member, as owner\.$/m);
  const [submitted, copied, , removed] = jsonIn(
    printed
      .split('\n')
      .flatMap((line) => line.match(/\{.*\}/) ?? [])
      .join('\n'),
  );
  expect(submitted).toEqual({ data: handle });
  expect(copied).toEqual({ landingPageId: expect.any(String) });
  expect(removed).toEqual({ success: true });
  expect(printed).toMatch(/^orders\.mill-lane\.example is verified\.$.*^status +(?:verified|active)$/ms);
  // The lead was exported before it was erased.
  expect(printed).toMatch(/^FUNNEL .*LEADS.*\n[0-9a-f-]{36} +1 +1 +0 +0 +0$/m);
  const handed = JSON.parse(await readFile(join(folder, 'ada', 'leads.json'), 'utf8'));
  expect(JSON.stringify(handed)).toContain('ada@cakes.example');
}

const jsonIn = (printed: string): unknown[] =>
  printed
    .replaceAll('}{', '}\n{')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
