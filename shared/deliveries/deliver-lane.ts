import { signingSecrets } from '../webhooks/endpoint-secrets.ts';
import type { Attempt } from '../webhooks/send-message.ts';
import { headersOf } from '../webhooks/sign-message.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import { deliveryKey, describeAttempt, isAccepted } from './delivery.ts';
import { type EndpointHealth, pauseIfFailing, recordSuccess } from './endpoint-health.ts';
import {
  beginAttempt,
  completeMessage,
  dropWork,
  endErasedForRedelivery,
  isDue,
  isGivenUp,
  type Lane,
  type LaneKey,
  type LaneMessage,
  type MessageInFlight,
  PARKED_AT,
  park,
  postponeAttempt,
  startOver,
  toIsoString,
} from './lane.ts';
import type { DispatchRun, EventSource } from './ports.ts';

export type LaneRun = { masterSecret: string; hasTime(): boolean; health: EndpointHealth };

export type LaneEnd = {
  /** When the lane is due next, ISO 8601; undefined: it has no work, is parked, or was changed by another process. */
  nextAt?: string | undefined;
  isUnresponsive?: boolean;
};

/**
 * Sends the messages of a due lane until none is left, an attempt fails or the time is over. A message is stored before
 * its first attempt, so that all attempts send the same body. After a crash, a later run repeats the attempt.
 *
 * @throws UnavailableError
 */
export async function deliverLane(dispatch: DispatchRun, key: LaneKey, run: LaneRun): Promise<LaneEnd> {
  for (;;) {
    const lane = await dispatch.lanes.find(key);
    if (lane === undefined || !isDue(lane, dispatch.clock.now()) || !run.hasTime()) return { nextAt: lane?.nextAt };
    const ended = await deliverNext(dispatch, lane, run);
    if (ended !== undefined) return ended;
  }
}

/**
 * Sends or ends the next message of a lane. Returns undefined if the lane must be read again: it may have
 * more messages, or it was changed or removed.
 */
async function deliverNext(dispatch: DispatchRun, lane: Lane, run: LaneRun): Promise<LaneEnd | undefined> {
  const { lanes, endpoints, clock } = dispatch;
  const endpoint = await endpoints.find(lane);
  run.health.isPaused = endpoint?.isEnabled === true && endpoint.pausedAt !== null;
  if (endpoint === undefined) return void (await lanes.remove(lane));
  if (!endpoint.isEnabled) return void (await endMessageInFlight(dispatch, lane, dropWork));
  if (run.health.isPaused) return parkLane(dispatch, lane);
  const message = await nextMessage(dispatch, lane, endpoint);
  if (message === undefined) return undefined;
  const inFlight = lane.inFlight?.id === message.id ? lane.inFlight : undefined;
  if (inFlight !== undefined && isGivenUp(inFlight, clock.now()))
    return giveUp(dispatch, lane, inFlight, endpoint, run);
  // The organization can have deselected the type. `next` checks it only for new messages about stored leads.
  if (!endpoint.eventTypes.includes(message.type)) {
    await recordFailed(dispatch, lane);
    return complete(dispatch, lane, message);
  }
  const startedAt = toIsoString(clock.now());
  const begun = beginAttempt({ ...lane, inFlight }, message, clock.now());
  const started = await lanes.replace(lane, begun);
  if (started === undefined) return undefined;
  const attempt = await sendSigned(dispatch, endpoint, message, run);
  return storeOutcome(dispatch, { started, message: begun.inFlight, startedAt, attempt }, endpoint, run);
}

/**
 * Returns the message in flight or the next one. Without a message, makes the lane idle or removes it, and returns
 * undefined. Drops the message in flight if the subject was erased or the subject's retention period has ended.
 */
async function nextMessage(
  dispatch: DispatchRun,
  lane: Lane,
  endpoint: WebhookEndpoint,
): Promise<LaneMessage | undefined> {
  const { sources, lanes } = dispatch;
  const source: EventSource = sources[lane.subject.kind];
  const step = await source.next(lane, endpoint);
  const isKept = typeof step === 'object' && 'message' in step && step.message.id === lane.inFlight?.id;
  if (!isKept) await recordFailed(dispatch, lane);
  if (step === 'end') return void (await lanes.remove(lane));
  if ('message' in step) return step.message;
  await lanes.replace(lane, step.idleLane);
  return undefined;
}

function sendSigned(
  { send: post, clock }: DispatchRun,
  endpoint: WebhookEndpoint,
  { id, body }: LaneMessage,
  { masterSecret }: LaneRun,
): Promise<Attempt> {
  const nowMs = clock.now();
  const timestampSeconds = Math.floor(nowMs / 1_000);
  const headers = headersOf({ id, timestampSeconds, body, secrets: signingSecrets(masterSecret, endpoint, nowMs) });
  return post({ url: endpoint.url, headers, body });
}

