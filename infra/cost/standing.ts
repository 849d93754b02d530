import { backgroundFunctions, operations } from '../../functions/operations.ts';
import type { StageName } from './executions.ts';
import { HOURS, type Usage } from './usage.ts';
import type { Volumes } from './volumes.ts';

/** What stands in the stacks of a stage; a test fails when there is more of it than is paid for here. */
export const STANDING = {
  prod: { alarms: 90, dashboards: 4, metrics: 120, secrets: 8, firewallRules: 8 },
  dev: { alarms: 0, dashboards: 4, metrics: 120, secrets: 8, firewallRules: 8 },
} as const satisfies Record<StageName, object>;

/** Tables and stream are encrypted with keys of AWS in KMS: each is asked for every five minutes, by each role that uses it. */
const KEY_REQUESTS_AN_HOUR = 12;
const ENCRYPTED = 6;

/** What is paid although nothing happens. */
export function standing(stage: StageName): Usage[] {
  const { alarms, dashboards, metrics, secrets, firewallRules } = STANDING[stage];
  const roles = operations.length + backgroundFunctions.length;
  const quantities = [
    ['alarmMonth', alarms],
    ['dashboardMonth', dashboards],
    ['metricMonth', metrics],
    ['secretMonth', secrets],
    ['secretRead', secrets * HOURS * KEY_REQUESTS_AN_HOUR],
    ['firewallMonth', 1],
    ['firewallRuleMonth', firewallRules],
    ['keyRequest', (roles + ENCRYPTED) * HOURS * KEY_REQUESTS_AN_HOUR],
  ] as const;
  return quantities.map(([price, quantity]) => ({ price, quantity, question: 'fixed' }));
}

/** What others send, say or serve for the service, by the piece. */
export const byThePiece = (of: Volumes): Usage[] => [
  { price: 'mail', quantity: of.mailCodes, question: 'leads' },
  { price: 'sms', quantity: of.smsCodes, question: 'leads' },
  { price: 'modelTokenIn', quantity: of.aiReplies * of.aiTokensIn, question: 'pages' },
  { price: 'modelTokenOut', quantity: of.aiReplies * of.aiTokensOut, question: 'pages' },
  { price: 'voiceMinute', quantity: of.calls * of.callMinutes, question: 'training' },
  { price: 'edgeTenantMonth', quantity: of.domains, question: 'pages' },
  { price: 'memberMonth', quantity: of.members, question: 'numbers' },
];
