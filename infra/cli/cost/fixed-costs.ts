import { backgroundFunctions, operations } from '../../../functions/declarations.ts';
import type { StageKind } from '../../settings/stage-name.ts';
import { TABLES } from '../../stacks/data/tables.ts';
import { COUNTED_HOURS, PAGE_CLIENT_BYTES } from './assumptions.ts';
import { GB, HOURS, type Usage } from './usage.ts';
import type { Volumes } from './volumes.ts';

/**
 * Numbers of billed resources in the stacks of each stage. A test fails if the stacks have more. `alarmMetrics` counts
 * the metrics of all alarms. `metrics` counts each custom metric once for the total of all functions, and once for each
 * function that records it. If `shards` is 0, the stream is on-demand.
 */
export const FIXED_RESOURCES = {
  prod: { alarmMetrics: 210, dashboards: 4, metrics: 310, secrets: 10, keys: 1, firewallRules: 12, shards: 0 },
  dev: { alarmMetrics: 0, dashboards: 4, metrics: 310, secrets: 10, keys: 0, firewallRules: 10, shards: 0 },
  preview: { alarmMetrics: 0, dashboards: 0, metrics: 0, secrets: 10, keys: 0, firewallRules: 10, shards: 1 },
} as const satisfies Record<StageKind, object>;

/** Requests per hour for one KMS key or secret. A cached value expires after five minutes. */
const KEY_REQUESTS_PER_HOUR = 12;
/** The tables and the event stream, which are encrypted with KMS keys. */
const ENCRYPTED_RESOURCES = TABLES.length + 1;

/** Returns the usage that is billed even without traffic. */
export function fixedCosts(stage: StageKind): Usage[] {
  const { alarmMetrics, dashboards, metrics, secrets, keys, firewallRules, shards } = FIXED_RESOURCES[stage];
  const roles = operations.length + backgroundFunctions.length;
  const quantities = [
    ['alarmMetricMonth', alarmMetrics],
    ['dashboardMonth', dashboards],
    ['metricMonth', COUNTED_HOURS * metrics],
    ['secretMonth', secrets],
    ['secretRead', secrets * HOURS * KEY_REQUESTS_PER_HOUR],
    ['keyMonth', keys],
    ['streamHour', shards === 0 ? HOURS : 0],
    ['shardHour', shards * HOURS],
    ['firewallMonth', 1],
    ['firewallRuleMonth', firewallRules],
    ['keyRequest', (roles + ENCRYPTED_RESOURCES) * HOURS * KEY_REQUESTS_PER_HOUR],
  ] as const;
  return quantities.map(([price, quantity]) => ({ price, quantity, category: 'fixed' }));
}

/** Returns the usage that is billed per message, token, minute, hostname, download and member. */
export const perUnitCosts = (of: Volumes): Usage[] => [
  { price: 'mail', quantity: of.mailCodes + of.notificationMails, category: 'leads' },
  { price: 'sms', quantity: of.smsCodes, category: 'leads' },
  { price: 'modelTokenIn', quantity: of.aiReplies * of.aiTokensIn, category: 'pages' },
  { price: 'modelTokenOut', quantity: of.aiReplies * of.aiTokensOut, category: 'pages' },
  { price: 'voiceMinute', quantity: of.calls * of.callMinutes, category: 'training' },
  { price: 'edgeTenantMonth', quantity: of.domains, category: 'pages' },
  { price: 'cdnRequest', quantity: of.sessions, category: 'pages' },
  { price: 'cdnGigabyte', quantity: (of.sessions * PAGE_CLIENT_BYTES) / GB, category: 'pages' },
  { price: 'memberMonth', quantity: of.members, category: 'numbers' },
];
