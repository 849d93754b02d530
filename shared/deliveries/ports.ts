import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { SendMessage } from '../webhooks/attempt.ts';
import type { EndpointReader, EndpointRepository } from '../webhooks/ports.ts';
import type { EventType, WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import type { Delivery, DeliveryAttempt, DeliveryKey } from './delivery.ts';
import type { Lane, LaneKey, LaneMessage } from './lane.ts';
import type { RaisedLanes } from './raised-lanes.ts';
import type { CallSubject, DomainSubject, LeadSubject, Subject } from './subject.ts';

/**
 * The changes of a subject that were not dispatched yet. `dispatch`: raise lanes of the organization's endpoints.
 * `postpone`: visitors are still updating the lead. `drop`: no endpoint can get a message, because the lead is being
 * erased, its retention period has ended, or its funnel no longer exists.
 */
export type PendingChange =
  | ({
      action: 'dispatch';
      seq: number;
      orgId: string;
      /**
       * The lanes of enabled endpoints that want at least one of these types are raised. The list can contain types of
       * which no change is pending.
       */
      wantedTypes: readonly EventType[];
    } & OutboxEntry)
  | ({ action: 'drop' } & OutboxEntry)
  | {
      action: 'postpone';
      /** Returns false and writes nothing if the subject changed after it was read. */
      postpone(): Promise<boolean>;
    };

type OutboxEntry = {
  /**
   * Called after all lanes were raised. For a new lead, first stores the notices for mails. If this fails, throws, and
   * the lead stays in the outbox. Then removes the subject from the outbox. If the subject changed after it was read,
   * has left the outbox or no longer exists, returns false and does not change the outbox.
   */
  leaveOutbox(): Promise<boolean>;
};

/**
 * `message`: the message to send, which is in flight or new. `idleLane`: there is no message; the caller must store the
 * lane in this state, in which it is not due. `end`: the call or domain does not exist any more; the caller must remove
 * the lane. If a lead does not exist any more, the last message is `lead.erased`, and then the lane ends.
 */
export type NextStep = { message: LaneMessage } | { idleLane: Lane } | 'end';

/** The changes of the subjects of one kind, and the messages about them. */
export type EventSource<S extends Subject = Subject> = {
  /** Number of shards of the outbox. */
  shardCount: number;
  /** The due subjects of a shard, oldest first. Eventually consistent. */
  listDue(shard: number, nowMs: number, limit: number): Promise<{ due: DueSubject<S>[]; isLast: boolean }>;
  /** Strongly consistent. Undefined: the subject does not exist, or is not in the outbox. */
  read(subject: S): Promise<PendingChange | undefined>;
  /** Determines the next step of a lane from the current state of its subject. Strongly consistent. */
  next(lane: Lane<S>, endpoint: WebhookEndpoint): Promise<NextStep>;
};

/** `dueAt`: ISO 8601 UTC. */
type DueSubject<S extends Subject = Subject> = { subject: S; dueAt: string };

type EventSources = {
  lead: EventSource<LeadSubject>;
  call: EventSource<CallSubject>;
  domain: EventSource<DomainSubject>;
};

/** Stores lanes. Each method writes at most once. */
export type LaneRepository = {
  /**
   * Records that the subject has changed. Creates the lane if necessary. The lane becomes due now unless it has work
   * already. Does nothing if `targetSeq` is already `seq` or higher.
   */
  raise(key: LaneKey, change: { orgId: string; seq: number; atMs: number }): Promise<void>;
  /** Strongly consistent. */
  find(key: LaneKey): Promise<Lane | undefined>;
  /**
   * Stores `next` and returns it with its new version. If the lane has changed since `seen` was read, returns undefined
   * and writes nothing. Changes by `postpone` don't count.
   */
  replace(seen: Lane, next: Lane): Promise<Lane | undefined>;
  /** Makes a lane due later, even if another process is changing the lane. Does nothing if the lane has no work. */
  postpone(key: LaneKey, untilMs: number): Promise<void>;
  /** Does nothing if the lane has changed since `seen` was read. Changes by `postpone` don't count. */
  remove(seen: Lane): Promise<void>;
  /**
   * Requests that the current state is sent again in a message of this type. Creates the lane if necessary. Does
   * nothing if the lane already has a request for this type.
   */
  redeliver(key: LaneKey, request: RedeliveryRequest): Promise<void>;
  /** The due lanes of an endpoint, parked lanes first, then oldest first. Eventually consistent. */
  listDue(endpointId: string, nowMs: number, options: { withParked: boolean }): AsyncIterable<LaneKey>;
  /** When the first lane of the endpoint is due. Ignores parked lanes. ISO 8601 UTC. Eventually consistent. */
  findNextAt(endpointId: string): Promise<string | undefined>;
};

type RedeliveryRequest = Pick<Delivery, 'orgId' | 'type' | 'seq'> & {
  /** Part of the id of the new message. */
  redeliveryId: string;
  atMs: number;
};

/** The outcomes of messages, kept for 30 days. */
export type DeliveryHistory = {
  /** Stores an attempt and the status after it, in one write. Repeating the call changes nothing. */
  record(delivery: Omit<Delivery, 'attempts'>, attempt: DeliveryAttempt): Promise<void>;
  /** Changes the status of a pending message to `failed`, because it gets no further attempt. */
  fail(key: DeliveryKey): Promise<void>;
  /** Returns the messages before the position `before`, newest first. `next` is the position for the next page. */
  list(
    endpointId: string,
    options: { before: string | undefined; nowMs: number; limit: number },
  ): Promise<DeliveryPage>;
  /**
   * Returns messages by the time of their first attempt, oldest first. `after` is a time (inclusive) or a position
   * (exclusive). `until` is a time (exclusive). Strongly consistent.
   */
  listSince(endpointId: string, options: { after: string; until: string; limit: number }): Promise<DeliveryPage>;
  /** Returns the newest delivery of a message. Eventually consistent. */
  find(endpointId: string, messageId: string, nowMs: number): Promise<Delivery | undefined>;
};

type DeliveryPage = { deliveries: Delivery[]; next: string | undefined };

/** The redelivery of several messages. The dispatcher carries it out. */
type BulkRedelivery = {
  id: string;
  /** A message is sent again if its first attempt was at this time or later. ISO 8601 UTC with milliseconds. */
  since: string;
  /** When it was requested. Only messages with an earlier first attempt are sent again. */
  requestedAt: string;
  includeDelivered: boolean;
  /** The redelivery has processed the history up to this position. Undefined: nothing. */
  position?: string | undefined;
};

/**
 * When an endpoint is served next, and why. Created when a lane of the endpoint has work for the first time. The state
 * is in the index `due`, except when the endpoint is idle.
 *
 * | The endpoint is | `dueAt` | At that time |
 * | --- | --- | --- |
 * | waiting | when the first lane is due | serve the due lanes |
 * | settling | two minutes after the last query | query again; without a due lane: waiting, paused or idle |
 * | resting | a minute after failures or errors | serve the due lanes; `wake` does not shorten the rest |
 * | paused | an hour after the last check | check whether the endpoint is still paused |
 * | idle | none | |
 *
 * `wake` makes the endpoint due now unless it rests, and ends `isSettling`.
 */
export type EndpointState = {
  endpointId: string;
  /** Number of times that the endpoint was woken or resumed. */
  wakeups: number;
  /**
   * Whether no due lane was left after the last query, and a second query follows at `dueAt`. By then, the index
   * `lanesByEndpoint` lists every lane that was raised before `dueAt` was stored. If the second query finds no lane, no
   * lane is due.
   */
  isSettling: boolean;
  /** When to query for due lanes, ISO 8601 UTC. Undefined: the endpoint is idle. */
  dueAt: string | undefined;
  /** The end of a rest, ISO 8601 UTC. Undefined: the endpoint does not rest. */
  restsUntil?: string | undefined;
  /**
   * Whether the endpoint was paused when the dispatcher last read it. If so, the dispatcher first processes one parked
   * lane, which shows whether the pause has ended.
   */
  isPaused: boolean;
  /** Undefined: no attempt has failed since the last accepted attempt or the last resumption. */
  failing: FailingEndpoint | undefined;
  redelivery: BulkRedelivery | undefined;
};

/**
 * The failed attempts since the last accepted attempt or the last resumption. `since`: start of the first failed
 * attempt (ISO 8601 UTC).
 */
export type FailingEndpoint = { since: string; failedAttempts: number };

export type EndpointStateRepository = {
  /** Makes the endpoint due now, unless it is due already or rests. Call it after the lanes were raised. */
  wake(endpointId: string, atMs: number): Promise<void>;
  /** At most `limit` due endpoints, sorted by due time. Eventually consistent. */
  listDue(nowMs: number, limit: number): Promise<{ endpointId: string; dueAt: string }[]>;
  /** Strongly consistent. */
  find(endpointId: string): Promise<EndpointState | undefined>;
  /**
   * Stores when to process the endpoint next. Returns false and writes nothing if `wakeups` or `isSettling` changed
   * since `seen` was read.
   */
  plan(seen: EndpointState, next: Pick<EndpointState, 'isSettling' | 'dueAt' | 'isPaused'>): Promise<boolean>;
  /** Makes the endpoint due at this time. `wake` does not make it due earlier. */
  rest(endpointId: string, untilMs: number): Promise<void>;
  /** Makes the endpoint due now, even if it rests, so that its parked lanes are listed. Forgets failed attempts. */
  resume(endpointId: string, atMs: number): Promise<void>;
  /** Counts a failed attempt. @param startedAt ISO 8601 UTC */
  countFailedAttempt(endpointId: string, startedAt: string): Promise<FailingEndpoint>;
  /** Forgets failed attempts. */
  recordSuccess(endpointId: string): Promise<void>;
  /**
   * If no redelivery is running, stores this redelivery. Returns the redelivery that is then running. Does not wake the
   * endpoint.
   */
  startRedelivery(endpointId: string, redelivery: BulkRedelivery): Promise<BulkRedelivery>;
  /**
   * Stores the position. Without a position, ends the redelivery. Returns false and writes nothing if another process
   * has advanced or replaced the redelivery since `seen` was read.
   */
  advanceRedelivery(
    endpointId: string,
    seen: Pick<BulkRedelivery, 'id' | 'position'>,
    position: string | undefined,
  ): Promise<boolean>;
};

/**
 * `delivered`: an attempt that the receiver accepted. `failed`: an attempt that the receiver did not accept.
 * `given_up`: a message that was not accepted for three days; its attempts were counted as `failed` before. `paused`:
 * an endpoint that was paused.
 */
export type DeliveryOutcome = 'delivered' | 'failed' | 'given_up' | 'paused';
/** `error`: a subject, a lane or an endpoint that could not be processed. */
export type DispatcherOutcome = DeliveryOutcome | 'error';

export type DispatchPorts = {
  sources: EventSources;
  endpoints: EndpointReader & Pick<EndpointRepository, 'update'>;
  lanes: LaneRepository;
  endpointStates: EndpointStateRepository;
  history: Pick<DeliveryHistory, 'record' | 'fail' | 'listSince'>;
  /** Notifies the organization. Called before the pause is stored, and called again if a crash prevents the storing. */
  notifyPaused(pause: EndpointPause): Promise<void>;
  /** Reads the master secret, from which signing secrets derive. */
  readSecret(): Promise<string>;
  send: SendMessage;
  clock: Clock;
  sleep(ms: number): Promise<unknown>;
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

export type DispatchRun = DispatchPorts & {
  count(outcome: DispatcherOutcome): void;
  recordDelay(dueAt: string | undefined): void;
  raised: RaisedLanes;
  /** Names of subjects whose changes could not be dispatched in this run. */
  failedSubjects: Set<string>;
};

/** Erases messages about the data of another domain. Implements a port of that domain. */
export type DeliveriesEraser<Key> = {
  /** Removes the messages about the subject with this key. Idempotent. */
  erase(key: Key): Promise<void>;
};
