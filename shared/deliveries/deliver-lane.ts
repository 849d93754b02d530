import type { Attempt } from '../webhooks/attempt.ts';
import { signingSecrets } from '../webhooks/endpoint-secrets.ts';
import { headersOf } from '../webhooks/sign-message.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import { deliveryKey, describeAttempt, isAccepted } from './delivery.ts';
import { type EndpointHealth, pauseIfFailing, recordSuccess } from './endpoint-health.ts';
import {
  beginAttempt,
  dropWork,
  endErasedForRedelivery,
  endMessage,
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

/** What all lanes of an endpoint share during one run. */
export type EndpointRun = { masterSecret: string; hasTime(): boolean; health: EndpointHealth };

export type LaneResult = {
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
export async function deliverLane(
  dispatchRun: DispatchRun,
  key: LaneKey,
  endpointRun: EndpointRun,
): Promise<LaneResult> {
  for (;;) {
    const lane = await dispatchRun.lanes.find(key);
    if (lane === undefined || !isDue(lane, dispatchRun.clock.now()) || !endpointRun.hasTime())
      return { nextAt: lane?.nextAt };
    const ended = await deliverNext(dispatchRun, lane, endpointRun);
    if (ended !== undefined) return ended;
  }
}

/**
 * Sends the next message of a lane, or gives it up or drops it. If the endpoint is paused, parks the lane. Returns
 * undefined if the lane may have more messages, or was changed or removed. The caller must then read the lane again.
 * Records in `endpointRun.health` whether the endpoint is paused.
 */
async function deliverNext(
  dispatchRun: DispatchRun,
  lane: Lane,
  endpointRun: EndpointRun,
): Promise<LaneResult | undefined> {
  const { lanes, endpoints, clock } = dispatchRun;
  const endpoint = await endpoints.find(lane);
  endpointRun.health.isPaused = endpoint?.isEnabled === true && endpoint.pausedAt !== null;
  if (endpoint === undefined) {
    await lanes.remove(lane);
    return undefined;
  }
  if (!endpoint.isEnabled) {
    await endMessageInFlight(dispatchRun, lane, dropWork);
    return undefined;
  }
  if (endpointRun.health.isPaused) return parkLane(dispatchRun, lane);
  const message = await nextMessage(dispatchRun, lane, endpoint);
  if (message === undefined) return undefined;
  const inFlight = lane.inFlight?.id === message.id ? lane.inFlight : undefined;
  if (inFlight !== undefined && isGivenUp(inFlight, clock.now()))
    return giveUp(dispatchRun, lane, inFlight, endpoint, endpointRun);
  // The endpoint does not want the message. The organization may have deselected the type since the message was stored
  // or requested. Or the message is `lead.erased`, which the event source returns for every endpoint.
  if (!endpoint.eventTypes.includes(message.type)) {
    await markFailed(dispatchRun, lane);
    return removeMessage(dispatchRun, lane, message);
  }
  const startedAt = toIsoString(clock.now());
  const begun = beginAttempt({ ...lane, inFlight }, message, clock.now());
  const started = await lanes.replace(lane, begun);
  if (started === undefined) return undefined;
  const attempt = await sendSigned(dispatchRun, endpoint, message, endpointRun);
  return storeOutcome(
    dispatchRun,
    { lane: started, message: begun.inFlight, startedAt, attempt },
    endpoint,
    endpointRun,
  );
}

/**
 * Returns the message to send: the message in flight or a new one. If there is none, makes the lane idle or removes the
 * lane, and returns undefined. Drops the message in flight if the subject was erased or the subject's retention period
 * has ended.
 */
async function nextMessage(
  dispatchRun: DispatchRun,
  lane: Lane,
  endpoint: WebhookEndpoint,
): Promise<LaneMessage | undefined> {
  const { sources, lanes } = dispatchRun;
  const source: EventSource = sources[lane.subject.kind];
  const step = await source.next(lane, endpoint);
  const isKept = typeof step === 'object' && 'message' in step && step.message.id === lane.inFlight?.id;
  if (!isKept) await markFailed(dispatchRun, lane);
  if (step === 'end') {
    await lanes.remove(lane);
    return undefined;
  }
  if ('message' in step) return step.message;
  await lanes.replace(lane, step.idleLane);
  return undefined;
}

function sendSigned(
  { send, clock }: DispatchRun,
  endpoint: WebhookEndpoint,
  { id, body }: LaneMessage,
  { masterSecret }: EndpointRun,
): Promise<Attempt> {
  const nowMs = clock.now();
  const timestampSeconds = Math.floor(nowMs / 1_000);
  const headers = headersOf({ id, timestampSeconds, body, secrets: signingSecrets(masterSecret, endpoint, nowMs) });
  return send({ url: endpoint.url, headers, body });
}

/** `lane`: as it was stored when the attempt began (`beginAttempt`). `startedAt`: ISO 8601 UTC. */
type EndedAttempt = { lane: Lane; message: MessageInFlight; startedAt: string; attempt: Attempt };

/**
 * Stores the outcome first in the history, then in the lane. Therefore, even after a crash, the history contains
 * every outcome that the lane contains.
 */
async function storeOutcome(
  dispatchRun: DispatchRun,
  { lane, message, startedAt, attempt }: EndedAttempt,
  endpoint: WebhookEndpoint,
  { health }: EndpointRun,
): Promise<LaneResult | undefined> {
  const { endpoints, endpointStates, history, clock, random, log, count } = dispatchRun;
  const { orgId, subject, endpointId } = lane;
  const outcome = describeAttempt(message.attempts, startedAt, attempt);
  const { type, seq } = message;
  const delivery = { ...deliveryKey(lane, message), orgId, subject, type, seq };
  await history.record({ ...delivery, status: isAccepted(outcome) ? 'delivered' : 'pending' }, outcome);
  if (isAccepted(outcome)) {
    count('delivered');
    await recordSuccess(dispatchRun, endpointId, health);
    return removeMessage(dispatchRun, lane, message);
  }
  count('failed');
  health.failing = await endpointStates.countFailedAttempt(endpointId, startedAt);
  if (outcome.status === 410) {
    const update = { isEnabled: false, updatedAt: toIsoString(clock.now()) };
    // Does nothing if the organization has changed the URL since the endpoint was read.
    if ((await endpoints.update(lane, update, endpoint.url)) !== undefined) {
      log.warn('A webhook endpoint was disabled, because it responded with status 410.', { endpointId });
      await endMessageInFlight(dispatchRun, lane, dropWork);
      return undefined;
    }
  }
  if (await pauseIfFailing(dispatchRun, orgId, endpoint, health)) return parkLane(dispatchRun, lane);
  const retryAfterSeconds = attempt.outcome === 'responded' ? attempt.retryAfterSeconds : undefined;
  const plan = { nowMs: clock.now(), random: random(), retryAfterSeconds };
  const postponed = await updateLane(dispatchRun, lane, (current) => postponeAttempt(current, message, plan));
  return { nextAt: postponed?.nextAt, isUnresponsive: outcome.status === null };
}

async function giveUp(
  dispatchRun: DispatchRun,
  lane: Lane,
  message: MessageInFlight,
  endpoint: WebhookEndpoint,
  { health }: EndpointRun,
): Promise<LaneResult | undefined> {
  const { subject, endpointId, orgId } = lane;
  if (await pauseIfFailing(dispatchRun, orgId, endpoint, health)) return parkLane(dispatchRun, lane);
  const { type, id } = message;
  dispatchRun.log.warn('A webhook message was given up, because no attempt was accepted for three days.', {
    ...subject,
    endpointId,
    type,
    id,
  });
  dispatchRun.count('given_up');
  await markFailed(dispatchRun, lane);
  return removeMessage(dispatchRun, lane, message);
}

async function parkLane(dispatchRun: DispatchRun, lane: Lane): Promise<LaneResult> {
  if (lane.nextAt !== PARKED_AT) await endMessageInFlight(dispatchRun, lane, park);
  return {};
}

async function endMessageInFlight(dispatchRun: DispatchRun, lane: Lane, next: (lane: Lane) => Lane): Promise<void> {
  await markFailed(dispatchRun, lane);
  await updateLane(dispatchRun, lane, next);
}

/** Records that the message in flight gets no further attempt. */
async function markFailed({ history }: DispatchRun, lane: Lane): Promise<void> {
  if (lane.inFlight !== undefined) await history.fail(deliveryKey(lane, lane.inFlight));
}

/**
 * Removes a message from its lane. After `lead.erased`, also removes the lane. Exceptions: a redelivery was requested
 * while `lead.erased` was in flight, or a new lead has the same id.
 */
async function removeMessage(dispatchRun: DispatchRun, seen: Lane, message: LaneMessage): Promise<undefined> {
  const nowMs = dispatchRun.clock.now();
  const isRequestedAgain = seen.redeliveries.length > 0 && message.redeliveryId !== seen.redeliveryId;
  if (message.type !== 'lead.erased') await updateLane(dispatchRun, seen, (lane) => endMessage(lane, message, nowMs));
  else if (isRequestedAgain) await updateLane(dispatchRun, seen, (lane) => endErasedForRedelivery(lane, nowMs));
  else if (seen.targetSeq <= message.seq) await dispatchRun.lanes.remove(seen);
  else await updateLane(dispatchRun, seen, (lane) => startOver(lane, nowMs));
}

/**
 * Stores `next(seen)`. If the lane was changed after it was read as `seen`, reads it again. If the version is the same,
 * the change was a `raise` or `redeliver`, and the lane is updated again. Otherwise, returns undefined.
 */
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
