import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { SubmitOutcome } from '../../../web/page-client/funnel.d.mts';
import type { ApiResponse } from '../../../web/page-client/transport.ts';
import { createDevice, fates, type Tab, useBrowserGlobals, visits } from './device-model.ts';

beforeAll(useBrowserGlobals);
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

type Body = { data: { n: number }; step_id?: string; page_url?: string; lead_id?: string; update_token?: string };

const errorResponse = (status: number, code: string, more = {}): ApiResponse => ({
  status,
  body: { error: { code, message: 'A message.', ...more } },
  retryAfterMs: 0,
});

/** A service that creates one lead for each Idempotency-Key. */
function createService(responseTo?: (body: Body) => ApiResponse | undefined) {
  const leads = new Map<string, { token: string; applied: number[] }>();
  const created = new Map<string, { raw: string; id: string }>();
  const bodies: Body[] = [];
  const respond = (raw: string, { headers }: RequestInit): ApiResponse => {
    const body: Body = JSON.parse(raw);
    bodies.push(body);
    const other = responseTo?.(body);
    if (other) return other;
    const key = new Headers(headers).get('idempotency-key') ?? '';
    const id = body.lead_id ?? created.get(key)?.id ?? randomUUID();
    if (body.lead_id === undefined) {
      // The service would respond with 400 if a retry with the same key had a different body.
      expect(raw).toBe(created.get(key)?.raw ?? raw);
      created.set(key, { raw, id });
    }
    const lead = leads.get(id) ?? { token: `token of ${id}`, applied: [] };
    if (body.lead_id !== undefined && !leads.has(id)) return errorResponse(404, 'not_found');
    if (body.lead_id !== undefined) expect(body.update_token).toBe(lead.token);
    lead.applied.push(body.data.n);
    leads.set(id, lead);
    return { status: 200, body: { data: { id, update_token: lead.token } }, retryAfterMs: 0 };
  };
  return { leads, bodies, respond };
}

const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const MINUTES = 60_000;
const withoutRepetitions = (numbers: readonly number[]) => numbers.filter((n, index) => n !== numbers[index - 1]);

test('all submits reach one lead in order, even if requests, responses and tabs are lost', async () => {
  const random = fc.asyncProperty(visits('submit'), fates, async (steps, schedule) => {
    const { leads, respond } = createService();
    const device = createDevice(respond, schedule);
    const tabs: Tab[] = [device.openTab()];
    const submitted: number[] = [];
    for (const [n, { action, tab, ms }] of steps.entries()) {
      const chosen = tabs[tab % tabs.length];
      if (action === 'open' && tabs.length < 4) tabs.push(device.openTab());
      if (action === 'submit' && chosen?.isAlive()) {
        void chosen.submits.submit({ data: { n } }, undefined);
        submitted.push(n);
      }
      if (action === 'die') chosen?.die();
      await advance(ms);
    }
    for (const tab of tabs) tab.die();
    device.recover();
    device.openTab();
    await advance(60 * MINUTES);
    const stored = [...device.stored.submits.values()].map((members) => JSON.parse(members).data.n);
    const applied = [...leads.values()].map((lead) => withoutRepetitions(lead.applied));
    // A retry can apply the same submit again. `applied` leaves out such repetitions.
    expect(applied).toEqual(stored.length > 0 ? [stored] : []);
    // Every submit is stored, even if its tab died during the transaction.
    expect(new Set(stored)).toEqual(new Set(submitted));
    expect(device.state().submits).toEqual([]);
    vi.clearAllTimers();
  });
  await fc.assert(random, { numRuns: 150 });
});

test('a double click creates one lead', async () => {
  const { leads, respond } = createService();
  const tab = createDevice(respond, []).openTab();
  const clicks = [tab.submits.submit({ data: { n: 1 } }, undefined), tab.submits.submit({ data: { n: 1 } }, undefined)];
  await advance(1_000);
  expect(await Promise.all(clicks)).toEqual([{ status: 'saved' }, { status: 'saved' }]);
  expect(leads.size).toBe(1);
});

test('each attempt repeats the bytes and the Idempotency-Key, also on the next visit', async () => {
  const device = createDevice(createService().respond, ['loses-response', 'unavailable', 'tab-dies-before-response']);
  void device.openTab().submits.submit({ data: { n: 1 }, step: 'contact' }, undefined);
  await advance(MINUTES);
  device.openTab();
  await advance(MINUTES);
  const requests = device.sent.map(({ body, init }) => `${new Headers(init.headers).get('idempotency-key')} ${body}`);
  expect(requests).toHaveLength(4);
  expect(new Set(requests).size).toBe(1);
});

