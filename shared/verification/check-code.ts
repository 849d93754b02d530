import { HttpError } from '../http/errors.ts';
import { rateLimitHeaders } from '../http/too-many-requests.ts';
import { readSecretOrUnavailable } from '../limits/client-rate-limiter.ts';
import type { RateLimiter, RateLimitReader } from '../platform/rate-limiter.ts';
import type { SecretStore } from '../platform/secret-store.ts';
import {
  type AuthenticatedLead,
  authenticateLead,
  type LeadAccessPorts,
  type LeadRequest,
} from './authenticate-lead.ts';
import { hashCode, isEqualConstantTime, normalizeCodeInput } from './code.ts';
import type { ContactField } from './contact-fields.ts';
import { type CodeEvaluation, evaluateCode } from './evaluate-code.ts';
import { createFailedAttemptLimiter, type FailedAttemptLimiter } from './failed-attempt-limiter.ts';
import { type StateUpdate, updateState } from './update-state.ts';
import { FAILED_ATTEMPTS_MAX, LOCKOUT_SECONDS, VERIFICATION_DELAY_MS } from './verification-state.ts';

export type CheckCodePorts = LeadAccessPorts & {
  /** Resolves after so many milliseconds. */
  wait: (ms: number) => Promise<unknown>;
  limiter: RateLimiter & RateLimitReader;
  secrets: SecretStore;
  /** The id of the secret that codes and destinations are hashed with. */
  secretId: () => string;
};

export type CheckCodeRequest = LeadRequest & { code: string; receivedAtMs: number };

export type CheckCodeResult = { verified: true; contact_field: string };

/**
 * Checks a code. The digits are compared with what was read, but the outcome is told only after the one conditional
 * write that counts the attempt, or uses the code up, has succeeded on exactly that state: as if every attempt were
 * counted before it is compared, with a single write. Parallel guesses follow one another; each meets the budget that
 * the others have left.
 *
 * @throws Problem 404 and 403 for funnel and lead; 400 `code_invalid` and `code_expired`; 429 `too_many_attempts`
 *   during the cool-down of the lead and when the destination's wrong checks of the day are used up
 */
export async function checkCode(ports: CheckCodePorts, call: CheckCodeRequest): Promise<CheckCodeResult> {
  const [lead, secret] = await Promise.all([
    authenticateLead(ports, call),
    readSecretOrUnavailable(ports.secrets, ports.secretId()),
  ]);
  const wrongChecks = createFailedAttemptLimiter(ports.limiter, { secret, orgId: lead.funnel.orgId, log: call.log });
  const digits = normalizeCodeInput(call.code);
  const verdict = await updateState(ports, lead, async (current, hasWaited) => {
    const nowMs = ports.clock.now();
    const judgement = evaluateCode(current.state, {
      matches: (code) =>
        isEqualConstantTime(code.codeHash, hashCode(secret, { ...current.credentials, ...code }, digits)),
      contacts: current.contacts,
      nowMs,
      receivedAtMs: call.receivedAtMs,
      isRetry: hasWaited,
    });
    return toStateUpdate(judgement, current, wrongChecks, nowMs);
  });
  if (verdict.outcome === 'wrong') {
    await wrongChecks.consume(verdict.guessed);
    throw verdict.problem;
  }
  if (verdict.outcome === 'right') await ports.wait(VERIFICATION_DELAY_MS + 1);
  return { verified: true, contact_field: verdict.field };
}

type CheckOutcome =
  | { outcome: 'right' | 'already_verified'; field: string }
  | { outcome: 'wrong'; guessed: readonly ContactField[]; problem: HttpError };

/** @throws Problem for what is refused without being judged */
async function toStateUpdate(
  judgement: CodeEvaluation,
  { contacts }: AuthenticatedLead,
  wrongChecks: FailedAttemptLimiter,
  nowMs: number,
): Promise<StateUpdate<CheckOutcome>> {
  switch (judgement.outcome) {
    case 'already_verified':
      return { next: undefined, result: { outcome: 'already_verified', field: judgement.contact.field } };
    case 'used_meanwhile':
      throw codeInvalid();
    case 'locked':
      throw lockedOut((judgement.untilMs - nowMs) / 1_000);
    case 'right': {
      const { field } = judgement.contact;
      await wrongChecks.assertRemaining(contacts.filter((contact) => contact.field === field));
      return { next: judgement.next, result: { outcome: 'right', field } };
    }
    case 'wrong': {
      const guessed = contacts.filter(({ field }) => judgement.guessed.some((contact) => contact.field === field));
      await wrongChecks.assertRemaining(guessed);
      const problem = judgement.code === 'code_expired' ? codeExpired() : codeInvalid();
      return { next: judgement.next, result: { outcome: 'wrong', guessed, problem } };
    }
  }
}

const codeInvalid = () =>
  new HttpError(400, 'body.code is not correct. Check the digits, or request a new code.', {
    code: 'code_invalid',
  });

const codeExpired = () => new HttpError(400, 'body.code has expired. Request a new code.', { code: 'code_expired' });

function lockedOut(resetSeconds: number): HttpError {
  const headers = rateLimitHeaders({
    name: 'mfa-check-lead',
    limit: FAILED_ATTEMPTS_MAX,
    windowSeconds: LOCKOUT_SECONDS,
    resetSeconds,
  });
  return new HttpError(429, `Too many wrong codes. Try again in ${headers['Retry-After']} s.`, {
    code: 'too_many_attempts',
    headers,
  });
}
