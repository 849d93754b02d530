import { describe, expect, test } from 'vitest';
import { countDue } from '../../../infra/cli/retention/count-due.ts';
import { leadCutoffs } from '../../../shared/privacy/retention-periods.ts';
import { DAY_MS, retentionWorld } from '../../support/privacy/retention.ts';
import { HOUR_MS, MINUTE_MS } from '../../support/training/calls.ts';
import { keysOf, remainsOf } from '../../support/training/erasures.ts';

describe('leads', () => {
  test('are due as soon as the period since their last submit has passed, to the millisecond; a run erases due leads', async () => {
    const world = retentionWorld();
    const funnel = world.funnel(world.organization({ leadDays: 30 }));
    const [due, kept] = [world.lead(funnel, 30 * DAY_MS), world.lead(funnel, 30 * DAY_MS - 1)];
    expect(await world.run()).toEqual({ leads_erased: 1 });
    expect([world.leadErased, [...funnel.leads.keys()]]).toEqual([[due], [kept]]);
    world.clock.ms += 1;
    expect(await world.run()).toEqual({ leads_erased: 1 });
  });

  test('of a funnel are erased oldest first, across all shards', async () => {
    const world = retentionWorld();
    const funnel = world.funnel(world.organization({ leadDays: 1 }));
    const ids = [9, 3, 7, 5, 8, 4, 6].map((days) => ({ days, id: world.lead(funnel, days * DAY_MS) }));
    await world.run();
    expect(world.leadErased).toEqual(ids.toSorted((a, b) => b.days - a.days).map(({ id }) => id));
  });

  test.each([
    [30, 7, 7],
    [7, 30, 7],
    [undefined, 7, 7],
    [7, undefined, 7],
  ])(
    'of an organization with leadDays %s and a funnel with leadRetentionDays %s are erased after %i days',
    async (leadDays, leadRetentionDays, days) => {
      const world = retentionWorld();
      const funnel = world.funnel(world.organization(leadDays === undefined ? {} : { leadDays }), leadRetentionDays);
      const [due, kept] = [world.lead(funnel, days * DAY_MS), world.lead(funnel, days * DAY_MS - 1)];
      await world.run();
      expect([world.leadErased, [...funnel.leads.keys()]]).toEqual([[due], [kept]]);
    },
  );

  test.each([undefined, 365])(
    'that were submitted under a shorter period are erased after that period, even if leadRetentionDays is now %s',
    async (days) => {
      const world = retentionWorld();
      const orgId = world.organization();
      const funnel = world.funnel(orgId, days);
      const until = new Date(world.clock.ms - 10 * DAY_MS).toISOString();
      funnel.earlierLeadRetention.push({ days: 30, until }, { days: 7, until });
      const expired = [world.lead(funnel, 31 * DAY_MS), world.lead(funnel, 11 * DAY_MS)];
      for (const leadId of expired) funnel.expired.add(leadId);
      const kept = [world.lead(funnel, 9 * DAY_MS), world.lead(funnel, 0)];
      expect(await countDue(world.processOf(), orgId, {})).toMatchObject({ leads: 2 });
      expect(await world.run()).toEqual({ leads_erased: 2 });
      expect([world.leadErased, [...funnel.leads.keys()]]).toEqual([expired, kept]);
    },
  );

  test('that are submitted within five minutes after a change of the period can still have the old period', () => {
    const nowMs = Date.parse('2026-03-01T12:00:00.000Z');
    const latest = (days: number, until: string) =>
      leadCutoffs({}, { leadRetentionDays: 30, earlierLeadRetention: [{ days, until }] }, nowMs);
    expect(latest(1, '2026-02-20T12:00:00.000Z')).toEqual({
      due: '2026-01-30T12:00:00.000Z',
      latest: '2026-02-20T12:05:00.000Z',
    });
    expect(latest(1, '2026-03-01T11:00:00.000Z').latest).toBe('2026-02-28T12:00:00.000Z');
    expect(latest(1, '2025-01-01T00:00:00.000Z').latest).toBe('2026-01-30T12:00:00.000Z');
  });

  test('that are submitted again before the run erases them are kept', async () => {
    const world = retentionWorld();
    const funnel = world.funnel(world.organization({ leadDays: 30 }));
    const leadId = world.lead(funnel, 31 * DAY_MS);
    const counts = await world.run(async (effect, work) => {
      if (effect === 'leads.eraseLead') world.lead(funnel, 0, leadId);
      return work();
    });
    expect(counts).toEqual({ leads_submitted_again: 1 });
    expect([...funnel.leads.keys()]).toEqual([leadId]);
  });

  test('that cannot be erased are counted as failed, do not block other leads, and are erased by the next run', async () => {
    const world = retentionWorld();
    const funnel = world.funnel(world.organization({ leadDays: 30 }));
    for (let at = 0; at < 10; at++) world.lead(funnel, 31 * DAY_MS + at);
    let failing = true;
    const around = async <T>(effect: string, work: () => Promise<T>) => {
      if (effect === 'leads.eraseLead' && failing) {
        failing = false;
        throw new Error('down');
      }
      return work();
    };
    expect(await world.run(around)).toEqual({ leads_failed: 1, leads_erased: 9 });
    expect(await world.run(around)).toEqual({ leads_erased: 1 });
  });
});

