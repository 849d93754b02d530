import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import type { Delivery } from '../../../shared/deliveries/delivery.ts';
import { DISPATCHER_TIMEOUT_MS } from '../../../shared/deliveries/dispatch-times.ts';
import { redeliver, redeliverSince } from '../../../shared/deliveries/redeliver.ts';
import type { Subject } from '../../../shared/deliveries/subject.ts';
import { HttpError } from '../../../shared/http/errors.ts';
import type { LeadKey } from '../../../shared/leads/lead.ts';
import { leadJson } from '../../../shared/leads/lead-json.ts';
import type { Attempt } from '../../../shared/webhooks/attempt.ts';
import { currentSecret } from '../../../shared/webhooks/endpoint-secrets.ts';
import { isMessageId } from '../../../shared/webhooks/message-id.ts';
import type { EventType, WebhookEndpoint } from '../../../shared/webhooks/webhook-endpoint.ts';
import { type Arrival, type DispatchWorld, dispatchWorld, ORG } from '../../support/deliveries/dispatch-world.ts';
import { FAULTS } from '../../support/domains/domain-runs.ts';
import { type Around, effects } from '../../support/training/lifecycle.ts';
import { isoAt, MASTER_SECRET, NOON } from '../../support/webhooks/endpoints.ts';

const RUNS = 1_000;
/** A process is killed after this time. */
const LIFE_MS = DISPATCHER_TIMEOUT_MS;
const LAG_MS_MAX = 30_000;

const TYPES: EventType[] = [
  ...(['lead.created', 'lead.updated', 'lead.verified', 'lead.completed', 'lead.erased', 'call.scored'] as const),
];

/** The number of scheduler steps before a step starts. It lets steps happen in the middle of deliveries. */
const wait = fc.nat({ max: 12 });
const VISITS = ['update', 'verify', 'verify', 'verify', 'complete', 'complete', 'erase'] as const;
const visitorStep = fc.record({ wait, lead: fc.nat({ max: 1 }), action: fc.constantFrom(...VISITS) });
const ADMIN_ACTIONS = [
  ...(['rotate', 'rotate', 'disable', 'enable', 'pause', 'pause', 'enable', 'enable'] as const),
  ...(['redeliver', 'redeliver', 'redeliver', 'redeliver all'] as const),
] as const;
type AdminAction = (typeof ADMIN_ACTIONS)[number];
const traineeStep = fc.record({ wait, erasedAfter: fc.option(wait, { nil: undefined, freq: 2 }) });
const adminStep = fc.record({
  wait,
  endpoint: fc.nat({ max: 2 }),
  action: fc.constantFrom(...ADMIN_ACTIONS),
  /** For `redeliver`: selects one of the endpoint's delivered or failed messages. */
  message: fc.nat({ max: 9 }),
});

/** What a receiver does. `lost`: it got the message, but its response did not arrive. */
const REACTIONS = ['ok', 'ok', 'ok', 'error', 'lost', 'slow'] as const;

const story = fc.record({
  subscriptions: fc.array(fc.subarray(TYPES, { minLength: 1 }), { minLength: 1, maxLength: 3 }),
  visitor: fc.array(visitorStep, { maxLength: 12 }),
  trainee: fc.array(traineeStep, { maxLength: 2 }),
  admin: fc.array(adminStep, { maxLength: 6 }),
  jumps: fc.array(fc.record({ wait, ms: fc.oneof(fc.nat({ max: 10_000 }), fc.nat({ max: 4 * 60_000 })) }), {
    maxLength: 12,
  }),
  dispatchers: fc.array(fc.integer({ min: 1, max: 6 }), {
    minLength: 1,
    maxLength: 3,
  }),
  faults: fc.array(fc.option(fc.constantFrom(...FAULTS), { nil: undefined, freq: 9 }), { maxLength: 120 }),
  reactions: fc.array(fc.constantFrom(...REACTIONS), { maxLength: 12 }),
  lagMs: fc.nat({ max: LAG_MS_MAX }),
});

