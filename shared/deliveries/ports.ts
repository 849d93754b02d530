import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { EndpointReader, EndpointRepository } from '../webhooks/ports.ts';
import type { SendMessage } from '../webhooks/send-message.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import type { Lane, LaneKey, LaneMessage } from './lane.ts';
import type { CallSubject, DomainSubject, LeadSubject, Subject } from './subject.ts';

/** A subject whose outbox is open. */
export type PendingChange = {
  /** The number of the change. */
  seq: number;
  /** The organization whose endpoints get a message. Undefined: nothing is sent about this change. */
  orgId: string | undefined;
  /**
   * Removes the subject from the outbox, or moves it to a later time. Returns false and writes nothing if the subject
   * changed after it was read, has left the outbox or no longer exists.
   */
  close(): Promise<boolean>;
};

/**
 * `message`: the message in flight, or the next one. `idleLane`: there is none; the lane with this state is not due. `end`:
 * the subject does not exist any more, and nothing is sent about it.
 */
export type NextStep = { message: LaneMessage } | { idleLane: Lane } | 'end';

/** The changes of the subjects of one kind, and the messages about them. */
export type EventSource<S extends Subject = Subject> = {
  /** Number of shards of the outbox. */
  shardCount: number;
  /** The subjects of a shard whose dispatch is due, oldest first. Eventually consistent. */
  listDue(shard: number, nowMs: number, limit: number): Promise<{ due: DueSubject<S>[]; isLast: boolean }>;
  /** Strongly consistent. Undefined: the subject does not exist, or is not in the outbox. */
  read(subject: S): Promise<PendingChange | undefined>;
  /** Determines what a lane needs, from the current state of its subject. Strongly consistent. */
  next(lane: Lane<S>, endpoint: WebhookEndpoint): Promise<NextStep>;
};

/** `dueAt`: ISO 8601 UTC. */
export type DueSubject<S extends Subject = Subject> = { subject: S; dueAt: string };

/** By the kind of their subjects. */
export type EventSources = {
  lead: EventSource<LeadSubject>;
  call: EventSource<CallSubject>;
  domain: EventSource<DomainSubject>;
};

/** Stores lanes. Each method is one write, or one read. */
export type LaneRepository = {
  /**
   * Records that the subject has changed. Creates the lane if necessary. The lane becomes due now unless it has work already.
   * Does nothing if `targetSeq` is already `seq` or higher.
   */
  raise(key: LaneKey, change: { orgId: string; seq: number; atMs: number }): Promise<void>;
  /** Strongly consistent. */
  find(key: LaneKey): Promise<Lane | undefined>;
  /** Returns the stored lane, or undefined, without a write, if the lane is not `seen` any more. */
  replace(seen: Lane, next: Lane): Promise<Lane | undefined>;
  /** Moves the work of a lane to a later time, even if the lane was changed meanwhile. Does nothing if the lane has no work. */
  postpone(key: LaneKey, untilMs: number): Promise<void>;
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
  /**
   * Whether `dueAt` is late enough that the index then lists all lanes that were raised before. If that query finds no
   * lane, the endpoint leaves the index. `wake` resets it.
   */
  isSettling: boolean;
  /** When to query for due lanes, ISO 8601. Undefined: there are none. */
  dueAt: string | undefined;
};

export type BusyEndpointRepository = {
  /** Makes the endpoint due now, unless it is due already or rests. Call it after the lanes were raised. */
  wake(endpointId: string, atMs: number): Promise<void>;
  /** At most `limit` due endpoints, oldest first. Eventually consistent. */
  listDue(nowMs: number, limit: number): Promise<{ endpointId: string; dueAt: string }[]>;
  /** Strongly consistent. */
  find(endpointId: string): Promise<BusyEndpoint | undefined>;
  /**
   * Stores when to process the endpoint next. Returns false and writes nothing if `wakeups` or `isSettling` changed since
   * `seen` was read.
   */
  plan(seen: BusyEndpoint, next: Pick<BusyEndpoint, 'isSettling' | 'dueAt'>): Promise<boolean>;
  /** Makes the endpoint due at this time and not earlier, even if it is woken. */
  rest(endpointId: string, untilMs: number): Promise<void>;
};

/**
 * `delivered`: an attempt that the receiver accepted. `failed`: an attempt that it did not accept. `given_up`: a message
 * after its last attempt; counted in addition to `failed`.
 */
export type DeliveryOutcome = 'delivered' | 'failed' | 'given_up';
/** `error`: a subject, a lane or an endpoint that could not be processed. */
export type DispatchOutcome = DeliveryOutcome | 'error';

export type DispatchPorts = {
  sources: EventSources;
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

/** Other domains declare ports of this type for the data that they erase. */
export type DeliveriesEraser<Key> = {
  /** Removes the messages about what is being erased. Idempotent. */
  erase(key: Key): Promise<void>;
};