test('without retention periods, nothing is erased, and a run looks only for interrupted erasures', async () => {
  const world = retentionWorld();
  const orgId = world.organization();
  const funnel = world.funnel(orgId);
  world.lead(funnel, 4_000 * DAY_MS);
  const call = world.call(orgId, 4_000 * DAY_MS);
  const before = remainsOf(world, call);
  const seen: string[] = [];
  const counts = await world.run((effect, work) => {
    seen.push(effect);
    return work();
  });
  expect([counts, remainsOf(world, call), funnel.leads.size]).toEqual([{}, before, 1]);
  expect(seen).toEqual([
    'erasures.findDue',
    'directory.listIds',
    'directory.find',
    'directory.listFunnelIds',
    'leads.page',
  ]);
});

describe('a lead that the index lists as being erased', () => {
  test.each([{}, { leadDays: 30 }])(
    'is erased by the next run if its erasure was interrupted (retention periods: %j)',
    async (retention) => {
      const world = retentionWorld();
      const orgId = world.organization(retention);
      const funnel = world.funnel(orgId);
      const [begun, kept] = [world.lead(funnel, 0), world.lead(funnel, 0)];
      world.seal(funnel, begun);
      expect(await countDue(world.processOf(), orgId, retention)).toEqual({ leads: 1, calls: 0, recordings: 0 });
      expect(await world.run()).toEqual({ leads_erased: 1 });
      expect([world.leadErased, [...funnel.leads.keys()]]).toEqual([[begun], [kept]]);
      expect(await world.run()).toEqual({});
    },
  );

  test('is kept if the index is outdated and the item is not marked as being erased', async () => {
    const world = retentionWorld();
    const funnel = world.funnel(world.organization());
    const leadId = world.lead(funnel, 0);
    funnel.index.seal(leadId);
    expect(await world.run()).toEqual({ leads_submitted_again: 1 });
    expect([...funnel.leads.keys()]).toEqual([leadId]);
  });
});

test('a funnel whose leads cannot be read is counted as failed, and does not block other data', async () => {
  const world = retentionWorld();
  const orgId = world.organization({ leadDays: 1, callDays: 1 });
  const funnels = [world.funnel(orgId), world.funnel(orgId)];
  for (const funnel of funnels) world.lead(funnel, 2 * DAY_MS);
  world.call(orgId, 2 * DAY_MS);
  let pages = 0;
  const counts = await world.run(async (effect, work) => {
    if (effect === 'leads.page' && ++pages === 1) throw new Error('torn');
    return work();
  });
  expect(counts).toEqual({ funnels_failed: 1, leads_erased: 1, calls_erased: 1 });
  expect(funnels.map(({ leads }) => leads.size)).toEqual([1, 0]);
});

describe('calls', () => {
  test('are due as soon as the period since they were opened has passed, to the millisecond; a run erases due calls', async () => {
    const world = retentionWorld();
    const orgId = world.organization({ callDays: 30 });
    const [due, kept] = [world.call(orgId, 30 * DAY_MS), world.call(orgId, 30 * DAY_MS - 1)];
    const others = world.call(world.organization({ callDays: 31 }), 30 * DAY_MS);
    expect(await world.run()).toEqual({ calls_erased: 1 });
    expect(remainsOf(world, due)).toEqual(['erasure record']);
    for (const call of [kept, others]) expect(remainsOf(world, call)).toHaveLength(keysOf(call).length + 4);
    world.clock.ms += DAY_MS;
    expect(await world.run()).toEqual({ erasures_settled: 1, calls_erased: 2 });
    expect(remainsOf(world, due)).toEqual([]);
  });

  test.each(['pending', 'processing'] as const)(
    'that are %s are kept; the first run after they have failed erases them',
    async (status) => {
      const world = retentionWorld();
      const call = world.call(world.organization({ callDays: 1 }), 2 * DAY_MS, { status });
      expect(await world.run()).toEqual({ calls_in_progress: 1 });
      expect(remainsOf(world, call)).toHaveLength(keysOf(call).length + 4);
      world.calls.stored.set(call.callId, { ...call, status: 'failed' });
      expect(await world.run()).toEqual({ calls_erased: 1 });
    },
  );

  test('are kept and counted as failed while the provider is down, and are erased by the next run', async () => {
    const world = retentionWorld();
    const orgId = world.organization({ callDays: 1 });
    const call = world.call(orgId, 2 * DAY_MS);
    world.provider.reachable = false;
    expect(await world.run()).toEqual({ calls_failed: 1 });
    expect(remainsOf(world, call)).toHaveLength(keysOf(call).length + 4);
    world.provider.reachable = true;
    expect(await world.run()).toEqual({ calls_erased: 1 });
  });

  test('are left to the next run after 20 erasures in a row have failed', async () => {
    const world = retentionWorld();
    const orgId = world.organization({ callDays: 1 });
    for (let at = 0; at < 1_000; at++) world.call(orgId, 2 * DAY_MS + at);
    world.provider.reachable = false;
    const { calls_failed: failed } = await world.run();
    expect(failed).toBeGreaterThanOrEqual(20);
    expect(failed).toBeLessThan(30);
  });
});

