import { type Check, list, resourcesOf } from '../template.ts';

/** Amazon SQS developer guide, quotas of policies. */
const QUEUE_STATEMENTS_MAX = 20;

export const queuePoliciesAreWithinLimits: Check = (deployment) =>
  resourcesOf(deployment, 'AWS::SQS::QueuePolicy')
    .map(({ at, Properties }) => ({ at, statements: list(Properties.PolicyDocument?.Statement).length }))
    .filter(({ statements }) => statements > QUEUE_STATEMENTS_MAX)
    .map(({ at, statements }) => `${at} has ${statements} statements, over ${QUEUE_STATEMENTS_MAX}`);

/** AWS WAF developer guide: rate-based rules, regular expressions. */
const RATE_LIMIT_MIN = 10;
const RATE_WINDOWS = [60, 120, 300, 600];
const PATTERN_MAX = 512;
/** Capturing groups, lookarounds and back-references, which WAF's engine does not support. */
const NOT_IN_PATTERNS = /\((?!\?:)|\\[1-9]/;

/** Every value with this name, at any depth. */
const named = (value: unknown, name: string): unknown[] =>
  Object.entries(Object(value)).flatMap(([key, one]) => [
    ...(key === name ? [one] : []),
    ...(typeof one === 'object' ? named(one, name) : []),
  ]);

export const firewallRulesAreTaken: Check = (deployment) =>
  resourcesOf(deployment, 'AWS::WAFv2::WebACL').flatMap(({ at, Properties }) => [
    ...named(Properties, 'Limit')
      .filter((limit) => Number(limit) < RATE_LIMIT_MIN)
      .map((limit) => `${at} counts to ${limit}, which WAF can not`),
    ...named(Properties, 'EvaluationWindowSec')
      .filter((seconds) => !RATE_WINDOWS.includes(Number(seconds)))
      .map((seconds) => `${at} counts over ${seconds} seconds, which WAF does not`),
    ...named(Properties, 'RegexString')
      .filter((pattern) => String(pattern).length > PATTERN_MAX || NOT_IN_PATTERNS.test(String(pattern)))
      .map((pattern) => `${at} has a pattern that WAF refuses: ${pattern}`),
  ]);
