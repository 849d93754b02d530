import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { copyCheckout } from '../support/checkout-copy.ts';
import { type LocalRuntime, startLocalRuntime } from '../support/local/runtime.ts';
import { descendants, residentBytes } from './memory.ts';
import { figure, type Row, row } from './table.ts';

const EDITS = 200;
/** Every tenth edit is first saved with a syntax error. */
const BROKEN_EVERY = 10;
/** Number of edits after which the memory has grown to its usual size. */
const WARM_UP_EDITS = 40;
const POLL_MS = 10;
const GIVE_UP_MS = 20_000;
const NEW_REQUESTS = 5;
const SETTLE_MS = 3_000;
const MB = 1024 * 1024;

/** A file, a text in it, and a request whose response contains this text. */
type Editable = { file: string; text: string; send(): Promise<Response> };

function editables({ demo }: LocalRuntime): Editable[] {
  const publicFunnel = `${demo.baseUrl}/api/v2/public/funnel`;
  const organization = `${demo.baseUrl}/api/v2/organizations/${demo.organizations.a.id}`;
  const post = (url: string, body: string, token?: string) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body,
    });
  const get = (url: string, token: string) => fetch(url, { headers: { authorization: `Bearer ${token}` } });
  const id = () => crypto.randomUUID();
  const { adminA, memberA } = demo.tokens;
  return [
    {
      file: 'shared/leads/parse-submit.ts',
      text: 'must be sent together',
      send: () => post(`${publicFunnel}/${demo.funnel.id}/submit`, `{"data":{},"lead_id":"${id()}"}`),
    },
    {
      file: 'shared/funnels/active-funnel.ts',
      text: 'There is no published funnel',
      send: () => post(`${publicFunnel}/${id()}/submit`, '{"data":{}}'),
    },
    {
      file: 'shared/http/middleware/json-body.ts',
      text: 'body must be valid JSON',
      send: () => post(`${publicFunnel}/${demo.funnel.id}/submit`, '{'),
    },
    {
      file: 'shared/training/read-call.ts',
      text: 'There is no training call',
      send: () => get(`${organization}/training/calls/${id()}`, memberA),
    },
    {
      file: 'functions/analytics/analytics-endpoint.ts',
      text: 'There is no funnel with this id',
      send: () => get(`${organization}/funnels/${id()}/analytics/overview`, memberA),
    },
    {
      file: 'shared/landing-pages/copy-page.ts',
      text: 'There is no landing page',
      send: () =>
        post(
          `${organization}/landing-pages/${id()}/copy`,
          `{"targetOrganizationId":"${demo.organizations.a.id}","copyAssets":false}`,
          adminA,
        ),
    },
    {
      file: 'shared/domains/request-removal.ts',
      text: 'There is no domain',
      send: () =>
        fetch(`${organization}/domains/${id()}`, { method: 'DELETE', headers: { authorization: `Bearer ${adminA}` } }),
    },
    {
      file: 'shared/verification/authenticate-lead.ts',
      text: 'There is no lead with this id',
      send: () =>
        post(`${publicFunnel}/${demo.funnel.id}/mfa/send`, `{"lead_id":"${id()}","update_token":"${'x'.repeat(43)}"}`),
    },
    {
      file: 'shared/organizations/membership-authorizer.ts',
      text: 'This operation requires the role',
      send: () => post(`${organization}/training/cases`, '{}', memberA),
    },
    {
      file: 'shared/organizations/oidc/oidc-authenticator.ts',
      text: 'The Authorization header must contain',
      send: () => fetch(`${organization}/training/calls/${id()}`),
    },
  ];
}

/**
 * Runs `npm run dev` in a copy of the checkout, and edits files of the copy. Measures the time from each valid save to
 * the first response of the new code.
 */
export async function devLoop(print: (line: string) => void): Promise<Row[]> {
  const checkout = await copyCheckout();
  try {
    const env = { LOCAL_RATE_LIMITS: 'off' };
    const runtime = await startLocalRuntime({ script: 'dev', root: checkout.root, args: ['--empty'], env });
    try {
      return await editAndMeasure(checkout.root, runtime, print);
    } finally {
      await runtime.stop();
    }
  } finally {
    await checkout.remove();
  }
}

async function editAndMeasure(root: string, runtime: LocalRuntime, print: (line: string) => void): Promise<Row[]> {
  // `npm run dev` begins to watch files up to a few seconds after its first response.
  await delay(SETTLE_MS);
  const files = editables(runtime);
  const times: number[] = [];
  let stale = 0;
  let before = { bytes: 0, processes: 0 };
  for (let edit = 1; edit <= EDITS; edit++) {
    // Shifts the index after each broken edit, so that the broken edits are of different files.
    const { file, text, send } = files[(edit + Math.floor(edit / BROKEN_EVERY)) % files.length] as Editable;
    const path = join(root, file);
    const original = await readFile(path, 'utf8');
    const changed = original.replace(new RegExp(`${text}(?: \\(edit \\d+\\))?`), `${text} (edit ${edit})`);
    const isNew = async () => (await (await send()).text()).includes(`${text} (edit ${edit})`);
    if (edit % BROKEN_EVERY === 0) {
      await writeFile(path, `const broken = ;\n${changed}`);
      await delay(500);
      if (await isNew()) throw new Error(`${file} has a syntax error, but the service runs its code.`);
    }
    await writeFile(path, changed);
    const savedMs = performance.now();
    while (!(await isNew())) {
      if (performance.now() - savedMs > GIVE_UP_MS)
        throw new Error(`Edit ${edit} of ${file} had no effect within ${GIVE_UP_MS / 1_000} s.`);
      await delay(POLL_MS);
    }
    times.push(performance.now() - savedMs);
    for (let request = 0; request < NEW_REQUESTS; request++) if (!(await isNew())) stale += 1;
    if (edit === WARM_UP_EDITS) before = await footprint(runtime.pid);
  }
  const after = await footprint(runtime.pid);
  const sorted = times.toSorted((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  print(`npm run dev: ${EDITS} edits, p50 ${percentile(0.5).toFixed(0)} ms, maximum ${percentile(1).toFixed(0)} ms`);
  const memory = `npm run dev: memory after ${EDITS} edits, divided by that after ${WARM_UP_EDITS} edits`;
  return [
    row('npm run dev: save to first response of new code, p95', percentile(0.95), 1_000, 'ms', 'at most'),
    row('npm run dev: responses of old code after the first response of new code', stale, 0, '', 'at most'),
    row(`npm run dev: additional processes after ${EDITS} edits`, after.processes - before.processes, 0, '', 'at most'),
    row(memory, after.bytes / before.bytes, 1.25, '', 'at most'),
    figure(`npm run dev: resident memory after ${EDITS} edits`, after.bytes / MB, 'MB'),
  ];
}

/** Measures after a pause, in which threads of earlier code end. */
async function footprint(pid: number): Promise<{ bytes: number; processes: number }> {
  await delay(SETTLE_MS);
  return { bytes: await residentBytes(pid), processes: (await descendants(pid)).length };
}