describe('recordings', () => {
  test('are erased without their calls, whose transcript and score are kept', async () => {
    const world = retentionWorld();
    const orgId = world.organization({ recordingDays: 30 });
    const [due, kept] = [world.call(orgId, 30 * DAY_MS), world.call(orgId, 30 * DAY_MS - 1)];
    const [first = '', second = '', recording = ''] = keysOf(due);
    expect(await world.run()).toEqual({ recordings_erased: 1 });
    expect(world.calls.stored.get(due.callId)).toEqual({ ...due, recordingKey: null });
    expect(remainsOf(world, due)).toEqual(['item', first, second, 'look-up item', 'webhook messages']);
    expect(world.objects.has(recording)).toBe(false);
    expect(remainsOf(world, kept)).toHaveLength(keysOf(kept).length + 4);
  });

  test('are not erased while their call has unfinished work, or within 15 minutes after a change of the call', async () => {
    const world = retentionWorld();
    const orgId = world.organization({ recordingDays: 1 });
    const ago = DAY_MS + HOUR_MS;
    const waiting = world.call(orgId, ago, { dueAtMs: world.clock.ms, recordingKey: null });
    const settled = world.call(orgId, ago, { updatedAtMs: world.clock.ms - 15 * MINUTE_MS + 1 });
    expect(await world.run()).toEqual({ recordings_in_progress: 2 });
    expect(world.provider.conversations.has(waiting.conversationId)).toBe(true);
    world.clock.ms += 1;
    expect(await world.run()).toEqual({ recordings_in_progress: 1, recordings_erased: 1 });
    expect(world.calls.stored.get(settled.callId)?.recordingKey).toBeNull();
  });

  test('cause one deletion per call at the provider; later runs do not repeat a deletion that succeeded', async () => {
    const world = retentionWorld();
    const orgId = world.organization({ recordingDays: 1 });
    for (let at = 0; at < 250; at++) world.call(orgId, 2 * DAY_MS + at, at % 2 === 0 ? { recordingKey: null } : {});
    const forgotten: string[] = [];
    const around = <T>(effect: string, work: () => Promise<T>) => {
      if (effect === 'voice.deleteConversation') forgotten.push(effect);
      return work();
    };
    await world.run(around);
    expect(forgotten).toHaveLength(250);
    await world.run(around);
    world.call(orgId, DAY_MS + 1);
    await world.run(around);
    expect(forgotten).toHaveLength(251);
  });

  test('that cannot be erased yet do not delay other recordings, and are retried', async () => {
    const world = retentionWorld();
    const orgId = world.organization({ recordingDays: 1 });
    const first = world.call(orgId, 4 * DAY_MS);
    const pending = world.call(orgId, 3 * DAY_MS, { status: 'pending', recordingKey: null });
    const last = world.call(orgId, 2 * DAY_MS);
    expect(await world.run()).toEqual({ recordings_erased: 2, recordings_in_progress: 1 });
    expect(world.done.get(orgId)).toBe(first.callId);
    world.calls.stored.set(pending.callId, { ...pending, status: 'ready', recordingKey: 'recordings/late.mp3' });
    expect(await world.run()).toEqual({ recordings_erased: 1 });
    expect(world.done.get(orgId)).toBe(last.callId);
  });
});

test('a retention preview counts the due leads, calls and recordings, and changes nothing', async () => {
  const world = retentionWorld();
  const orgId = world.organization({ leadDays: 2, callDays: 3, recordingDays: 2 });
  const funnel = world.funnel(orgId);
  for (const days of [1, 2, 3, 4]) world.lead(funnel, days * DAY_MS);
  for (const days of [1, 2, 3, 4]) world.call(orgId, days * DAY_MS);
  world.call(orgId, 5 * DAY_MS, { status: 'pending', recordingKey: null });
  const seen = new Set<string>();
  const ports = world.processOf((effect, work) => {
    seen.add(effect);
    return work();
  });
  const due = await countDue(ports, orgId, { leadDays: 2, callDays: 3, recordingDays: 2 });
  expect(due).toEqual({ leads: 3, calls: 2, recordings: 3 });
  expect([...seen].sort()).toEqual(['calls.readRecordingCursor', 'directory.listFunnelIds', 'leads.page']);
  expect(await world.run()).toMatchObject({ leads_erased: 3, calls_erased: 2, recordings_erased: 1 });
  expect(await countDue(ports, orgId, { leadDays: 2, callDays: 3, recordingDays: 2 })).toEqual({
    leads: 0,
    calls: 0,
    recordings: 0,
  });
});
