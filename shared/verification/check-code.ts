import { HttpError, rateLimitHeaders } from '../http/errors.ts';
import { isEqualConstantTime } from '../platform/constant-time.ts';
import type { RateLimiter, RateLimitReader } from '../platform/rate-limiter.ts';
import { readSecretOrUnavailable } from '../platform/unavailable.ts';
import {
  type AuthenticatedLead,
  authenticateLead,
  type LeadAccessPorts,
  type LeadRequest,
} from './authenticate-lead.ts';
import { hashCode, normalizeCodeInput } from './code.ts';
import type { ContactField } from './contact-fields.ts';
import { type CodeEvaluation, evaluateCode } from './evaluate-code.ts';
import { createFailedAttemptLimiter, type FailedAttemptLimiter } from './failed-attempt-limiter.ts';
import { type StateUpdate, updateState } from './update-state.ts';
import { FAILED_ATTEMPTS_MAX, LOCKOUT_SECONDS, VERIFICATION_DELAY_MS } from './verification-state.ts';

export type CheckCodePorts = LeadAccessPorts & {
  wait: (ms: number) => Promise<unknown>;
  limiter: RateLimiter & RateLimitReader;
  /** Reads the secret key of the hashes of codes and destinations. */
  readSecret: () => Promise<string>;
};

export type CheckCodeRequest = LeadRequest & { code: string; receivedAtMs: number };

export type CheckCodeResult = { verified: true; contact_field: string };

/**
 * Checks a code. Before the result is revealed, a conditional write counts the attempt or marks the value as verified.
 * If another request has changed the state, the check starts again. Each guess therefore sees all earlier failed
 * attempts.
 *
 * @throws HttpError 404 and 403 for funnel and lead; 400 `code_invalid` and `code_expired`; 429 `too_many_attempts` if
 *   the lead is locked or the destination has no attempts left today; 429 if too many requests change the lead
 * @throws UnavailableError when the funnel, the lead, the secret or the limits can't be read or written
 */
export async function checkCode(ports: CheckCodePorts, request: CheckCodeRequest): Promise<CheckCodeResult> {
  const [lead, secret] = await Promise.all([
    authenticateLead(ports, request),
    readSecretOrUnavailable(ports.readSecret),
  ]);
  const limiter = createFailedAttemptLimiter(ports.limiter, { secret, orgId: lead.funnel.orgId, log: request.log });
  const digits = normalizeCodeInput(request.code);
  const outcome = await updateState(ports, lead, async (current, isRetry) => {
    const nowMs = ports.clock.now();
    const evaluation = evaluateCode(current.state, {
      matches: (code) =>
        isEqualConstantTime(code.codeHash, hashCode(secret, { ...current.credentials, ...code }, digits)),
      contacts: current.contacts,
      nowMs,
      receivedAtMs: request.receivedAtMs,
      isRetry,
    });
    return toStateUpdate(evaluation, current, limiter, nowMs);
  });
  if (outcome.type === 'wrong') {
    await limiter.consume(outcome.guessed);
    throw outcome.error;
  }
  if (outcome.type === 'correct') await ports.wait(VERIFICATION_DELAY_MS + 1);
  return { verified: true, contact_field: outcome.field };
}

type CheckOutcome =
  | { type: 'correct' | 'already_verified'; field: string }
  | { type: 'wrong'; guessed: readonly ContactField[]; error: HttpError };

/** @throws HttpError for an attempt that is rejected and not counted; UnavailableError when the limits can't be read */
async function toStateUpdate(
  evaluation: CodeEvaluation,
  { contacts }: AuthenticatedLead,
  limiter: FailedAttemptLimiter,
  nowMs: number,
): Promise<StateUpdate<CheckOutcome>> {
  switch (evaluation.outcome) {
    case 'already_verified':
      return { next: undefined, result: { type: 'already_verified', field: evaluation.contact.field } };
    case 'used_concurrently':
      throw codeInvalid();
    case 'locked':
      throw lockedOut((evaluation.untilMs - nowMs) / 1_000);
    case 'correct': {
      const { field } = evaluation.contact;
      await limiter.assertRemaining(contacts.filter((contact) => contact.field === field));
      return { next: evaluation.next, isVerification: true, result: { type: 'correct', field } };
    }
    case 'wrong': {
      const guessed = contacts.filter(({ field }) => evaluation.guessed.some((contact) => contact.field === field));
      await limiter.assertRemaining(guessed);
      const error = evaluation.code === 'code_expired' ? codeExpired() : codeInvalid();
      return { next: evaluation.next, result: { type: 'wrong', guessed, error } };
    }
  }
}

const codeInvalid = () =>
  new HttpError(400, 'body.code is wrong or was already used. Check the digits, or request a new code.', {
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
