import type { Funnel } from '../funnels/funnel.ts';
import type { LeadKey } from '../leads/lead.ts';
import type { LeadOutbox } from '../leads/ports.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { EndpointReader, EndpointRepository } from '../webhooks/ports.ts';
import type { SendMessage } from '../webhooks/send-message.ts';
import type { Lane, LaneKey } from './lane.ts';

/** Stores lanes. Each method is one write, or one read. */
export type LaneRepository = {
  /**
   * Tells a lane that the lead has changed, and creates the lane if necessary. The lane becomes due now unless it has
   * work already. Does nothing if the lane knows the change.
   */
  raise(key: LaneKey, change: { orgId: string; seq: number; atMs: number }): Promise<void>;
  /** Strongly consistent. */
  find(key: LaneKey): Promise<Lane | undefined>;
  /** Returns the stored lane, or undefined, without a write, if the lane is not `seen` any more. */
  replace(seen: Lane, next: Lane): Promise<Lane | undefined>;
  /** Does nothing if the lane is not `seen` any more. */
  remove(seen: Lane): Promise<void>;
  /** The due lanes of an endpoint, oldest first. Eventually consistent. */
  listDue(endpointId: string, nowMs: number): AsyncIterable<LaneKey>;
  /** When the next lane of the endpoint is due. Eventually consistent. */
  findNextAt(endpointId: string): Promise<string | undefined>;
};

/** An endpoint whose lanes have work. */
export type BusyEndpoint = {
  endpointId: string;
  /** Number of times that lanes of the endpoint were raised. */
  wakeups: number;
  /** Whether the next look finds all lanes, even if a process crashed after it had written some. */
  isSettling: boolean;
  /** When to look for due lanes, ISO 8601. Undefined: there are none. */
  dueAt: string | undefined;
};

export type BusyEndpointRepository = {
  /** Makes the endpoint due now. Call it after the lanes were raised. */
  wake(endpointId: string, atMs: number): Promise<void>;
  /** At most `limit` due endpoints, oldest first. Eventually consistent. */
  listDue(nowMs: number, limit: number): Promise<{ endpointId: string; dueAt: string }[]>;
  /** Strongly consistent. */
  find(endpointId: string): Promise<BusyEndpoint | undefined>;
  /** Plans the next look. Returns false, without a write, if `seen` was woken or another process planned another look. */
  rest(seen: BusyEndpoint, next: Pick<BusyEndpoint, 'isSettling' | 'dueAt'>): Promise<boolean>;
};

/** `failed`: an attempt that was not accepted. `given_up`: a message whose last attempt failed. */
export type DeliveryOutcome = 'delivered' | 'failed' | 'given_up';
/** `error`: a lead, a lane or an endpoint that could not be processed. */
export type DispatchOutcome = DeliveryOutcome | 'error';

export type DispatchPorts = {
  outbox: LeadOutbox;
  funnels: { find(funnelId: string): Promise<Pick<Funnel, 'orgId'> | undefined> };
  endpoints: EndpointReader & Pick<EndpointRepository, 'update'>;
  lanes: LaneRepository;
  busy: BusyEndpointRepository;
  /** Reads the master secret, from which signing secrets derive. */
  readSecret(): Promise<string>;
  send: SendMessage;
  clock: Clock;
  pause(ms: number): Promise<unknown>;
  /** From 0 (inclusive) to 1 (exclusive). */
  random(): number;
  log: Logger;
};

export type Dispatch = DispatchPorts & { count(outcome: DispatchOutcome): void };

/** Has the type of the port in `privacy/erase-lead.ts`, which cannot import it. */
export type LeadDeliveriesEraser = {
  /** Removes the messages about a lead that is marked as being erased. Idempotent. */
  erase(lead: LeadKey): Promise<void>;
};
