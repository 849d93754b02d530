import { setTimeout as delay } from 'node:timers/promises';
import { createDynamoDomainRepository } from '../../../shared/domains/aws/dynamo-domain-repository.ts';
import { type CustomDomain, REMOVAL_STEPS, type RemovalStep, toDomainIds } from '../../../shared/domains/domain.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { UserError } from '../../common/user-error.ts';
import { printableLine } from '../terminal/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';

const STEPS: Record<RemovalStep, string> = {
  unbind_pages: 'unbind its pages',
  disable_edge: 'disable its tenant at the CDN',
  delete_edge: 'delete its tenant at the CDN',
  delete_certificate: 'delete its certificate',
  release_hostname: 'release its hostname',
};

const describeStepsFrom = (from: RemovalStep = REMOVAL_STEPS[0]): string[] =>
  REMOVAL_STEPS.map((step, at) => `step ${at + 1} of ${REMOVAL_STEPS.length}: ${STEPS[step]}`).slice(
    REMOVAL_STEPS.indexOf(from),
  );

/** Describes the current step of a provisioning or removal. Returns undefined if neither is in progress. */
export function describeProgress({ removal, provisioning, tenantId }: CustomDomain): string | undefined {
  if (removal !== null) return describeStepsFrom(removal.step)[0];
  if (provisioning === null) return undefined;
  return tenantId === null ? 'create its tenant at the CDN' : 'wait until the CDN serves it';
}

const POLL_INTERVAL_MS = 500;
const TIMEOUT_MS = 30 * 60_000;

/**
 * Waits until a provisioning or removal has ended. Meanwhile, prints its steps.
 *
 * @returns the domain after the last step; undefined if it was removed
 * @throws UserError after half an hour
 */
export async function followProgress(domain: CustomDomain, { note }: Terminal): Promise<CustomDomain | undefined> {
  const endMs = systemClock.now() + TIMEOUT_MS;
  let remaining = domain.status === 'removing' ? describeStepsFrom(domain.removal?.step) : [];
  for (let printed = ''; systemClock.now() < endMs; await delay(POLL_INTERVAL_MS)) {
    const now = await createDynamoDomainRepository().find(toDomainIds(domain));
    const step = now && describeProgress(now);
    if (now === undefined) for (const finished of remaining) note(finished);
    if (now === undefined || step === undefined) return now;
    // Prints the steps of a removal that have finished since the last poll.
    for (const finished of remaining.slice(0, Math.max(0, remaining.indexOf(step)))) note(finished);
    remaining = remaining.slice(remaining.indexOf(step) + 1);
    const failureReason = (now.removal ?? now.provisioning)?.failureReason;
    const line = failureReason == null ? step : `${step} (${printableLine(failureReason)})`;
    if (line !== printed) note(line);
    printed = line;
  }
  throw new UserError(
    `The provisioning or removal of ${domain.hostname} takes more than half an hour. It continues in the background: ` +
      'see "domains show".',
  );
}
