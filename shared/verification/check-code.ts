import { readSecret } from '../http/address-gate.ts';
import { Problem } from '../http/problem.ts';
import { rateLimitHeaders } from '../http/rate-limited.ts';
import type { Limiter, LimitReader } from '../limits/limiter.ts';
import type { Secrets } from '../platform/secrets.ts';
import { changeState, type Step } from './change-state.ts';
import { codeHashOf, sameHash, typedCode } from './code.ts';
import type { ContactField } from './contacts.ts';
import { type Judgement, judgeCheck } from './judge-check.ts';
import { type LeadCall, type LeadPorts, type OpenLead, openLead } from './open-lead.ts';
import { COOL_DOWN_SECONDS, SETTLING_MS, WRONG_CHECKS_MAX } from './verification-state.ts';
import { type WrongChecks, wrongChecksOf } from './wrong-checks.ts';

export type CheckPorts = LeadPorts & {
  /** Resolves after so many milliseconds. */
  wait: (ms: number) => Promise<unknown>;
  limiter: Limiter & LimitReader;
  secrets: Secrets;
  /** The id of the secret that codes and destinations are hashed with. */
  secretId: () => string;
};

export type CheckCall = LeadCall & { code: string; arrivedAtMs: number };

export type Checked = { verified: true; contact_field: string };

/**
 * Checks a code. The digits are compared with what was read, but the outcome is told only after the one conditional
 * write that counts the attempt, or uses the code up, has succeeded on exactly that state: as if every attempt were
 * counted before it is compared, with a single write. Parallel guesses follow one another; each meets the budget that
 * the others have left.
 *
 * @throws Problem 404 and 403 for funnel and lead; 400 `code_invalid` and `code_expired`; 429 `too_many_attempts`
 *   during the cool-down of the lead and when the destination's wrong checks of the day are used up
 */
export async function checkCode(ports: CheckPorts, call: CheckCall): Promise<Checked> {
  const [lead, secret] = await Promise.all([openLead(ports, call), readSecret(ports.secrets, ports.secretId())]);
  const wrongChecks = wrongChecksOf(ports.limiter, { secret, orgId: lead.funnel.orgId, log: call.log });
  const digits = typedCode(call.code);
  const verdict = await changeState(ports, lead, async (current, hasWaited) => {
    const nowMs = ports.clock.now();
    const judgement = judgeCheck(current.state, {
      isOf: (code) => sameHash(code.codeHash, codeHashOf(secret, { ...current.proof, ...code }, digits)),
      contacts: current.contacts,
      nowMs,
      arrivedAtMs: call.arrivedAtMs,
      hasWaited,
    });
    return stepOf(judgement, current, wrongChecks, nowMs);
  });
  if (verdict.outcome === 'wrong') {
    await wrongChecks.take(verdict.guessed);
    throw verdict.problem;
  }
  if (verdict.outcome === 'right') await ports.wait(SETTLING_MS + 1);
  return { verified: true, contact_field: verdict.field };
}

type Verdict =
  | { outcome: 'right' | 'already_verified'; field: string }
  | { outcome: 'wrong'; guessed: readonly ContactField[]; problem: Problem };

/** @throws Problem for what is refused without being judged */
async function stepOf(
  judgement: Judgement,
  { contacts }: OpenLead,
  wrongChecks: WrongChecks,
  nowMs: number,
): Promise<Step<Verdict>> {
  switch (judgement.outcome) {
    case 'already_verified':
      return { next: undefined, result: { outcome: 'already_verified', field: judgement.contact.field } };
    case 'used_meanwhile':
      throw codeInvalid();
    case 'locked':
      throw coolingDown((judgement.untilMs - nowMs) / 1_000);
    case 'right': {
      const { field } = judgement.contact;
      await wrongChecks.requireLeft(contacts.filter((contact) => contact.field === field));
      return { next: judgement.next, result: { outcome: 'right', field } };
    }
    case 'wrong': {
      const guessed = contacts.filter(({ field }) => judgement.guessed.some((contact) => contact.field === field));
      await wrongChecks.requireLeft(guessed);
      const problem = judgement.code === 'code_expired' ? codeExpired() : codeInvalid();
      return { next: judgement.next, result: { outcome: 'wrong', guessed, problem } };
    }
  }
}

const codeInvalid = () =>
  new Problem(400, 'body.code is not correct. Check the digits, or request a new code.', {
    code: 'code_invalid',
  });

const codeExpired = () => new Problem(400, 'body.code has expired. Request a new code.', { code: 'code_expired' });

function coolingDown(resetSeconds: number): Problem {
  const headers = rateLimitHeaders({
    scope: 'mfa-check-lead',
    limit: WRONG_CHECKS_MAX,
    windowSeconds: COOL_DOWN_SECONDS,
    resetSeconds,
  });
  return new Problem(429, `Too many wrong codes. Try again in ${headers['Retry-After']} s.`, {
    code: 'too_many_attempts',
    headers,
  });
}
