import fc from 'fast-check';
import { expect, test } from 'vitest';
import { billOf, priced, sum } from '../../../../infra/cli/cost/bill.ts';
import { capacityLimits } from '../../../../infra/cli/cost/capacity-limits.ts';
import { gigabyteSeconds, scheduledRuns } from '../../../../infra/cli/cost/executions.ts';
import { dollarsFor, LIST, PRICES, QUOTAS } from '../../../../infra/cli/cost/list-prices.ts';
import { pipelineVolumes } from '../../../../infra/cli/cost/pipeline-volumes.ts';
import { provisioned } from '../../../../infra/cli/cost/storage.ts';
import { type Given, INPUTS, type VolumeName, volumesOf } from '../../../../infra/cli/cost/volumes.ts';
import type { StageKind } from '../../../../infra/settings/stage-name.ts';

const NOTHING: Given = {
  events: 0,
  sessions: 0,
  leads: 0,
  webhookEndpoints: 0,
  queries: 0,
  organizations: 1,
  members: 0,
  pageCopies: 0,
  domains: 0,
};
const dollars = (given: Given, stage: StageKind = 'prod') => billOf(volumesOf(given), stage);
const ofService = (given: Given, service: string) => {
  const found = dollars(given).services.find((row) => row.service === service);
  return found === undefined ? 0 : sum(found.dollars);
};

test('each price tier applies only to the units above the previous tier', () => {
  expect(dollarsFor(PRICES.gatewayRequest, 1e6)).toBeCloseTo(3.5);
  // AWS publishes these costs for the first 333M and the next 667M requests.
  expect(dollarsFor(PRICES.gatewayRequest, 1e9)).toBeCloseTo(1_165.5 + 1_867.6);
  expect(dollarsFor(PRICES.lambdaGigabyteSecond, 8e9)).toBeCloseTo(100_000.5 + 0.5e9 * 0.0000120001);
  expect(dollarsFor(PRICES.tableWrite, 0)).toBe(0);
});

test('usages with the same price share the cost of their total in proportion to their quantities', () => {
  const { categories, total, services } = priced([
    { price: 'gatewayRequest', quantity: 750e6, category: 'numbers' },
    { price: 'gatewayRequest', quantity: 250e6, category: 'leads' },
  ]);
  expect(total).toBeCloseTo(3_033.1);
  expect(categories).toMatchObject({ numbers: expect.closeTo(2_274.825), leads: expect.closeTo(758.275), training: 0 });
  expect(services.map(({ service }) => service)).toEqual(['API Gateway']);
});

test('1,000 leads with one submit each increase the bill by the quantities that were calculated by hand', () => {
  const more = { ...NOTHING, leads: 1_000, submits: 1, leadKb: 1, mailCodes: 0, smsCodes: 0, uploads: 0 };
  const { quantities } = dollars(more);
  const before = dollars(NOTHING).quantities;
  const added = (price: 'gatewayRequest' | 'tableWrite' | 'lambdaRequest' | 'lambdaGigabyteSecond') =>
    (quantities[price] ?? 0) - (before[price] ?? 0);
  // Two requests for each lead: the browser's preflight request, which invokes no function, and the submit.
  expect(added('gatewayRequest')).toBeCloseTo(2_000);
  expect(added('lambdaRequest')).toBeCloseTo(1_000);
  // Five writes for each lead. The submit writes the item, its entry in the index by funnel, and its entry in the
  // outbox. The dispatcher later changes the item, which also removes the entry from the outbox.
  expect(added('tableWrite')).toBeCloseTo(5_000);
  // An execution uses 512 MB for 24 ms on average: 20 ms, plus a cold start of 400 ms in 1 % of the executions.
  expect(added('lambdaGigabyteSecond')).toBeCloseTo(1_000 * 0.5 * 0.024);
});

