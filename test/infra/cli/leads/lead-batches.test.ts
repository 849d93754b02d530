import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createExportedIdsFile } from '../../../../infra/cli/leads/exported-ids-file.ts';
import { leadBatches } from '../../../../infra/cli/leads/lead-batches.ts';
import { paginateLeads } from '../../../../shared/leads/paginate-leads.ts';
import type { LeadIndexEntry, LeadOrder } from '../../../../shared/leads/ports.ts';
import { createInMemoryLeadIndex } from '../../../support/leads/lead-index.ts';
import { NOON } from '../../../support/leads/lead-repository.ts';

const IDS = Array.from({ length: 40 }, () => randomUUID());
const funnelId = randomUUID();

type Happening = { atPage: number; what: 'submit' | 'erase' | 'come'; lead: number; clockBehindMs?: number };
type World = { agesMs: number[]; happenings: Happening[]; lagPages?: number };

/**
 * Exports leads while leads are created, submitted again and erased. Each change happens before the export reads the
 * page `atPage` of the index.
 */
async function exportedMeanwhile({ agesMs, happenings, lagPages = 0 }: World) {
  let [page, nowMs] = [0, NOON];
  const now = () => {
    nowMs += 7;
    return nowMs;
  };
  const erased = new Set<string>();
  const existing = IDS.slice(0, agesMs.length);
  const happen = ({ what, lead, clockBehindMs = 0 }: Happening) => {
    const leadId = existing[lead % existing.length];
    if (what === 'come') leads.submit(randomUUID(), now());
    else if (leadId === undefined || erased.has(leadId)) return;
    else if (what === 'submit') leads.submit(leadId, now() - clockBehindMs);
    else {
      leads.erase(leadId);
      erased.add(leadId);
    }
  };
  const beforePage = () => {
    page++;
    for (const happening of happenings) if (happening.atPage === page) happen(happening);
  };
  const leads = createInMemoryLeadIndex(funnelId, { beforePage, lagPages });
  for (const [at, leadId] of existing.entries()) leads.submit(leadId, NOON - (agesMs[at] ?? 0));
  leads.settle();
  const exported = await createExportedIdsFile();
  const found: string[] = [];
  const waitForIndex = async () => leads.settle();
  for await (const batch of leadBatches({ index: leads.index, exported, waitForIndex }, funnelId)) {
    found.push(...batch.map(({ leadId }) => leadId));
  }
  await exported.close();
  return { found, kept: existing.filter((leadId) => !erased.has(leadId)) };
}

const agesMs = fc.array(fc.nat(60_000), { maxLength: IDS.length });
const atPage = fc.nat(70);

test('despite concurrent changes, an export contains no lead twice, and omits only new and erased leads', async () => {
  const what = fc.constantFrom('submit' as const, 'submit' as const, 'erase' as const, 'come' as const);
  const happenings = fc.array(fc.record({ atPage, what, lead: fc.nat(IDS.length) }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.record({ agesMs, happenings }), async (world) => {
      const { found, kept } = await exportedMeanwhile(world);
      expect(new Set(found).size).toBe(found.length);
      expect(found).toEqual(expect.arrayContaining(kept));
    }),
    { numRuns: 300 },
  );
});

test('an export contains each lead exactly once even if the index lags and clocks of functions differ by up to 9 s', async () => {
  const move = fc.record({
    atPage,
    what: fc.constant('submit' as const),
    lead: fc.nat(IDS.length - 1),
    clockBehindMs: fc.nat(9_000),
  });
  const happenings = fc.uniqueArray(move, { selector: ({ lead }) => lead, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.record({ agesMs, happenings, lagPages: fc.integer({ min: 1, max: 30 }) }), async (world) => {
      const existing = world.agesMs.length;
      const once = world.happenings.filter(({ lead }) => lead < existing);
      const { found, kept } = await exportedMeanwhile({ ...world, happenings: once });
      expect(found.toSorted()).toEqual(kept.toSorted());
    }),
    { numRuns: 300 },
  );
});

test('if no lead changes, an export contains the leads of the range, ordered by latest submit, oldest first', async () => {
  await fc.assert(
    fc.asyncProperty(agesMs, fc.nat(60_000), fc.nat(60_000), async (ages, since, until) => {
      const { index, submit } = createInMemoryLeadIndex(funnelId);
      for (const [at, age] of ages.entries()) submit(IDS[at] ?? '', NOON - age);
      const exported = await createExportedIdsFile();
      const range = { from: new Date(NOON - since).toISOString(), to: new Date(NOON - until).toISOString() };
      const times: string[] = [];
      const ports = { index, exported, waitForIndex: async () => undefined };
      for await (const batch of leadBatches(ports, funnelId, range)) {
        times.push(...batch.map(({ submittedAt }) => submittedAt));
      }
      await exported.close();
      const inRange = ages.filter((age) => age <= since && age >= until).sort((one, other) => other - one);
      expect(times).toEqual(inRange.map((age) => new Date(NOON - age).toISOString()));
    }),
    { numRuns: 200 },
  );
});

test('pagination continues after any entry, even if entries have the same millisecond', async () => {
  const walk = async (
    index: ReturnType<typeof createInMemoryLeadIndex>['index'],
    order: LeadOrder,
    after?: LeadIndexEntry,
  ) => {
    const positions: LeadIndexEntry[] = [];
    for await (const position of paginateLeads(index, { funnelId, order, after })) positions.push(position);
    return positions;
  };
  const order = fc.constantFrom<LeadOrder>('oldest first', 'newest first');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(3), { maxLength: IDS.length }), order, async (ages, direction) => {
      const { index, submit } = createInMemoryLeadIndex(funnelId);
      for (const [at, age] of ages.entries()) submit(IDS[at] ?? '', NOON - age);
      const whole = await walk(index, direction);
      expect(whole).toHaveLength(ages.length);
      for (const [at, position] of whole.entries()) {
        expect(await walk(index, direction, position)).toEqual(whole.slice(at + 1));
      }
    }),
    { numRuns: 40 },
  );
});

test('the export fails if a page of the index cannot be read', async () => {
  const { index, submit } = createInMemoryLeadIndex(funnelId);
  for (const leadId of IDS) submit(leadId, NOON - 60_000);
  submit(randomUUID(), NOON);
  let pages = 0;
  const failing = {
    ...index,
    listEntries: (query: Parameters<typeof index.listEntries>[0]) =>
      ++pages > 12 ? Promise.reject(new Error('no page')) : index.listEntries(query),
  };
  const exported = await createExportedIdsFile();
  const work = async () => {
    const ports = { index: failing, exported, waitForIndex: async () => undefined };
    for await (const _ of leadBatches(ports, funnelId));
  };
  await expect(work()).rejects.toThrow('no page');
  await exported.close();
});
