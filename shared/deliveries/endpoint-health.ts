import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import { toIsoString } from './lane.ts';
import type { Dispatch, FailingEndpoint } from './ports.ts';

/** An endpoint is paused when every attempt has failed for this time. It is the time after which messages are given up. */
const PAUSE_AFTER_MS = 72 * 3_600_000;
/** So that an endpoint with few messages is not paused for two failures three days apart. */
const FAILED_ATTEMPTS_MIN = 5;

/** What is known of the attempts to an endpoint while it is served. */
export type EndpointHealth = {
  failing: FailingEndpoint | undefined;
  isPaused: boolean;
  /** Concurrent lanes pause the endpoint once. */
  pausing: Promise<boolean> | undefined;
};

export async function recordSuccess(
  { busy }: Pick<Dispatch, 'busy'>,
  endpointId: string,
  health: EndpointHealth,
): Promise<void> {
  if (health.failing === undefined) return;
  await busy.recordSuccess(endpointId);
  health.failing = undefined;
}

/**
 * Pauses an endpoint whose attempts have all failed for three days. Returns whether it is paused. Does nothing if the
 * organization has changed the URL meanwhile.
 *
 * @throws errors of `notifyPaused`, before the pause is stored; UnavailableError
 */
export async function pauseIfFailing(
  dispatch: Dispatch,
  orgId: string,
  endpoint: WebhookEndpoint,
  health: EndpointHealth,
): Promise<boolean> {
  const { failing } = health;
  if (failing === undefined || failing.attempts < FAILED_ATTEMPTS_MIN) return false;
  if (dispatch.clock.now() < Date.parse(failing.since) + PAUSE_AFTER_MS) return false;
  health.pausing ??= pause(dispatch, orgId, endpoint, failing.since);
  health.isPaused = await health.pausing;
  return health.isPaused;
}

async function pause(
  { endpoints, notifyPaused, clock, log, count }: Dispatch,
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
