import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { CREDENTIALS } from '../../infra/local/runtime/environment.ts';
import type { Demo } from '../../infra/local/seed/demo-json.ts';
import { toNewItem } from '../../shared/leads/aws/lead-item.ts';
import { aLeadChange, DAY_MS, NOON } from '../support/leads/lead-repository.ts';
import { startLocalRuntime } from '../support/local/runtime.ts';
import { type Row, row } from './table.ts';

const LEADS = 100_000;
const BATCH = 25;
const WRITERS = 8;
const MB = 1024 * 1024;

/**
 * Measures the whole command `npm run admin -- leads export` with a local table and Node's default heap.
 * `test/infra/cli/leads/export-size.test.ts` checks that the command's memory does not grow with the number of leads.
 */
export async function leadExport(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-export-'));
  const { demo, state, stop } = await startLocalRuntime({ args: ['--empty'] });
  try {
    await fill(demo);
    const { perSecond, bytes } = await exported(demo.emptyFunnel.id, state, join(folder, 'leads.csv'));
    return [
      row(`leads export: rows/s of ${LEADS.toLocaleString('en')} leads`, perSecond, 5_000, '', 'at least'),
      row('leads export: peak memory', bytes / MB, 512, 'MB', 'at most'),
    ];
  } finally {
    await stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes leads with typical data, spread over a year. */
async function fill({ emptyFunnel, aws }: Demo): Promise<void> {
  const { region, dynamodb: endpoint } = aws;
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region, endpoint, credentials: CREDENTIALS }));
  let left = LEADS;
  const writer = async () => {
    while (left > 0) {
      const size = Math.min(BATCH, left);
      left -= size;
      const items = Array.from({ length: size }, () => aLeadItem(emptyFunnel.id));
      const requests = items.map((Item) => ({ PutRequest: { Item } }));
      await client.send(new BatchWriteCommand({ RequestItems: { [aws.tables.leads]: requests } }));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  client.destroy();
}

function aLeadItem(funnelId: string) {
  const said = {
    name: 'Ada Example',
    email: 'ada@shop.example',
    phone: '+4930901820',
    message: 'Please call me back in the afternoon; the roof looks to the south, and has no shade. '.repeat(2),
    rooms: 5,
    owner: true,
  };
  const atMs = NOON - Math.floor(Math.random() * 365) * DAY_MS - Math.floor(Math.random() * DAY_MS);
  const changes = new Map(Object.entries(said).map(([key, value]) => [key, JSON.stringify(value)]));
  const change = aLeadChange({ dataChanges: changes, atMs, stepId: 'contact' });
  const item = toNewItem({ funnelId, leadId: randomUUID() }, change);
  // Omits the attributes that put the lead into the outbox, because the dispatcher would work during the export.
  const { dueShard: _shard, dueAt: _at, dispatchBy: _by, ...dispatched } = item;
  return dispatched;
}

/**
 * Measures the rows per second of the whole command, and its maximum memory.
 *
 * @throws Error if the command fails or rows are missing
 */
async function exported(funnelId: string, state: string, out: string) {
  const script = join(import.meta.dirname, '../../infra/cli/main.ts');
  const start = performance.now();
  const args = [script, 'leads', 'export', funnelId, '--out', out, '--state', state];
  const command = spawn(process.execPath, args);
  let bytes = 0;
  const watch = setInterval(async () => {
    bytes = Math.max(bytes, await mostResident(command.pid));
  }, 50);
  const [code] = await once(command, 'exit');
  const seconds = (performance.now() - start) / 1_000;
  clearInterval(watch);
  const written = (await readFile(out, 'utf8')).split('\n').length - 2;
  if (code !== 0 || written !== LEADS)
    throw new Error(`The export exited with ${code} and wrote ${written} of ${LEADS} rows.`);
  return { perSecond: LEADS / seconds, bytes };
}

/** Returns the maximum resident memory of a process in bytes. Returns 0 after the process has ended. */
async function mostResident(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024;
}
