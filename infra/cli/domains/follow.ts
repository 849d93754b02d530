import { setTimeout as delay } from 'node:timers/promises';
import { createDynamoDomainRepository } from '../../../shared/domains/aws/dynamo-domain-repository.ts';
import { type CustomDomain, toDomainIds } from '../../../shared/domains/domain.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { UserError } from '../../common/user-error.ts';
import { printableLine } from '../terminal/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { progressOf, stepTexts } from './format.ts';

const POLL_MS = 500;
const PATIENCE_MS = 30 * 60_000;

/**
 * Tells each step of a set-up or removal when it begins, until nothing is left to do.
 *
 * @returns the domain as it is then; undefined when it is gone
 * @throws FriendlyError after half an hour
 */
export async function follow(domain: CustomDomain, { note }: Terminal): Promise<CustomDomain | undefined> {
  const endMs = systemClock.now() + PATIENCE_MS;
  let left = domain.status === 'removing' ? stepTexts(domain.removal?.step) : [];
  for (let told = ''; systemClock.now() < endMs; await delay(POLL_MS)) {
    const now = await createDynamoDomainRepository().find(toDomainIds(domain));
    const doing = now && progressOf(now);
    if (now === undefined) for (const step of left) note(step);
    if (now === undefined || doing === undefined) return now;
    // What began and ended between two looks too.
    for (const step of left.slice(0, Math.max(0, left.indexOf(doing)))) note(step);
    left = left.slice(left.indexOf(doing) + 1);
    const problem = (now.removal ?? now.setUp)?.problem;
    const line = problem == null ? doing : `${doing} (${printableLine(problem)})`;
    if (line !== told) note(line);
    told = line;
  }
  throw new UserError('It takes more than half an hour and goes on by itself: see domains show.');
}