test(`in ${RUNS} interleavings, endpoints get all required messages in order; the last message has the stored state`, async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), story, async (scheduler, given) => {
      let lagMs = given.lagMs;
      const world = dispatchWorld({ lagMs: () => lagMs });
      const schedule = () => scheduler.schedule(Promise.resolve());
      const pass = async (ticks: number) => {
        for (let tick = 0; tick <= ticks; tick++) await schedule();
      };
      const endpoints = given.subscriptions.map((eventTypes) => world.endpoint({ eventTypes }));
      const oracle = watch(world, endpoints);
      const reactions = [...given.reactions];
      world.respond = async (arrival) => react(world, reactions.shift() ?? 'ok', arrival);

      const faults = [...given.faults];
      const process = (): Around => {
        const startedMs = world.clock.ms;
        let isDead = false;
        return async (effect, work) => {
          // These reads mostly find nothing. They run immediately and without faults, to leave steps and faults to the
          // other effects.
          if (effect === 'outbox.listDue' || effect === 'calls.listDue' || effect === 'domains.listDue') return work();
          await schedule();
          isDead ||= world.clock.ms - startedMs >= LIFE_MS;
          if (isDead) throw new Error('killed');
          const fault = faults.shift();
          isDead = fault === 'crash before' || fault === 'crash after';
          if (fault === 'crash before' || fault === 'throttled') throw new Error(fault);
          // The SDK repeats requests to AWS. Messages are not sent with the SDK, so they are not repeated.
          if (fault === 'repeated' && effect !== 'send') await work();
          const done = await work();
          if (fault === 'crash after' || fault === 'response lost') throw new Error(fault);
          return done;
        };
      };
      const keys = [world.create({ name: '"Ada"' }), world.create({ name: '"Bob"' })];
      const visit = async () => {
        for (const { wait: ticks, lead, action } of given.visitor) {
          await pass(ticks);
          await visitor(world, keys[lead], action, () => pass(ticks), oracle);
        }
      };
      const train = async () => {
        for (const { wait: ticks, erasedAfter } of given.trainee) {
          await pass(ticks);
          const call = world.score();
          oracle.scoredAtMs.set(call.callId, world.clock.ms);
          if (erasedAfter === undefined) continue;
          await pass(erasedAfter);
          world.calls.delete(call);
          await schedule();
          await world.eraseMessages({ kind: 'call', ...call });
          oracle.erased.add(call.callId);
        }
      };
      const administer = async () => {
        for (const { wait: ticks, endpoint, action, message } of given.admin) {
          await pass(ticks);
          await admin(world, endpoints[endpoint], { action, message, schedule }, oracle);
        }
      };
      const advance = async () => {
        for (const { wait: ticks, ms } of given.jumps) {
          await pass(ticks);
          world.clock.ms += ms;
        }
      };
      const dispatch = async (runs: number) => {
        for (let run = 0; run < runs; run++) await world.run(process()).catch(() => undefined);
      };
      await scheduler.waitFor(
        Promise.all([visit(), train(), administer(), advance(), ...given.dispatchers.map(dispatch)]),
      );
      lagMs = 0;
      // All processes of the generated run are now older than `LIFE_MS`, and are killed at their next step.
      world.clock.ms += LIFE_MS;
      await world.settle();
      const paused = [...world.endpoints.values()].filter(({ pausedAt }) => pausedAt !== null);
      const sentBefore = world.arrivals.length;
      for (const { inFlight, endpointId } of world.lanes.values())
        if (paused.some(({ id }) => id === endpointId)) expect(inFlight).toBeUndefined();
      for (const { id } of paused) await world.resume(id);
      await world.settle();
      expect(oracle.violations).toEqual([]);
      for (const endpoint of endpoints)
        expect([...oracle.missingAt(endpoint, keys), ...oracle.notSentAgainTo(endpoint)]).toEqual([]);
      // An erasure drops pending messages and records no outcome. These messages stay pending in the history.
      for (const { status, subject } of world.deliveries.stored.values())
        if (!oracle.erased.has(idOf(subject))) expect(status).not.toBe('pending');
      if (world.arrivals.length > sentBefore) seen.add('resumed');
      if (oracle.redelivered.size > 0) seen.add('redelivered');
      for (const endpoint of endpoints) expect(oracle.missingAt(endpoint, keys)).toEqual([]);
      const stored = keys.filter((key) => world.leads.stored(key)?.state === 'stored').map(({ leadId }) => leadId);
      expect(world.notified).toEqual(expect.arrayContaining(stored));
      for (const { message } of world.arrivals) seen.add(message.type);
      if (world.arrivals.length > new Set(world.arrivals.map(({ id }) => id)).size) seen.add('repeated');
    }),
    { numRuns: RUNS },
  );
  expect([...seen].sort()).toEqual([...TYPES, 'repeated', 'resumed', 'redelivered'].sort());
}, 300_000);