test('messages about 1,000 leads to one endpoint cost at most 7 cents; the quantities equal a calculation by hand', () => {
  const leads = { ...NOTHING, leads: 1_000 };
  const [before, after] = [dollars(leads), dollars({ ...leads, webhookEndpoints: 1 })];
  const added = (price: 'tableWrite' | 'lambdaRequest' | 'lambdaGigabyteSecond') =>
    (after.quantities[price] ?? 0) - (before.quantities[price] ?? 0);
  // On average, a lead causes 2.31 messages: one about its creation, one about an update, and 0.31 about verifications.
  // A message takes 1.1 attempts.
  const messages = 2_310;
  const attempts = 1.1 * messages;
  // The lead has 2 KB, and the compressed message 1 KB. After each attempt, two minutes pass without a message,
  // so the endpoint leaves the due index.
  expect(added('tableWrite')).toBeCloseTo(messages * 5 + attempts * (10 + 3));
  // The dispatcher runs every three seconds anyway, so its requests are fixed costs.
  // An attempt takes 404 ms with 1,024 MB.
  expect(added('lambdaRequest')).toBe(0);
  expect(added('lambdaGigabyteSecond')).toBeCloseTo(attempts * 0.404);
  expect(after.categories.leads - before.categories.leads).toBeLessThanOrEqual(0.07);
});

test('1,000 mails about leads cost at most 11 cents; the quantities equal a calculation by hand', () => {
  const leads = { ...NOTHING, leads: 1_000 };
  const [before, after] = [dollars(leads), dollars({ ...leads, notificationMails: 1_000 })];
  const added = (price: 'mail' | 'tableWrite' | 'tableRead' | 'lambdaRequest' | 'lambdaGigabyteSecond') =>
    (after.quantities[price] ?? 0) - (before.quantities[price] ?? 0);
  expect(added('mail')).toBe(1_000);
  // The notice is written and deleted. The state of the address is written three times, its index entry twice.
  expect(added('tableWrite')).toBeCloseTo(1_000 * (2 + 3 + 2));
  // Four consistent reads cost one unit each, and two eventually consistent reads half a unit each. Eight queries, one
  // for each shard of the due index, also cost half a unit each.
  expect(added('tableRead')).toBeCloseTo(1_000 * (5 + 4));
  // The function that sends mails runs every minute anyway, so its requests are fixed costs.
  // A mail takes 304 ms with 512 MB.
  expect(added('lambdaRequest')).toBe(0);
  expect(added('lambdaGigabyteSecond')).toBeCloseTo(1_000 * 0.152);
  expect(after.categories.leads - before.categories.leads).toBeLessThanOrEqual(0.11);
});

test('1,000 leads with one webhook endpoint cost at most 15 cents; SMS and e-mails are not included', () => {
  const given = { events: 1e6 };
  const services = dollars(given).services.filter(({ service }) => !['End User Messaging', 'SES'].includes(service));
  const cost = services.reduce((all, row) => all + row.dollars.leads, 0);
  expect((1_000 * cost) / volumesOf(given).leads).toBeLessThanOrEqual(0.15);
});

test('uploads have S3 Standard prices for two months, then prices of cheaper tiers; small files stay in the first tier', () => {
  const uploads = { ...NOTHING, uploads: 1_024, uploadMb: 1, months: 12 };
  const { quantities } = dollars(uploads);
  expect(quantities).toMatchObject({
    objectGigabyteMonth: expect.closeTo(2),
    infrequentGigabyteMonth: expect.closeTo(2),
    instantArchiveGigabyteMonth: expect.closeTo(8),
    monitoredObjectMonth: 1_024 * 12,
  });
  expect(dollars({ ...uploads, months: 1 }).quantities.objectGigabyteMonth).toBeCloseTo(1);
  const small = dollars({ ...uploads, uploadMb: 0.1 }).quantities;
  expect([small.objectGigabyteMonth, small.monitoredObjectMonth]).toEqual([expect.closeTo(1.2), undefined]);
});

test('for 1M events in requests of two events, the volumes and billed quantities equal a calculation by hand', () => {
  const volumes = volumesOf({
    ...NOTHING,
    events: 1e6,
    sessions: 2e5,
    eventsPerRequest: 2,
    eventBytes: 700,
    funnels: 10,
  });
  const { records, recordBytes, shards } = pipelineVolumes(volumes);
  expect([records, recordBytes, shards]).toEqual([500_000, 1_400, 4]);
  const { quantities } = billOf(volumes, 'prod');
  // A record of 1,400 bytes is billed as 2 KB on the stream and as 5 KB by Firehose.
  expect(quantities.streamGigabyteIn).toBeCloseTo((500_000 * 2_048) / 1_024 ** 3);
  expect(quantities.deliveredGigabyte).toBeCloseTo((500_000 * 5_120) / 1_024 ** 3);
  expect(quantities.streamHour).toBe(720);
});

