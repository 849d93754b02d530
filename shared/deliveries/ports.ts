import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { EndpointReader, EndpointRepository } from '../webhooks/ports.ts';
import type { SendMessage } from '../webhooks/send-message.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import type { Delivery, DeliveryAttempt, DeliveryKey } from './delivery.ts';
import type { Lane, LaneKey, LaneMessage } from './lane.ts';
import type { RaisedLanes } from './raised-lanes.ts';
import type { CallSubject, DomainSubject, LeadSubject, Subject } from './subject.ts';

/** A change of a subject that is in the outbox. */
export type PendingChange = {
  /** The number of the change. */
  seq: number;
  /** The organization whose endpoints can get a message. Undefined: nothing is sent about this change now. */
  orgId: string | undefined;
  /**
   * Removes the subject from the outbox, or moves it to a later time. Returns false and writes nothing if the subject
   * changed after it was read, has left the outbox or no longer exists.
   */
  close(): Promise<boolean>;
};

/**
 * `message`: the message in flight, or the next one. `idleLane`: there is none; the lane to store, which is not due. `end`:
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
type DueSubject<S extends Subject = Subject> = { subject: S; dueAt: string };

/** By the kind of their subjects. */
type EventSources = {
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
  /**
   * Requests that the current state is sent again in a message of this type. Creates the lane if necessary. Does nothing
   * if the lane already has such a request.
   */
  redeliver(key: LaneKey, request: RedeliveryRequest): Promise<void>;
  /** The due lanes of an endpoint, parked lanes first, then oldest first. Eventually consistent. */
  listDue(endpointId: string, nowMs: number, options: { withParked: boolean }): AsyncIterable<LaneKey>;
  /** When the next lane of the endpoint that is not parked is due. Eventually consistent. */
  findNextAt(endpointId: string): Promise<string | undefined>;
};

type RedeliveryRequest = Pick<Delivery, 'orgId' | 'type' | 'seq'> & {
  /** Part of the id of the new message. */
  redeliveryId: string;
  atMs: number;
};

/** What happened to messages, for 30 days. */
export type DeliveryHistory = {
  /** Stores an attempt and the status after it, in one write. Storing the attempt with this number again changes nothing. */
  record(delivery: Omit<Delivery, 'attempts'>, attempt: DeliveryAttempt): Promise<void>;
  /** Changes the status of a pending message to `failed`, because it gets no further attempt. */
  fail(key: DeliveryKey): Promise<void>;
  /** The messages before this position, newest first. `next` is the position for the next page. */
  list(
    endpointId: string,
    options: { before: string | undefined; nowMs: number; limit: number },
  ): Promise<DeliveryPage>;
  /** The messages from the time or after the position `after`, up to the time `until`, oldest first. Strongly consistent. */
  listSince(endpointId: string, options: { after: string; until: string; limit: number }): Promise<DeliveryPage>;
  /** Returns the newest delivery of a message. Eventually consistent. */
  find(endpointId: string, messageId: string, nowMs: number): Promise<Delivery | undefined>;
};

type DeliveryPage = { deliveries: Delivery[]; next: string | undefined };

/** A redelivery of several messages, which the dispatcher works off. */
type BulkRedelivery = {
  id: string;
  /** Messages whose first attempt was at this time or later are sent again. ISO 8601 UTC with milliseconds. */
  since: string;
  /** When it was requested. Messages whose first attempt was later are not sent again. */
  requestedAt: string;
  includeDelivered: boolean;
  /** The position in the history up to which messages were requested again. Undefined: none. */
  position?: string | undefined;
};

/** An endpoint whose lanes have work. */
export type BusyEndpoint = {
  endpointId: string;
  /** Number of times that the endpoint was woken or resumed. */
  wakeups: number;
  /**
   * Whether `dueAt` is late enough that `lanesByEndpoint` then lists all lanes that were raised before. If none is due
   * then, the endpoint leaves the index `due`. `wake` resets it.
   */
  isSettling: boolean;
  /** When to query for due lanes, ISO 8601. Undefined: there are none. */
  dueAt: string | undefined;
  /** Whether the endpoint is paused, as far as the dispatcher knows. Its parked lanes are then not listed. */
  isPaused: boolean;
  /** Undefined: the last known attempt was accepted, or there was none. */
  failing: FailingEndpoint | undefined;
  redelivery: BulkRedelivery | undefined;
};

/** `since`: start of the first failed attempt after the last accepted one (ISO 8601 UTC). */
export type FailingEndpoint = { since: string; attempts: number };

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
  plan(seen: BusyEndpoint, next: Pick<BusyEndpoint, 'isSettling' | 'dueAt' | 'isPaused'>): Promise<boolean>;
  /** Makes the endpoint due at this time and not earlier, even if it is woken. */
  rest(endpointId: string, untilMs: number): Promise<void>;
  /** Makes the endpoint and its parked lanes due now, even if it rests, and forgets failed attempts. */
  resume(endpointId: string, atMs: number): Promise<void>;
  /** Counts a failed attempt. @param startedAt ISO 8601 UTC */
  recordFailure(endpointId: string, startedAt: string): Promise<FailingEndpoint>;
  /** Forgets failed attempts. */
  recordSuccess(endpointId: string): Promise<void>;
  /** Stores the redelivery unless another one is running. Returns the stored one. Does not wake the endpoint. */
  startRedelivery(endpointId: string, redelivery: BulkRedelivery): Promise<BulkRedelivery>;
  /**
   * Stores the position, or ends the redelivery if it is undefined. Returns false and writes nothing if another process has
   * advanced the redelivery since `seen` was read.
   */
  advanceRedelivery(
    endpointId: string,
    seen: Pick<BulkRedelivery, 'id' | 'position'>,
    position: string | undefined,
  ): Promise<boolean>;
};

/**
 * `delivered`: an attempt that the receiver accepted. `failed`: an attempt that it did not accept. `given_up`: a message
 * after its last attempt; counted in addition to `failed`. `paused`: an endpoint to which nothing is sent any more.
 */
export type DeliveryOutcome = 'delivered' | 'failed' | 'given_up' | 'paused';
/** `error`: a subject, a lane or an endpoint that could not be processed. */
export type DispatchOutcome = DeliveryOutcome | 'error';

export type DispatchPorts = {
  sources: EventSources;
  endpoints: EndpointReader & Pick<EndpointRepository, 'update'>;
  lanes: LaneRepository;
  busy: BusyEndpointRepository;
  history: Pick<DeliveryHistory, 'record' | 'fail' | 'listSince'>;
  /** Notifies the organization. Called before the pause is stored, so it is repeated after a crash. */
  notifyPaused(pause: EndpointPause): Promise<void>;
  /** Reads the master secret, from which signing secrets derive. */
  readSecret(): Promise<string>;
  send: SendMessage;
  clock: Clock;
  pause(ms: number): Promise<unknown>;
  /** From 0 (inclusive) to 1 (exclusive). */
  random(): number;
  log: Logger;
};

/** Times are ISO 8601 UTC. */
export type EndpointPause = {
  orgId: string;
  endpointId: string;
  url: string;
  failingSince: string;
  pausedAt: string;
};

export type Dispatch = DispatchPorts & {
  count(outcome: DispatchOutcome): void;
  recordDue(dueAt: string | undefined): void;
  raised: RaisedLanes;
  /** Names of subjects whose changes could not be passed on in this run. */
  failed: Set<string>;
};

/** Other domains declare ports of this type for the data that they erase. */
export type DeliveriesEraser<Key> = {
  /** Removes the messages about what is being erased. Idempotent. */
  erase(key: Key): Promise<void>;
};