async function react(world: DispatchWorld, reaction: (typeof REACTIONS)[number], _arrival: Arrival): Promise<Attempt> {
  if (reaction === 'ok') return { outcome: 'responded', status: 204, durationMs: 5 };
  if (reaction === 'error') return { outcome: 'responded', status: 500, durationMs: 5 };
  if (reaction === 'slow') world.clock.ms += 10_000;
  return { outcome: 'failed', reason: 'timeout', message: 'no complete response', durationMs: 10_000 };
}

async function visitor(
  world: DispatchWorld,
  key: LeadKey | undefined,
  action: (typeof VISITS)[number],
  schedule: () => Promise<void>,
  oracle: ReturnType<typeof watch>,
): Promise<void> {
  if (key === undefined || world.leads.stored(key)?.state !== 'stored') return;
  if (action === 'update') return world.update(key, { name: JSON.stringify(`name ${world.clock.ms}`) });
  if (action === 'verify') return world.verify(key, 'email');
  if (action === 'complete') return world.complete(key);
  world.leads.markErasing(key);
  await schedule();
  await world.eraser.erase(key);
  oracle.erased.add(key.leadId);
  await schedule();
  world.leads.replaceWithTombstone(key);
}

async function admin(
  world: DispatchWorld,
  endpoint: WebhookEndpoint | undefined,
  { action, message, schedule }: { action: AdminAction; message: number; schedule: () => Promise<void> },
  oracle: ReturnType<typeof watch>,
): Promise<void> {
  const current = world.endpoints.get(endpoint?.id ?? '');
  if (current === undefined) return;
  if (action === 'rotate') {
    // `isSigned` always checks with the first secret. A second rotation within a day would invalidate that secret.
    if (current.secretRotatedAt !== null) return;
    world.changeEndpoint(current.id, {
      secretGeneration: randomUUID(),
      previousSecretGeneration: current.secretGeneration,
      secretRotatedAt: isoAt(world.clock.ms),
    });
    return;
  }
  if (action === 'disable') {
    world.changeEndpoint(current.id, { isEnabled: false });
    oracle.everDisabled.add(current.id);
  } else if (action === 'enable') {
    world.changeEndpoint(current.id, { isEnabled: true, pausedAt: null, failingSince: null });
    await schedule();
    await world.endpointStates.resume(current.id, world.clock.ms);
  } else if (action === 'pause') {
    const pausedAt = isoAt(world.clock.ms);
    if (current.isEnabled) world.changeEndpoint(current.id, { pausedAt, failingSince: pausedAt });
  } else await sendAgain(world, current, { action, message, schedule }, oracle);
}