test('the cost of provisioned shards equals the cost that was calculated by hand', () => {
  // 5e9 records of 1,400 bytes per month are 10.8 MB/s in the busiest second, which has four times the average.
  // A shard costs 1.5 cents per hour, plus 2 cents for the long retention.
  const { shards, dollars: each } = provisioned(pipelineVolumes(volumesOf({ events: 1e10 })));
  expect([shards, each]).toEqual([11, expect.closeTo(11 * 720 * 0.035 + 5_000 * 0.014)]);
  expect(provisioned(pipelineVolumes(volumesOf(NOTHING)))).toEqual({ shards: 1, dollars: expect.closeTo(25.2) });
});

test('SMS, e-mails, AI replies and call minutes cost their price per unit', () => {
  expect(ofService({ ...NOTHING, smsCodes: 10 }, 'End User Messaging')).toBeCloseTo(10 * 0.1);
  expect(ofService({ ...NOTHING, mailCodes: 10_000 }, 'SES')).toBeCloseTo(1);
  expect(ofService({ ...NOTHING, aiReplies: 1_000, aiTokensIn: 1_000, aiTokensOut: 1_000 }, 'Bedrock')).toBeCloseTo(
    0.06 + 0.24,
  );
  expect(ofService({ ...NOTHING, calls: 6, callMinutes: 5 }, 'ElevenLabs (not AWS)')).toBeCloseTo(3);
});

test('in a month without traffic, fixed costs are more than 95 % of the total', () => {
  const { categories, total } = dollars(NOTHING);
  expect(categories.fixed).toBeGreaterThan(0.95 * total);
  expect(scheduledRuns('background/compact-facts')).toBe(43_200);
  expect(scheduledRuns('background/aggregate-events')).toBe(0);
  expect(gigabyteSeconds('background/compact-facts', 1_000, 996)).toBeCloseTo((1_769 / 1_024) * 1_000);
});

test('dev costs less than prod, and has no backups of tables', () => {
  expect(dollars({ events: 1e7 }, 'dev').total).toBeLessThan(dollars({ events: 1e7 }).total);
  expect(dollars({ events: 1e7 }, 'dev').quantities.tableBackupGigabyteMonth).toBeUndefined();
});

test('if neither has traffic, a preview costs less than half as much as dev', () => {
  const { quantities, total } = dollars(NOTHING, 'preview');
  expect(total).toBeLessThan(dollars(NOTHING, 'dev').total / 2);
  expect(quantities).toMatchObject({ streamHour: 0, shardHour: 720, dashboardMonth: 0, metricMonth: 0 });
});

/** Volumes that change how events are distributed over requests and items. If they grow, the cost can fall. */
const SPREADING: readonly VolumeName[] = ['eventsPerRequest', 'funnels'];

test('if any volume except funnels and events per request grows, the total cost does not fall', () => {
  const names = INPUTS.map(({ name }) => name).filter((name) => !SPREADING.includes(name));
  const aVolume = fc.integer({ min: 0, max: 9_000 }).map((tenths) => Math.floor(10 ** (tenths / 1_000)));
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      aVolume,
      aVolume,
      aVolume,
      fc.constantFrom('dev', 'prod', 'preview'),
      (name, events, value, more, stage) => {
        const { min = 0, max = 1e15 } = INPUTS.find((input) => input.name === name) ?? {};
        const within = (wanted: number) => Math.min(max, Math.max(min, wanted));
        const base = { events: 5 * events, sessions: name === 'events' ? 0 : events, leads: events };
        const at = (wanted: number) =>
          billOf(
            volumesOf({ ...base, [name]: name === 'sessions' ? Math.min(wanted, 5 * events) : within(wanted) }),
            stage,
          ).total;
        expect(at(value + more)).toBeGreaterThanOrEqual(at(value) * (1 - 1e-9));
      },
    ),
    { numRuns: 500 },
  );
});

