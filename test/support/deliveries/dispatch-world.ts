import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { WEBHOOK_MESSAGES } from '../../../infra/openapi/webhook-messages.ts';
import { createCallEvents } from '../../../shared/deliveries/call-events.ts';
import { dispatchMessages } from '../../../shared/deliveries/dispatch-messages.ts';
import { createDomainEvents } from '../../../shared/deliveries/domain-events.ts';
import type { Lane } from '../../../shared/deliveries/lane.ts';
import { createLeadEvents } from '../../../shared/deliveries/lead-events.ts';
import type { DispatchPorts, EndpointPause } from '../../../shared/deliveries/ports.ts';
import type { DomainIds } from '../../../shared/domains/domain.ts';
import type { LeadKey } from '../../../shared/leads/lead.ts';
import { leadJson } from '../../../shared/leads/lead-json.ts';
import type { CallIds } from '../../../shared/training/call.ts';
import type { Attempt } from '../../../shared/webhooks/attempt.ts';
import type { EndpointUpdate } from '../../../shared/webhooks/ports.ts';
import type { EventType, WebhookEndpoint } from '../../../shared/webhooks/webhook-endpoint.ts';
import { type Around, effects } from '../training/lifecycle.ts';
import { anEndpoint, isoAt, MASTER_SECRET, NOON } from '../webhooks/endpoints.ts';
import { createMemoryHistory } from './memory-history.ts';
import { createMemoryLanes } from './memory-lanes.ts';
import { createMemoryOutbox } from './memory-outbox.ts';
import { createMemoryCalls, createMemoryDomains } from './memory-single-events.ts';

export const ORG = '0f2b0c52-58bb-4b54-a6a5-0e1f8f6e2a01';

/** A request that arrived at a receiver. */
export type Arrival = {
  url: string;
  id: string;
  headers: Record<string, string>;
  body: string;
  message: {
    type: string;
    timestamp: string;
    data: { leadId: string; callId?: string; seq: number } & Record<string, unknown>;
  };
  atMs: number;
};

const DELIVERED: Attempt = { outcome: 'responded', status: 204, durationMs: 5 };

