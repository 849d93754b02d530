import { HttpError } from '../http/errors.ts';
import { type AuthenticatedLead, type LeadAccessPorts, reloadLead } from './authenticate-lead.ts';
import type { VerificationState } from './verification-state.ts';

/** Higher than the number of concurrent changes that the rate limits of a lead allow. */
const ATTEMPTS_MAX = 12;
const REVISION_BYTES = 6;

export type StateUpdate<T> = {
  /** The state to store; undefined if nothing is written. */
  next: VerificationState | undefined;
  /** Whether `next` verifies a value. */
  isVerification?: boolean;
  /** What to return after `next` was stored, or immediately if `next` is undefined. */
  result: T;
};

/**
 * Updates a lead's verification state with optimistic concurrency. `decide` runs on the current state. If another
 * request changes the stored state first, `decide` runs again on the reloaded state. Updates of one lead are therefore
 * serialized.
 *
 * @param decide `isRetry` is true if the state changed before an earlier decision was stored
 * @throws HttpError 429 after too many conflicts; UnavailableError; errors of `decide` and `reloadLead`
 */
export async function updateState<T>(
  { leads, ids }: Pick<LeadAccessPorts, 'leads' | 'ids'>,
  authenticated: AuthenticatedLead,
  decide: (lead: AuthenticatedLead, isRetry: boolean) => Promise<StateUpdate<T>>,
): Promise<T> {
  let lead = authenticated;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const { next, isVerification = false, result } = await decide(lead, attempt > 0);
    if (next === undefined) return result;
    const after = JSON.stringify({ ...next, revision: ids.randomSecret(REVISION_BYTES) });
    const replacement = { before: lead.storedState, after, isVerification };
    if (await leads.replace(lead.credentials, replacement)) return result;
    lead = await reloadLead(leads, lead);
    // The SDK retries a write whose response was lost. The retry then fails although the first write was stored.
    if (lead.storedState === after) return result;
  }
  throw new HttpError(429, 'Too many requests are changing this lead. Try again in a second.', {
    headers: { 'Retry-After': '1' },
  });
}