type EndedAttempt = { started: Lane; message: MessageInFlight; startedAt: string; attempt: Attempt };

/** Stores the history before the lane, so that after a crash, the history has every outcome that the lane has. */
async function storeOutcome(
  dispatch: DispatchRun,
  { started, message, startedAt, attempt }: EndedAttempt,
  endpoint: WebhookEndpoint,
  { health }: LaneRun,
): Promise<LaneEnd | undefined> {
  const { endpoints, busy, history, clock, random, log, count } = dispatch;
  const { orgId, subject, endpointId } = started;
  const outcome = describeAttempt(message.attempts, startedAt, attempt);
  const { type, seq } = message;
  const delivery = { ...deliveryKey(started, message), orgId, subject, type, seq };
  await history.record({ ...delivery, status: isAccepted(outcome) ? 'delivered' : 'pending' }, outcome);
  if (isAccepted(outcome)) {
    count('delivered');
    await recordSuccess(dispatch, endpointId, health);
    return complete(dispatch, started, message);
  }
  count('failed');
  health.failing = await busy.recordFailure(endpointId, startedAt);
  if (outcome.status === 410) {
    const update = { isEnabled: false, updatedAt: toIsoString(clock.now()) };
    // Does nothing if the organization has changed the URL since the endpoint was read.
    if ((await endpoints.update(started, update, endpoint.url)) !== undefined) {
      log.warn('A webhook endpoint was disabled, because it responded with status 410.', { endpointId });
      return void (await endMessageInFlight(dispatch, started, dropWork));
    }
  }
  if (await pauseIfFailing(dispatch, orgId, endpoint, health)) return parkLane(dispatch, started);
  const retryAfterSeconds = attempt.outcome === 'responded' ? attempt.retryAfterSeconds : undefined;
  const plan = { nowMs: clock.now(), random: random(), retryAfterSeconds };
  const postponed = await updateLane(dispatch, started, (lane) => postponeAttempt(lane, message, plan));
  return { nextAt: postponed?.nextAt, isUnresponsive: outcome.status === null };
}

async function giveUp(
  dispatch: DispatchRun,
  lane: Lane,
  message: MessageInFlight,
  endpoint: WebhookEndpoint,
  { health }: LaneRun,
): Promise<LaneEnd | undefined> {
  const { subject, endpointId, orgId } = lane;
  if (await pauseIfFailing(dispatch, orgId, endpoint, health)) return parkLane(dispatch, lane);
  const { type, id } = message;
  dispatch.log.warn('A webhook message was given up.', { ...subject, endpointId, type, id });
  dispatch.count('given_up');
  await recordFailed(dispatch, lane);
  return complete(dispatch, lane, message);
}

async function parkLane(dispatch: DispatchRun, lane: Lane): Promise<LaneEnd> {
  if (lane.nextAt !== PARKED_AT) await endMessageInFlight(dispatch, lane, park);
  return {};
}

async function endMessageInFlight(dispatch: DispatchRun, lane: Lane, next: (lane: Lane) => Lane): Promise<void> {
  await recordFailed(dispatch, lane);
  await updateLane(dispatch, lane, next);
}

/** Records that the message in flight gets no further attempt. */
async function recordFailed({ history }: DispatchRun, lane: Lane): Promise<void> {
  if (lane.inFlight !== undefined) await history.fail(deliveryKey(lane, lane.inFlight));
}

/** Ends a message. `lead.erased` ends the lane, unless it was requested again or the lead was created again. */
async function complete(dispatch: DispatchRun, seen: Lane, message: LaneMessage): Promise<undefined> {
  const nowMs = dispatch.clock.now();
  const isRequestedAgain = seen.redeliveries.length > 0 && message.redeliveryId !== seen.redeliveryId;
  if (message.type !== 'lead.erased') await updateLane(dispatch, seen, (lane) => completeMessage(lane, message, nowMs));
  else if (isRequestedAgain) await updateLane(dispatch, seen, (lane) => endErasedForRedelivery(lane, nowMs));
  else if (seen.targetSeq <= message.seq) await dispatch.lanes.remove(seen);
  else await updateLane(dispatch, seen, (lane) => startOver(lane, nowMs));
}

/** Changes the lane, also after a concurrent `raise`, `redeliver` or `postpone`. Does nothing if its version changed. */
async function updateLane(
  { lanes }: Pick<DispatchRun, 'lanes'>,
  seen: Lane,
  next: (lane: Lane) => Lane,
): Promise<Lane | undefined> {
  const changed = await lanes.replace(seen, next(seen));
  if (changed !== undefined) return changed;
  const lane = await lanes.find(seen);
  return lane !== undefined && lane.version === seen.version ? updateLane({ lanes }, lane, next) : undefined;
}