test('422: resolves with the errors, and the corrected submit updates the lead', async () => {
  const errors = [{ field: 'email', code: 'invalid', message: 'Check the address.' }];
  const handle = { id: 'lead-1', update_token: 'token' };
  const { bodies, respond } = createService(({ data }) => ({
    ...(data.n === 1
      ? errorResponse(422, 'validation_failed', { validation_errors: errors })
      : errorResponse(500, 'x')),
    ...(data.n === 1 && {
      body: { error: { code: 'validation_failed', message: '', validation_errors: errors }, data: handle },
    }),
  }));
  const device = createDevice(respond, []);
  const tab = device.openTab();
  const outcome = tab.submits.submit({ data: { n: 1 } }, undefined);
  await advance(1_000);
  expect(await outcome).toEqual({ status: 'invalid', errors });
  void tab.submits.submit({ data: { n: 2 } }, undefined);
  await advance(1_000);
  expect(bodies[1]).toMatchObject({ lead_id: 'lead-1', update_token: 'token' });
});

test('403: if the handle of the lead has expired, the submit creates another lead', async () => {
  const { bodies, leads, respond } = createService(({ lead_id }) =>
    lead_id === 'old' ? errorResponse(403, 'invalid_update_token') : undefined,
  );
  const device = createDevice(respond, []);
  const tab = device.openTab();
  void tab.storage.update((state) => {
    state.lead = 'l';
    state.handles.l = { id: 'old', update_token: 'expired', atMs: Date.now() };
  });
  const outcome = tab.submits.submit({ data: { n: 7 } }, undefined);
  await advance(1_000);
  expect(await outcome).toEqual({ status: 'saved' });
  expect(bodies.map(({ lead_id }) => lead_id)).toEqual(['old', undefined]);
  expect([...leads.values()].map(({ applied }) => applied)).toEqual([[7]]);
});

test('404: a retry of an update does not create the erased lead again', async () => {
  const { leads, respond } = createService();
  const device = createDevice(respond, ['responds', 'tab-dies-before-request']);
  const tab = device.openTab();
  void tab.submits.submit({ data: { n: 1 } }, undefined);
  await advance(1_000);
  void tab.submits.submit({ data: { n: 2 } }, undefined);
  await advance(MINUTES);
  leads.clear();
  device.openTab();
  await advance(MINUTES);
  expect(leads.size).toBe(0);
  expect(device.state().submits).toEqual([]);
});

test('the promise of submit() resolves, even if another tab sends the submit', async () => {
  const { respond } = createService(({ data }) => (data.n === 2 ? errorResponse(413, 'too_large') : undefined));
  const device = createDevice(respond, ['loses-request']);
  const [one, two] = [device.openTab(), device.openTab()];
  const outcomes: Record<number, SubmitOutcome> = {};
  for (const [n, tab] of [one, two, one, two].entries())
    void tab.submits.submit({ data: { n } }, undefined).then((outcome) => {
      outcomes[n] = outcome;
    });
  await advance(MINUTES);
  const saved = { status: 'saved' };
  const rejected = { status: 'rejected', code: 'too_large', message: 'A message.' };
  expect(outcomes).toEqual({ 0: saved, 1: saved, 2: rejected, 3: saved });
  expect(device.warnings).toEqual([['A submit is rejected.', rejected]]);
});

test('after startNewLead(), earlier submits are still sent, and the next submit creates another lead', async () => {
  const { leads, respond } = createService();
  const device = createDevice(respond, ['unavailable']);
  const tab = device.openTab();
  void tab.submits.submit({ data: { n: 1 } }, undefined);
  tab.submits.startNewLead();
  await advance(MINUTES);
  expect([...leads.values()].map(({ applied }) => applied)).toEqual([[1]]);
  expect([device.state().handles, device.state().submits]).toEqual([{}, []]);
  void tab.submits.submit({ data: { n: 2 } }, undefined);
  await advance(1_000);
  expect([...leads.values()].map(({ applied }) => applied)).toEqual([[1], [2]]);
});

test('a reset deletes unsent submits and the handle', async () => {
  const { bodies, respond } = createService();
  const device = createDevice(respond, ['responds', ...Array(3).fill('loses-request')]);
  const tab = device.openTab();
  void tab.submits.submit({ data: { n: 1 } }, undefined);
  await advance(1_000);
  const unsent = tab.submits.submit({ data: { n: 2 } }, undefined);
  await advance(100);
  tab.reset();
  await advance(10 * MINUTES);
  expect(await unsent).toEqual({ status: 'discarded' });
  expect(bodies).toHaveLength(1);
  expect(JSON.stringify(device.state())).not.toMatch(/token|"n"/);
});

test('if storing a reset fails, the next page still sends nothing and has no lead', async () => {
  const { bodies, respond } = createService();
  const device = createDevice(respond, ['responds', ...Array(3).fill('loses-request')]);
  const tab = device.openTab();
  void tab.submits.submit({ data: { n: 1 } }, undefined);
  await advance(1_000);
  void tab.submits.submit({ data: { n: 2 } }, undefined);
  await advance(100);
  tab.abortTransactions();
  tab.reset();
  await advance(10);
  tab.die();
  const next = device.openTab();
  await advance(10 * MINUTES);
  expect(bodies).toHaveLength(1);
  expect(await leadOf(next)).toBeUndefined();
});