test('events cost less in requests of ten events than in requests of two events', () => {
  expect(dollars({ events: 1e9, eventsPerRequest: 10 }).total).toBeLessThan(dollars({ events: 1e9 }).total);
});

test('for any volumes, the total cost is positive, and the utilisation of each limit is at least zero', () => {
  fc.assert(
    fc.property(
      fc.record(
        Object.fromEntries(INPUTS.map(({ name, min = 0, max = 1e12 }) => [name, fc.double({ min, max, noNaN: true })])),
        { requiredKeys: [] },
      ),
      (given) => {
        const { events = 0, sessions = 0 } = given as Given;
        const volumes = volumesOf({ ...given, events: Math.max(events, sessions) });
        expect(billOf(volumes, 'prod').total).toSatisfy((total: number) => Number.isFinite(total) && total > 0);
        expect(capacityLimits(volumes).map(({ share }) => share)).toSatisfy((shares: number[]) =>
          shares.every((share) => Number.isFinite(share) && share >= 0),
        );
      },
    ),
  );
});

test('missing volumes are derived from the events, the leads or the sessions', () => {
  expect(volumesOf({ events: 1e6 })).toMatchObject({
    sessions: 2e5,
    leads: 1e4,
    funnels: 10,
    organizations: 2,
    members: 10,
  });
  expect(volumesOf({ leads: 100 })).toMatchObject({ sessions: 2_000, events: 10_000, funnels: 1 });
  expect(volumesOf({ sessions: 10, submits: 7 })).toMatchObject({ events: 50, leads: 0.5, submits: 7 });
});

test('each session downloads the page client once from CloudFront', () => {
  const { quantities } = dollars({ ...NOTHING, sessions: 1e6, events: 1e6 });
  expect(quantities.cdnRequest).toBe(1e6);
  expect(quantities.cdnGigabyte).toBeCloseTo(6e9 / 1_024 ** 3);
  expect(ofService(NOTHING, 'CloudFront')).toBe(0);
});

test('limits are sorted by utilisation, highest first; the load and capacity of ingest equal a calculation by hand', () => {
  const shares = capacityLimits(volumesOf({ events: 1e10 })).map(({ share }) => share);
  expect(shares).toEqual(shares.toSorted((a, b) => b - a));
  expect(capacityLimits(volumesOf({ events: 1e6 })).filter(({ share }) => share > 1)).toEqual([]);
  const ingest = capacityLimits(volumesOf({ events: 1e10 })).find(({ what }) => what.includes('ingest'));
  // Load: 5e9 requests in 2,592,000 seconds, times four in the busiest second. Capacity: 100 addresses with 600
  // requests per minute each, divided by two, because ingest has two paths.
  expect(ingest).toMatchObject({ load: expect.closeTo(7_716, 0), capacity: 500 });
});

test('each price and quota has a value, a unit and a web page; a verified value has a source, an unverified one a year', () => {
  expect(LIST).toEqual({ region: 'us-east-1', date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
  for (const { readIn, lastKnown } of [...Object.values(PRICES), ...Object.values(QUOTAS)])
    expect((readIn === undefined) === (lastKnown !== undefined)).toBe(true);
  for (const { page, tiers, unit, perUnits } of Object.values(PRICES)) {
    expect([page, unit]).toEqual([expect.stringMatching(/^https:\/\/[a-z.]+\//), expect.stringMatching(/./)]);
    expect([perUnits, ...tiers.map((tier) => tier.dollars)].every((value) => value > 0)).toBe(true);
    const bounds = tiers.map(({ upTo = Number.POSITIVE_INFINITY }) => upTo);
    expect(bounds).toEqual(bounds.toSorted((a, b) => a - b));
    expect(bounds.at(-1)).toBe(Number.POSITIVE_INFINITY);
  }
  for (const { page, value, unit } of Object.values(QUOTAS))
    expect([page, value > 0, unit]).toEqual([expect.stringMatching(/^https:/), true, expect.stringMatching(/./)]);
});