/** An organization with a funnel, leads and webhook endpoints in memory, and receivers that record what arrives. */
export function dispatchWorld({ lagMs = () => 0 }: { lagMs?: () => number } = {}) {
  const clock = { ms: NOON, now: () => clock.ms };
  const funnelId = randomUUID();
  const leads = createMemoryOutbox(clock);
  const calls = createMemoryCalls();
  const domains = createMemoryDomains();
  const {
    lanes,
    endpointStates,
    eraseMessages,
    eraser,
    stored,
    endpoints: storedStates,
  } = createMemoryLanes(clock, lagMs);
  const deliveries = createMemoryHistory();
  const endpoints = new Map<string, WebhookEndpoint>();
  const arrivals: Arrival[] = [];
  /** Ids of leads about which mails will be sent. */
  const notified: string[] = [];
  const pauses: EndpointPause[] = [];
  const metrics: [string, number][] = [];
  /** All stored states of each lead as texts, by lead and `seq`. */
  const history = new Map<string, string>();
  const remember = (key: LeadKey) => {
    const { seq, lead } = leads.stored(key) ?? {};
    if (lead !== undefined) history.set(`${key.leadId}/${seq}`, leadJson(lead));
  };
  const world = {
    clock,
    leads,
    calls,
    domains,
    lanes: stored,
    laneRepository: lanes,
    endpointStates,
    storedStates,
    eraseMessages,
    deliveries,
    pauses,
    eraser,
    endpoints,
    arrivals,
    notified,
    metrics,
    history,
    /** Returns what a receiver responds to a request that has arrived. */
    respond: async (_arrival: Arrival): Promise<Attempt> => DELIVERED,
    /** Called when an attempt begins. */
    onAttempt: (_lane: Lane): void => undefined,
    endpoint: (overrides: Partial<WebhookEndpoint> = {}) => {
      const eventTypes = ['lead.created', 'lead.updated', 'lead.verified', 'lead.completed', 'lead.erased'] as const;
      const endpoint = anEndpoint({ eventTypes: [...eventTypes], ...overrides });
      endpoints.set(endpoint.id, endpoint);
      return endpoint;
    },
    changeEndpoint: (id: string, changes: Partial<WebhookEndpoint>) => {
      const endpoint = endpoints.get(id);
      if (endpoint !== undefined) endpoints.set(id, { ...endpoint, ...changes });
    },
    create: (
      data?: Record<string, string>,
      { seq = 1, ...key }: LeadKey & { seq?: number } = { funnelId, leadId: randomUUID() },
    ) => {
      leads.create({ ...key, seq }, data);
      remember(key);
      return key;
    },
    update: (key: LeadKey, data: Record<string, string>) => {
      leads.update(key, data);
      remember(key);
    },
    verify: (key: LeadKey, field: string) => {
      leads.verify(key, field);
      remember(key);
    },
    complete: (key: LeadKey) => {
      leads.complete(key);
      remember(key);
    },
    erase: async (key: LeadKey) => {
      leads.markErasing(key);
      await eraser.erase(key);
      leads.replaceWithTombstone(key);
    },
    score: () => {
      const call = { orgId: ORG, callId: randomUUID() };
      calls.occur(call, clock.ms);
      return call;
    },
    activate: () => {
      const domain = { orgId: ORG, domainId: randomUUID() };
      domains.occur(domain, clock.ms);
      return domain;
    },
    removeDomain: async (domain: DomainIds) => {
      domains.delete(domain);
      await eraseMessages({ kind: 'domain', ...domain });
    },
    eraseCall: async (call: CallIds) => {
      calls.delete(call);
      await eraseMessages({ kind: 'call', ...call });
    },
    /** Changes an endpoint as the operation `webhooks/update-endpoint` does for `enabled: true`. */
    resume: async (id: string) => {
      world.changeEndpoint(id, { isEnabled: true, pausedAt: null, failingSince: null });
      await endpointStates.resume(id, clock.ms);
    },
    /** The ports of one run. @param around wraps each effect, to inject faults before, after or instead of it */
    portsOf: (around: Around = (_effect, work) => work()): DispatchPorts => {
      const replace: typeof lanes.replace = async (seen, next) => {
        const written = await lanes.replace(seen, next);
        if (written?.inFlight !== undefined && written.inFlight.attempts !== seen.inFlight?.attempts)
          world.onAttempt(written);
        return written;
      };
      const { listDue, ...written } = { ...lanes, replace };
      return {
        sources: {
          lead: createLeadEvents({
            outbox: effects('outbox', leads.outbox, around),
            funnels: { find: async (id) => (id === funnelId ? { orgId: ORG } : undefined) },
            notifyLead: (_orgId, { leadId }) => around('notifyLead', async () => void notified.push(leadId)),
            clock,
          }),
          call: createCallEvents(effects('calls', calls.outbox, around)),
          domain: createDomainEvents(effects('domains', domains.outbox, around)),
        },
        endpoints: effects(
          'endpoints',
          {
            list: async () => [...endpoints.values()],
            find: async ({ endpointId }: { endpointId: string }) => endpoints.get(endpointId),
            update: async (
              { endpointId }: { endpointId: string },
              { isEnabled, pausedAt, failingSince }: EndpointUpdate,
              url?: string,
            ) => {
              const endpoint = endpoints.get(endpointId);
              if (endpoint === undefined || (url !== undefined && endpoint.url !== url)) return undefined;
              const changes = { isEnabled, pausedAt, failingSince };
              const given = Object.entries(changes).filter(([, value]) => value !== undefined);
              world.changeEndpoint(endpointId, Object.fromEntries(given));
              return endpoints.get(endpointId);
            },
          },
          around,
        ),
        lanes: { ...effects('lanes', written, around), listDue },
        endpointStates: effects('endpointStates', endpointStates, around),
        history: effects('history', deliveries.history, around),
        notifyPaused: (pause) => around('notifyPaused', async () => void pauses.push(pause)),
        readSecret: async () => MASTER_SECRET,
        send: ({ url, headers, body }) =>
          around('send', async () => {
            const id = headers['webhook-id'] ?? '';
            const message = JSON.parse(body);
            const arrival = { url, headers, body, id, message, atMs: clock.ms };
            const { error } = WEBHOOK_MESSAGES[message.type as EventType].safeParse(message);
            if (error !== undefined) throw new Error(`A message has another shape than documented: ${error.message}`);
            arrivals.push(arrival);
            return world.respond(arrival);
          }),
        clock,
        sleep: () => delay(5),
        random: () => 0,
        log: {
          info: () => undefined,
          warn: () => undefined,
          error: () => undefined,
          recordMetric: (name, value = 1) => void metrics.push([name, value]),
        },
      };
    },
    run: async (around?: Around) => Object.fromEntries(await dispatchMessages(world.portsOf(around))),
    /** Runs the dispatcher at each time at which something is due, until nothing is due. */
    settle: async () => {
      for (let round = 0; round < 300; round++) {
        await world.run();
        // The times of lanes do not matter, because the dispatcher looks for lanes only when their endpoint is due.
        // The hourly checks of a paused endpoint are left out, because they continue until the endpoint is resumed.
        const next = [...storedStates.values()]
          .flatMap(({ dueAt, isPaused }) =>
            isPaused && Date.parse(dueAt ?? '') > clock.ms + 600_000 ? [] : (dueAt ?? []),
          )
          .concat(leads.dueTimes(), calls.dueTimes(), domains.dueTimes())
          .sort()[0];
        if (next === undefined) return;
        clock.ms = Math.max(clock.ms + 1_000, Date.parse(next));
      }
      const work = JSON.stringify([[...stored.values()], [...storedStates.values()]]);
      throw new Error(`After 300 runs, the dispatcher still has work at ${isoAt(clock.ms)}: ${work}`);
    },
    typesAt: ({ url }: WebhookEndpoint) =>
      arrivals.filter((arrival) => arrival.url === url).map(({ message }) => `${message.type} ${message.data.seq}`),
  };
  return world;
}
export type DispatchWorld = ReturnType<typeof dispatchWorld>;
