import { headersOf } from '../webhooks/create-message.ts';
import { signingSecrets } from '../webhooks/endpoint-secrets.ts';
import type { Attempt } from '../webhooks/send-message.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import {
  beginAttempt,
  completeMessage,
  isDue,
  isGivenUp,
  type Lane,
  type LaneKey,
  type LaneMessage,
  type MessageInFlight,
  postponeAttempt,
  toIsoString,
} from './lane.ts';
import type { Dispatch, EventSource } from './ports.ts';

export type LaneRun = { masterSecret: string; hasTime(): boolean };

export type LaneEnd = {
  /** When the lane is due next, ISO 8601; undefined: it has no work. */
  nextAt?: string | undefined;
  /** Whether the receiver did not respond. */
  isUnresponsive?: boolean;
};

/**
 * Sends the messages of a due lane until it has none, an attempt fails or the time is over. A message is stored before
 * its first attempt, so that all attempts are equal. After a crash, the attempt is repeated.
 *
 * @throws UnavailableError
 */
export async function deliverLane(dispatch: Dispatch, key: LaneKey, run: LaneRun): Promise<LaneEnd> {
  for (;;) {
    const lane = await dispatch.lanes.find(key);
    if (lane === undefined || !isDue(lane, dispatch.clock.now()) || !run.hasTime()) return { nextAt: lane?.nextAt };
    const ended = await deliverNext(dispatch, lane, run);
    if (ended !== undefined) return ended;
  }
}

/** Returns undefined if the lane may have more messages. */
async function deliverNext(dispatch: Dispatch, lane: Lane, run: LaneRun): Promise<LaneEnd | undefined> {
  const { lanes, endpoints, clock } = dispatch;
  const endpoint = await endpoints.find(lane);
  if (endpoint === undefined) return void (await lanes.remove(lane));
  if (!endpoint.isEnabled) return void (await makeIdle(dispatch, lane));
  const message = await nextMessage(dispatch, lane, endpoint);
  if (message === undefined) return undefined;
  const inFlight = lane.inFlight?.id === message.id ? lane.inFlight : undefined;
  if (inFlight !== undefined && isGivenUp(inFlight, clock.now())) return giveUp(dispatch, lane, inFlight);
  if (!endpoint.eventTypes.includes(message.type)) return void (await complete(dispatch, lane, message));
  const begun = beginAttempt({ ...lane, inFlight }, message, clock.now());
  const started = await lanes.replace(lane, begun);
  if (started === undefined) return undefined;
  const attempt = await send(dispatch, endpoint, message, run);
  return storeOutcome(dispatch, started, begun.inFlight, attempt);
}

/**
 * Returns the message in flight or the next one. If there is none, stores that in the lane and returns undefined. A
 * message in flight about a subject that was erased or whose retention period has ended is dropped.
 */
async function nextMessage(
  { sources, lanes }: Dispatch,
  lane: Lane,
  endpoint: WebhookEndpoint,
): Promise<LaneMessage | undefined> {
  const source: EventSource = sources[lane.subject.kind];
  const step = await source.next(lane, endpoint);
  if (step === 'end') return void (await lanes.remove(lane));
  if ('message' in step) return step.message;
  await lanes.replace(lane, step.idleLane);
  return undefined;
}

function send(
  { send: post, clock }: Dispatch,
  endpoint: WebhookEndpoint,
  { id, body }: LaneMessage,
  { masterSecret }: LaneRun,
): Promise<Attempt> {
  const nowMs = clock.now();
  const timestampSeconds = Math.floor(nowMs / 1_000);
  const headers = headersOf({ id, timestampSeconds, body, secrets: signingSecrets(masterSecret, endpoint, nowMs) });
  return post({ url: endpoint.url, headers, body });
}

async function storeOutcome(
  dispatch: Dispatch,
  started: Lane,
  message: MessageInFlight,
  attempt: Attempt,
): Promise<LaneEnd | undefined> {
  const { endpoints, clock, random, log, count } = dispatch;
  const status = attempt.outcome === 'responded' ? attempt.status : undefined;
  if (status !== undefined && status >= 200 && status < 300) {
    count('delivered');
    return complete(dispatch, started, message);
  }
  count('failed');
  if (status === 410) {
    await endpoints.update(started, { isEnabled: false, updatedAt: toIsoString(clock.now()) });
    log.warn('A webhook endpoint was disabled, because it responded with status 410.', {
      endpointId: started.endpointId,
    });
    return void (await makeIdle(dispatch, started));
  }
  const retryAfterSeconds = attempt.outcome === 'responded' ? attempt.retryAfterSeconds : undefined;
  const plan = { nowMs: clock.now(), random: random(), retryAfterSeconds };
  const postponed = await change(dispatch, started, (lane) => postponeAttempt(lane, message, plan));
  return { nextAt: postponed?.nextAt, isUnresponsive: status === undefined };
}

function giveUp(dispatch: Dispatch, lane: Lane, { type, id, ...message }: MessageInFlight): Promise<undefined> {
  const { subject, endpointId } = lane;
  dispatch.log.warn('A webhook message was given up.', { ...subject, endpointId, type, id });
  dispatch.count('given_up');
  return complete(dispatch, lane, { type, id, ...message });
}

/** Drops the work of a lane, but keeps what the endpoint has acknowledged, so that no creation is announced again. */
const makeIdle = ({ lanes }: Dispatch, lane: Lane): Promise<Lane | undefined> =>
  lanes.replace(lane, { ...lane, inFlight: undefined, nextAt: undefined });

/** Ends a message. The last message about a subject ends its lane. */
async function complete(dispatch: Dispatch, seen: Lane, message: LaneMessage): Promise<undefined> {
  if (message.type === 'lead.erased') await dispatch.lanes.remove(seen);
  else await change(dispatch, seen, (lane) => completeMessage(lane, message, dispatch.clock.now()));
}

/** Changes the lane, even if it was raised meanwhile, but not if another process has changed it. */
async function change(
  { lanes }: Pick<Dispatch, 'lanes'>,
  seen: Lane,
  next: (lane: Lane) => Lane,
): Promise<Lane | undefined> {
  const changed = await lanes.replace(seen, next(seen));
  if (changed !== undefined) return changed;
  const lane = await lanes.find(seen);
  return lane !== undefined && lane.version === seen.version ? change({ lanes }, lane, next) : undefined;
}
