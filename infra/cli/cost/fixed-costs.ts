import { backgroundFunctions, operations } from '../../../functions/operations.ts';
import { COUNTED_HOURS } from './assumptions.ts';
import type { StageName } from './executions.ts';
import { HOURS, type Usage } from './usage.ts';
import type { Volumes } from './volumes.ts';

/**
 * What stands in the stacks of a stage; a test fails when there is more of it than is paid for here. An alarm is paid for
 * each metric that it looks at. A metric of the service's own is two: over all functions, and of each that counts it.
 */
export const FIXED_RESOURCES = {
  prod: { alarmMetrics: 170, dashboards: 4, metrics: 250, secrets: 8, keys: 1, firewallRules: 11 },
  dev: { alarmMetrics: 0, dashboards: 4, metrics: 250, secrets: 8, keys: 0, firewallRules: 9 },
} as const satisfies Record<StageName, object>;

/** Tables and stream are encrypted with keys of AWS in KMS: each is asked for every five minutes, by each role that uses it. */
const KEY_REQUESTS_AN_HOUR = 12;
const ENCRYPTED = 6;

/** What is paid although nothing happens. */
export function fixedCosts(stage: StageName): Usage[] {
  const { alarmMetrics, dashboards, metrics, secrets, keys, firewallRules } = FIXED_RESOURCES[stage];
  const roles = operations.length + backgroundFunctions.length;
  const quantities = [
    ['alarmMetricMonth', alarmMetrics],
    ['dashboardMonth', dashboards],
    ['metricMonth', COUNTED_HOURS * metrics],
    ['secretMonth', secrets],
    ['secretRead', secrets * HOURS * KEY_REQUESTS_AN_HOUR],
    ['keyMonth', keys],
    ['firewallMonth', 1],
    ['firewallRuleMonth', firewallRules],
    ['keyRequest', (roles + ENCRYPTED) * HOURS * KEY_REQUESTS_AN_HOUR],
  ] as const;
  return quantities.map(([price, quantity]) => ({ price, quantity, question: 'fixed' }));
}

/** What others send, say or serve for the service, by the piece. */
export const perUnitCosts = (of: Volumes): Usage[] => [
  { price: 'mail', quantity: of.mailCodes, question: 'leads' },
  { price: 'sms', quantity: of.smsCodes, question: 'leads' },
  { price: 'modelTokenIn', quantity: of.aiReplies * of.aiTokensIn, question: 'pages' },
  { price: 'modelTokenOut', quantity: of.aiReplies * of.aiTokensOut, question: 'pages' },
  { price: 'voiceMinute', quantity: of.calls * of.callMinutes, question: 'training' },
  { price: 'edgeTenantMonth', quantity: of.domains, question: 'pages' },
  { price: 'memberMonth', quantity: of.members, question: 'numbers' },
];