async function sendAgain(
  world: DispatchWorld,
  endpoint: WebhookEndpoint,
  { action, message, schedule }: { action: AdminAction; message: number; schedule: () => Promise<void> },
  oracle: ReturnType<typeof watch>,
): Promise<void> {
  const own = [...world.deliveries.stored.values()].filter(({ endpointId }) => endpointId === endpoint.id);
  const ended = own.filter(({ status }) => status !== 'pending');
  const one = ended[message % ended.length];
  if (one === undefined) return;
  const nowIso = isoAt(world.clock.ms);
  const wanted = action === 'redeliver' ? [one] : ended.filter(({ firstAttemptAt }) => firstAttemptAt < nowIso);
  // Lanes with pending messages are included, because these messages can end before the redelivery starts.
  for (const { subject } of own) oracle.redelivered.add(`${endpoint.url} ${idOf(subject)}`);
  if (action === 'redeliver all') oracle.redelivered.add(endpoint.url);
  // `redeliver all` joins a redelivery that already runs. Its messages may already have arrived, so no further messages
  // are expected.
  const isRunning = world.storedStates.get(endpoint.id)?.redelivery !== undefined;
  const expected = wanted.filter(
    ({ subject, type }) =>
      ![...world.lanes.values()].some(
        (lane) =>
          lane.endpointId === endpoint.id && idOf(lane.subject) === idOf(subject) && lane.redeliveries.includes(type),
      ),
  );
  const arrivals = world.arrivals.length;
  const ports = {
    endpoints: { find: async () => world.endpoints.get(endpoint.id) },
    clock: world.clock,
    history: world.deliveries.history,
    lanes: effects('lanes', world.laneRepository, afterStep(schedule)),
    endpointStates: effects('endpointStates', world.endpointStates, afterStep(schedule)),
  };
  const ids = { orgId: ORG, endpointId: endpoint.id };
  try {
    if (action === 'redeliver') await redeliver(ports, { ...ids, messageId: one.messageId });
    else await redeliverSince(ports, ids, { since: isoAt(NOON), includeDelivered: true });
  } catch (error) {
    if (error instanceof HttpError) return;
    throw error;
  }
  if (action === 'redeliver' || !isRunning)
    oracle.expected.push(...expected.map((delivery) => ({ delivery, arrivals })));
}

const afterStep =
  (schedule: () => Promise<void>): Around =>
  async (_effect, work) => {
    await schedule();
    return work();
  };

