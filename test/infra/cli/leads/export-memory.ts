import { randomUUID } from 'node:crypto';
import { exportTo } from '../../../../infra/cli/leads/export.ts';
import { aLead } from '../../../support/leads/a-lead.ts';

// Runs in a separate process with a small heap, and exports more leads than fit into the heap.

const LEADS = Number(process.argv[2]);
const PAGE = 5_000;
const SHARDS = 8;
const long = JSON.stringify('x'.repeat(4_000));

const idOf = (lead: number, shard: number): string =>
  `0000000${shard}${randomUUID().slice(8, -12)}${String(lead).padStart(12, '0')}`;

let bytes = 0;
await exportTo(
  {
    funnelId: randomUUID(),
    fields: [],
    index: {
      listEntries: async ({ shard, after, from, order }) => {
        // The export first asks for the latest submit.
        if (order === 'newest first')
          return { entries: [{ submittedAt: '2026-03-01T12:00:00.000Z', leadId: randomUUID() }], isLast: true };
        // The recent part of the index, which begins ten seconds before the latest submit, is empty.
        if (from !== undefined) return { entries: [], isLast: true };
        const start = after === undefined ? 0 : Number(after.leadId.slice(-12)) + 1;
        const end = Math.min(start + PAGE, LEADS / SHARDS);
        const positions = Array.from({ length: end - start }, (_, at) => ({
          submittedAt: new Date(start + at).toISOString(),
          leadId: idOf(start + at, Number(shard)),
        }));
        return { entries: positions, isLast: end === LEADS / SHARDS };
      },
      getLeads: async (keys) =>
        keys.map((key) => ({ ...aLead(key, '2026-03-01T11:00:00.000Z'), data: new Map([['notes', `${long}`]]) })),
    },
  },
  {
    format: 'csv',
    out: undefined,
    since: undefined,
    until: undefined,
    fields: undefined,
    raw: false,
    bom: false,
    yes: false,
  },
  {
    state: '',
    json: false,
    indexDelayMs: 0,
    confirm: async () => undefined,
    terminal: {
      columns: undefined,
      write: async (text) => {
        bytes += text.length;
        await new Promise(setImmediate);
      },
      note: (line) => console.log(line),
    },
  },
);
console.log(`${bytes} bytes`);
