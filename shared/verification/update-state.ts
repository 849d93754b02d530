import { HttpError } from '../http/errors.ts';
import { type AuthenticatedLead, type LeadAccessPorts, reloadLead } from './authenticate-lead.ts';
import type { VerificationState } from './verification-state.ts';

/** More than the changes that a lead's budgets allow at the same time. */
const ATTEMPTS = 12;
const REVISION_BYTES = 6;

/** What to store, undefined: nothing; and what comes of it once it is stored. */
export type StateUpdate<T> = { next: VerificationState | undefined; result: T };

/**
 * Decides on a lead's state and stores the decision, if the state is still the one that was decided on; else decides
 * anew on what is there by then. So changes of one lead happen one after the other, whoever makes them.
 *
 * @param decide `hasWaited`: an earlier decision of this request came to nothing
 * @throws Problem 429 when too many requests change the lead at once
 */
export async function updateState<T>(
  { leads, ids }: Pick<LeadAccessPorts, 'leads' | 'ids'>,
  opened: AuthenticatedLead,
  decide: (lead: AuthenticatedLead, hasWaited: boolean) => Promise<StateUpdate<T>>,
): Promise<T> {
  let lead = opened;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { next, result } = await decide(lead, attempt > 0);
    if (next === undefined) return result;
    const after = JSON.stringify({ ...next, revision: ids.randomSecret(REVISION_BYTES) });
    if (await leads.replace(lead.credentials, lead.storedState, after)) return result;
    lead = await reloadLead(leads, lead);
    // The SDK repeats a write whose answer was lost, and the second one finds the first.
    if (lead.storedState === after) return result;
  }
  throw new HttpError(429, 'Too many requests are changing this lead. Try again in a second.', {
    headers: { 'Retry-After': '1' },
  });
}
