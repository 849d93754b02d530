import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { npmAdmin } from '../support/cli/npm-admin.ts';
import type { LocalRuntime } from '../support/local/runtime.ts';
import { aPng } from '../support/uploads/sample-files.ts';
import { type Call, quantiles, send } from './load.ts';

const ASSETS = 200;
const COPIES = 5;

/** Copies a page and its 200 assets to another organization. Measures milliseconds per copy. */
export async function pageCopies(runtime: LocalRuntime): Promise<{ p50: number; worst: number; failed: number }> {
  const { demo } = runtime;
  const pageId = await aLargePage(runtime);
  const call: Call = {
    url: `${demo.baseUrl}/api/v2/organizations/${demo.organizations.a.id}/landing-pages/${pageId}/copy`,
    method: 'POST',
    headers: { authorization: `Bearer ${demo.tokens.adminAB}`, 'content-type': 'application/json' },
    body: JSON.stringify({ targetOrganizationId: demo.organizations.b.id, copyAssets: true }),
  };
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  let failed = 0;
  for (let copy = 0; copy < COPIES; copy++) {
    const start = performance.now();
    if (!(await send(call, agent))) failed++;
    times.push(performance.now() - start);
  }
  agent.destroy();
  return { p50: quantiles(times).p50, worst: Math.max(...times), failed };
}

/** Adds a page with 200 assets through an operator command. Returns the id of the page. */
async function aLargePage(runtime: LocalRuntime): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-page-'));
  const assets = join(folder, 'assets');
  await mkdir(assets);
  const names = Array.from({ length: ASSETS }, (_, index) => `picture-${index}.png`);
  for (const name of names) await writeFile(join(assets, name), aPng());
  const blocks = names.map((name) => ({
    kind: 'image',
    body: { html: `<img src="/assets/${name}">`, url: `/assets/${name}` },
  }));
  await writeFile(join(folder, 'page.json'), JSON.stringify({ name: 'Many pictures', slug: 'many', blocks }));
  const { organizations } = runtime.demo;
  const added = await npmAdmin(
    runtime,
    'pages',
    'add',
    organizations.a.id,
    join(folder, 'page.json'),
    '--assets',
    assets,
  );
  await rm(folder, { recursive: true });
  if (added.code !== 0) throw new Error(`The page could not be added: ${added.err}`);
  return added.out.trim();
}
