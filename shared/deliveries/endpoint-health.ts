import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import { toIsoString } from './lane.ts';
import type { DispatchRun, FailingEndpoint } from './ports.ts';

/**
 * If all attempts to an endpoint fail for this time, the endpoint is paused. Messages are given up after the same time.
 */
const PAUSE_AFTER_MS = 72 * 3_600_000;
/** Minimum failures before a pause. Otherwise, two failures that are three days apart could pause an endpoint. */
const FAILED_ATTEMPTS_MIN = 5;

/** What is known of the attempts to an endpoint while it is served. */
export type EndpointHealth = {
  failing: FailingEndpoint | undefined;
  isPaused: boolean;
  /** Shared by concurrent lanes, so that they pause the endpoint once. */
  pausing: Promise<boolean> | undefined;
};

export async function recordSuccess(
  { endpointStates }: Pick<DispatchRun, 'endpointStates'>,
  endpointId: string,
  health: EndpointHealth,
): Promise<void> {
  if (health.failing === undefined) return;
  await endpointStates.recordSuccess(endpointId);
  health.failing = undefined;
}

/**
 * Pauses an endpoint if all attempts have failed for three days, and at least `FAILED_ATTEMPTS_MIN` attempts failed.
 * Returns whether the endpoint is paused. If the organization has deleted the endpoint or changed its URL since the
 * endpoint was read, the pause is not stored, and the result is false.
 *
 * @throws errors of `notifyPaused`, before the pause is stored; UnavailableError
 */
export async function pauseIfFailing(
  dispatchRun: DispatchRun,
  orgId: string,
  endpoint: WebhookEndpoint,
  health: EndpointHealth,
): Promise<boolean> {
  const { failing } = health;
  if (failing === undefined || failing.failedAttempts < FAILED_ATTEMPTS_MIN) return false;
  if (dispatchRun.clock.now() < Date.parse(failing.since) + PAUSE_AFTER_MS) return false;
  health.pausing ??= pause(dispatchRun, orgId, endpoint, failing.since);
  health.isPaused = await health.pausing;
  return health.isPaused;
}

async function pause(
  { endpoints, notifyPaused, clock, log, count }: DispatchRun,
  orgId: string,
  { id: endpointId, url }: WebhookEndpoint,
  failingSince: string,
): Promise<boolean> {
  const pausedAt = toIsoString(clock.now());
  await notifyPaused({ orgId, endpointId, url, failingSince, pausedAt });
  const paused = await endpoints.update({ orgId, endpointId }, { pausedAt, failingSince, updatedAt: pausedAt }, url);
  if (paused === undefined) return false;
  log.warn('A webhook endpoint was paused, because every attempt failed for three days.', { orgId, endpointId });
  count('paused');
  return true;
}