/** Checks each message when it arrives at an endpoint, and collects violations. */
function watch(world: DispatchWorld, endpoints: readonly WebhookEndpoint[]) {
  const violations: string[] = [];
  const erased = new Set<string>();
  const scoredAtMs = new Map<string, number>();
  const everDisabled = new Set<string>();
  /** Where messages may be sent again: lanes, and URLs of endpoints after `redeliver all`. */
  const redelivered = new Set<string>();
  /** Messages that were requested again, with the number of arrivals before the request. */
  const expected: { delivery: Delivery; arrivals: number }[] = [];
  const bodies = new Map<string, string>();
  const ids = new Map<string, string>();
  const lastSeq = new Map<string, number>();
  const erasedAtReceiver = new Set<string>();
  const begunBeforeErasure = new Map<string, boolean>();
  world.onAttempt = ({ inFlight, subject }) => {
    if (inFlight !== undefined) begunBeforeErasure.set(inFlight.id, !erased.has(idOf(subject)));
  };
  const { push } = world.arrivals;
  world.arrivals.push = (arrival: Arrival) => {
    const { url, id, body, message } = arrival;
    const { leadId, callId = leadId, call, seq, lead } = message.data;
    const endpoint = endpoints.find((one) => one.url === url);
    const lane = `${url} ${callId}`;
    const note = (what: string) => violations.push(`${what}: ${message.type} ${seq} of ${callId}`);
    if (endpoint === undefined) return note('sent elsewhere');
    if (!endpoint.eventTypes.includes(message.type as EventType)) note('not wanted');
    if ((bodies.get(id) ?? body) !== body) note('an id has two bodies');
    // The same body has a different id at each endpoint, and gets a new id in each redelivery.
    const isRedelivered = redelivered.has(lane) || redelivered.has(url);
    if ((ids.get(`${url} ${body}`) ?? id) !== id && !isRedelivered) note('a body has two ids');
    if (seq < (lastSeq.get(lane) ?? 0)) note('seq decreased');
    if (erasedAtReceiver.has(lane) && message.type !== 'lead.erased') note('sent after lead.erased');
    if (message.type === 'lead.erased') erasedAtReceiver.add(lane);
    else if (begunBeforeErasure.get(id) !== true) note('began after the erasure');
    const isStored =
      call === undefined
        ? body.includes(`"lead":${world.history.get(`${leadId}/${seq}`)}}`)
        : isoAt(scoredAtMs.get(callId) ?? 0) === message.timestamp;
    if (message.type !== 'lead.erased' && !isStored) note('a state that was not stored');
    if (message.type === 'lead.completed' && body.includes('"completed_at":null')) note('not completed');
    if (message.type === 'lead.erased' && lead !== undefined) note('an erased lead with data');
    if (!isMessageId(id)) note('an id that a submit would not recognize');
    if (!isSigned(arrival, endpoint)) note('not signed with the secret of the receiver');
    bodies.set(id, body);
    ids.set(`${url} ${body}`, id);
    lastSeq.set(lane, Math.max(seq, lastSeq.get(lane) ?? 0));
    return push.call(world.arrivals, arrival);
  };
  /** Returns the missing messages of an endpoint. Returns none if the endpoint was ever disabled. */
  const missingAt = ({ id, url, eventTypes }: WebhookEndpoint, keys: readonly LeadKey[]): string[] => {
    if (everDisabled.has(id)) return [];
    const announced = world.arrivals.filter((one) => one.url === url).map(({ message }) => message.data.callId);
    return [
      ...[...scoredAtMs.keys()].filter(
        (callId) => eventTypes.includes('call.scored') && !erased.has(callId) && !announced.includes(callId),
      ),
      ...keys.flatMap((key) => {
        const stored = world.leads.stored(key);
        const own = world.arrivals.filter((one) => one.url === url && one.message.data.leadId === key.leadId);
        const last = own.findLast(({ message }) => message.type !== 'lead.erased')?.body ?? '';
        const has = (type: EventType, seq = 1) =>
          !eventTypes.includes(type) || own.some(({ message }) => message.type === type && message.data.seq >= seq);
        const missing = (type: EventType, seq?: number) => (has(type, seq) ? [] : `${type} of ${key.leadId}`);
        if (stored === undefined || stored.state === 'erased') return missing('lead.erased', stored?.seq);
        const isCurrent = !eventTypes.includes('lead.updated') || last.includes(`"lead":${leadJson(stored.lead)}}`);
        return [
          missing('lead.created'),
          stored.verifiedSeq > 0 ? missing('lead.verified', stored.verifiedSeq) : [],
          stored.lead.completedAt === undefined ? [] : missing('lead.completed'),
          isCurrent ? [] : `the current state of ${key.leadId}`,
        ].flat();
      }),
    ];
  };
  const notSentAgainTo = ({ id, url, eventTypes }: WebhookEndpoint): string[] =>
    everDisabled.has(id)
      ? []
      : expected.flatMap(({ delivery: { endpointId, messageId, type, subject }, arrivals }) => {
          if (endpointId !== id) return [];
          const isErased = erased.has(idOf(subject));
          if (isErased && (subject.kind === 'call' || !eventTypes.includes('lead.erased'))) return [];
          const isSent = world.arrivals.slice(arrivals).some(
            (one) =>
              one.url === url &&
              (one.message.data.leadId ?? one.message.data.callId) === idOf(subject) &&
              (one.message.type === type || one.message.type === 'lead.erased') &&
              // After a crash, a redelivery of all messages can repeat a page. The repeated messages keep their ids.
              (one.id !== messageId || redelivered.has(url)),
          );
          return isSent ? [] : `${type} of ${idOf(subject)} again`;
        });
  return { violations, erased, scoredAtMs, everDisabled, redelivered, expected, missingAt, notSentAgainTo };
}

const idOf = (subject: Subject) => ('leadId' in subject ? subject.leadId : 'callId' in subject ? subject.callId : '');

/** The receiver always checks with the first secret of the endpoint, which stays valid for a day after a rotation. */
function isSigned({ headers, body }: Arrival, endpoint: WebhookEndpoint): boolean {
  const secret = currentSecret(MASTER_SECRET, endpoint);
  // `Webhook.verify` can't be used, because it compares the time of the message with the real time.
  const timestamp = Number(headers['webhook-timestamp']);
  const signature = new Webhook(secret).sign(headers['webhook-id'] ?? '', new Date(timestamp * 1_000), body);
  return (headers['webhook-signature'] ?? '').split(' ').includes(signature);
}