test('if storing a submit fails, the next page sends it; a later reset or denial also applies to it', async () => {
  const { bodies, respond } = createService();
  const device = createDevice(respond, []);
  const leave = async (act?: (tab: Tab) => void) => {
    const tab = device.openTab();
    await advance(10);
    tab.abortTransactions();
    void tab.submits.submit({ data: { n: 1 } }, 'https://shop.example/');
    act?.(tab);
    await advance(10);
    tab.die();
    device.openTab();
    await advance(MINUTES);
    return bodies.splice(0);
  };
  expect(await leave()).toEqual([{ data: { n: 1 }, page_url: 'https://shop.example/' }]);
  expect(await leave((tab) => tab.reset())).toEqual([]);
  expect(await leave((tab) => tab.events.deny())).toEqual([{ data: { n: 1 } }]);
});

test('if storing submits and startNewLead() fails, the next page repeats these calls in order', async () => {
  const { leads, respond } = createService();
  const device = createDevice(respond, []);
  const tab = device.openTab();
  await advance(10);
  tab.abortTransactions();
  for (const n of [1, 2, 3, 4, 5]) void tab.submits.submit({ data: { n } }, undefined);
  tab.submits.startNewLead();
  for (const n of [6, 7]) void tab.submits.submit({ data: { n } }, undefined);
  tab.die();
  device.openTab();
  await advance(MINUTES);
  expect([...leads.values()].map(({ applied }) => applied)).toEqual([
    [1, 2, 3, 4, 5],
    [6, 7],
  ]);
});

async function leadOf(tab: Tab) {
  const lead = tab.submits.lead();
  await advance(10);
  return lead;
}

test('lead() returns the lead handle and the last step that the service accepted without an error', async () => {
  const errors = [{ field: 'email', code: 'invalid', message: 'Check the address.' }];
  const { leads, respond } = createService();
  const device = createDevice((raw, init) => {
    const response = respond(raw, init);
    const { data } = JSON.parse(raw);
    if (data.n === 2) return errorResponse(413, 'too_large');
    if (data.n !== 3) return response;
    const error = { code: 'validation_failed', message: '', validation_errors: errors };
    return { ...response, status: 422, body: { ...response.body, error } };
  }, []);
  const tab = device.openTab();
  expect(await leadOf(tab)).toBeUndefined();
  const steps: unknown[] = [];
  for (const [n, step] of ['one', undefined, 'refused', 'invalid', 'five'].entries()) {
    void tab.submits.submit({ data: { n }, step }, undefined);
    await advance(1_000);
    steps.push((await leadOf(tab))?.step);
  }
  expect(steps).toEqual(['one', 'one', 'one', 'one', 'five']);
  const [[id, { token } = {}] = []] = [...leads];
  expect(await leadOf(tab)).toEqual({ id, update_token: token, step: 'five' });
  // The next visit resumes after the step.
  expect(await leadOf(device.openTab())).toEqual({ id, update_token: token, step: 'five' });
});

test('if the first submit of a lead has errors, lead() returns the handle, and no step', async () => {
  const error = { code: 'validation_failed', message: '', validation_errors: [] };
  const data = { id: 'lead-1', update_token: 'token' };
  const tab = createDevice(() => ({ status: 422, body: { error, data }, retryAfterMs: 0 }), []).openTab();
  void tab.submits.submit({ data: { n: 1 }, step: 'one' }, undefined);
  await advance(1_000);
  expect(await leadOf(tab)).toEqual({ ...data, step: undefined });
});

test.each(['startNewLead', 'reset'] as const)(
  'after %s, there is no lead, and the next lead starts without a step',
  async (end) => {
    const tab = createDevice(createService().respond, []).openTab();
    void tab.submits.submit({ data: { n: 1 }, step: 'one' }, undefined);
    await advance(1_000);
    expect((await leadOf(tab))?.step).toBe('one');
    if (end === 'reset') tab.reset();
    else tab.submits.startNewLead();
    await advance(1_000);
    expect(await leadOf(tab)).toBeUndefined();
    void tab.submits.submit({ data: { n: 2 } }, undefined);
    await advance(1_000);
    expect((await leadOf(tab))?.step).toBeUndefined();
    expect((await leadOf(tab))?.id).toBeDefined();
  },
);

test('field values are deleted when the submit is acknowledged', async () => {
  const device = createDevice(createService().respond, []);
  void device.openTab().submits.submit({ data: { n: 424_242 } }, undefined);
  await advance(5);
  expect(JSON.stringify(device.state())).toContain('424242');
  await advance(1_000);
  expect(JSON.stringify(device.state())).not.toContain('424242');
});

test('a submit is retried for 24 hours', async () => {
  const device = createDevice(createService().respond, Array(5_000).fill('loses-request'));
  const outcome = device.openTab().submits.submit({ data: { n: 1 } }, undefined);
  await advance(23 * 60 * MINUTES);
  expect(device.state().submits).toHaveLength(1);
  await advance(2 * 60 * MINUTES);
  expect(await outcome).toEqual({ status: 'discarded' });
  expect(device.state().submits).toEqual([]);
});

test('rejects with a TypeError if the data cannot be written as JSON', async () => {
  const tab = createDevice(createService().respond, []).openTab();
  await expect(tab.submits.submit({ data: { n: 1n } }, undefined)).rejects.toThrow(TypeError);
});
