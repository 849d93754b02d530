import { MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { operations } from '../../../functions/operations.ts';
import { type AlarmContext, type AlarmRule, addRuleAlarm, MINUTES, sumRule } from './alarms.ts';
import { type MonitoredResources, sumOf } from './monitored-resources.ts';

/** CloudWatch adds up no more in one alarm. */
const METRICS_MAX = 10;
/** What one organization may use in a whole day, in one hour: nobody's pages do that. */
const TOKENS_AN_HOUR = 2_000_000;
/** As many as one organization may send in a whole day, in one hour: somebody pumps messages. */
const SMS_AN_HOUR = 1_000;
/** Of the month's limit: what is left gives a few days to decide. */
const SMS_SPENT_SHARE = 0.8;
/** SES looks into an account at 5 %, and stops it at 10 %. */
const BOUNCED_SHARE = 0.05;
/** The same at 0.1 %, and 0.5 %. */
const COMPLAINED_SHARE = 0.001;

/** Are pages being served? Each function's own errors and p99 have alarms beside the function, which take a new version back. */
export function pageAlarms(alarming: AlarmContext): void {
  const { monitored: watched } = alarming;
  addRuleAlarm(alarming, 'GatewayFails', {
    metric: new MathExpression({
      // One bad answer of a quiet night is no percentage.
      expression: 'IF(errors >= 5, 100 * errors / requests, 0)',
      label: 'Requests answered with 5xx, percent',
      usingMetrics: {
        errors: watched.api('5XXError', { statistic: 'Sum' }),
        requests: watched.api('Count', { statistic: 'Sum' }),
      },
      period: MINUTES.five,
    }),
    atLeast: 1,
    periods: [2, 3],
    runbook: 'pages-get-server-errors',
    says: 'At least 1 % of all requests are answered with a server error.',
  });
  for (const [at, ids] of groups(operations.map(({ id }) => id)).entries()) {
    addRuleAlarm(
      alarming,
      `CallsThrottled${at + 1}`,
      throttled(ids.map(throttlesOf(alarming)), 'functions that callers wait for'),
    );
  }
  addRuleAlarm(
    alarming,
    'LimitsDoNotHold',
    sumRule(alarming, 'LimitNotCounted', {
      // One is a hiccup of one write.
      ...{ within: MINUTES.fifteen, atLeast: 10, runbook: 'limits-do-not-hold' },
      says: 'Rate limits can not be counted, and calls pass without.',
    }),
  );
  addRuleAlarm(
    alarming,
    'AssistantsBreakOff',
    sumRule(alarming, 'AiAnswerBrokenOff', {
      ...{ within: MINUTES.fifteen, atLeast: 5, runbook: 'assistants-break-off' },
      says: 'The model fails in the middle of answers.',
    }),
  );
}

/** Not of scheduled functions: they run one at a time, and a tick that comes meanwhile is throttled as meant. */
const throttlesOf =
  ({ monitored: watched }: AlarmContext) =>
  (id: string): Metric =>
    watched.lambda(id)('Throttles', { statistic: 'Sum' });

const throttled = (metrics: readonly Metric[], whose: string): AlarmRule => ({
  metric: sumOf(metrics, 'Calls refused by Lambda'),
  atLeast: 5,
  periods: [2, 3],
  runbook: 'calls-are-throttled',
  says: `Lambda refuses calls of ${whose}: too many run at once.`,
});

/** Are leads saved? */
export function leadAlarms(alarming: AlarmContext): void {
  const { monitored: watched } = alarming;
  addRuleAlarm(
    alarming,
    'CodesNotDelivered',
    sumRule(alarming, 'CodeNotDelivered', {
      // Single numbers that nobody can reach are common.
      ...{ within: MINUTES.fifteen, atLeast: 10, runbook: 'codes-are-not-delivered' },
      says: 'Messages with codes are not taken by SES or the SMS service.',
    }),
  );
  addRuleAlarm(alarming, 'MailBounces', {
    metric: watched.mail('Reputation.BounceRate', { statistic: 'Maximum', period: MINUTES.sixty }),
    ...{ atLeast: BOUNCED_SHARE, missingData: 'as before', runbook: 'mail-bounces' },
    says: 'Too many e-mails come back; SES stops accounts for that.',
  });
  addRuleAlarm(alarming, 'MailComplaints', {
    metric: watched.mail('Reputation.ComplaintRate', { statistic: 'Maximum', period: MINUTES.sixty }),
    ...{ atLeast: COMPLAINED_SHARE, missingData: 'as before', runbook: 'mail-bounces' },
    says: 'Too many people mark e-mails as spam; SES stops accounts for that.',
  });
  const indexes = watched.tables.flatMap((table) => table.indexes);
  // Apart, as an alarm takes at most ten metrics.
  for (const kind of ['Read', 'Write'] as const) {
    const calls = `${kind.toLowerCase()}s`;
    addRuleAlarm(
      alarming,
      `Table${kind}sThrottle`,
      throttlesOfTables(watched.tables, kind, `DynamoDB throttles ${calls} of tables.`),
    );
    addRuleAlarm(
      alarming,
      `Index${kind}sThrottle`,
      throttlesOfTables(
        indexes,
        kind,
        `DynamoDB throttles ${calls} of indexes: throttled writes hold up those of their tables.`,
      ),
    );
  }
}

const throttlesOfTables = (
  of: readonly { metric: MonitoredResources['mail'] }[],
  kind: 'Read' | 'Write',
  says: string,
): AlarmRule => ({
  metric: sumOf(
    of.map(({ metric }) => metric(`${kind}ThrottleEvents`, { statistic: 'Sum' })),
    `Throttled ${kind.toLowerCase()}s`,
  ),
  // A table on demand throttles for a moment when it grows; the SDK repeats.
  ...{ atLeast: 100, periods: [2, 3], runbook: 'tables-throttle', says },
});

/** Are calls scored? */
export function callAlarms(alarming: AlarmContext): void {
  addRuleAlarm(
    alarming,
    'WebhooksRefused',
    sumRule(alarming, 'SignaturesRefused', {
      ...{ within: MINUTES.fifteen, atLeast: 5, runbook: 'webhooks-are-refused' },
      says: 'Webhooks of the voice provider are refused for their signature.',
    }),
  );
  addRuleAlarm(
    alarming,
    'VoiceUnreachable',
    sumRule(alarming, 'VoiceUnreachable', {
      ...{ within: MINUTES.fifteen, atLeast: 5, runbook: 'the-voice-provider-is-unreachable' },
      says: 'The voice provider does not answer when asked about calls.',
    }),
  );
  addRuleAlarm(
    alarming,
    'CallsNotScored',
    sumRule(alarming, 'Calls_failed', {
      ...{ within: MINUTES.sixty, atLeast: 1, runbook: 'calls-are-not-scored' },
      says: 'Calls were given up without a score.',
    }),
  );
  addRuleAlarm(
    alarming,
    'JudgeFails',
    sumRule(alarming, 'JudgeFailed', {
      ...{ within: MINUTES.sixty, atLeast: 5, runbook: 'the-judge-fails' },
      says: 'The model that judges calls fails; the rules score alone.',
    }),
  );
}

/** What does it cost? The month's sum is what the account's budget watches; this is what can run away within hours. */
export function costAlarms(alarming: AlarmContext): void {
  const { stage, monitored: watched } = alarming;
  addRuleAlarm(
    alarming,
    'TokensRunAway',
    sumRule(alarming, 'AiTokens', {
      ...{ within: MINUTES.sixty, atLeast: TOKENS_AN_HOUR, runbook: 'tokens-run-away' },
      says: `Models used ${TOKENS_AN_HOUR} tokens within an hour.`,
    }),
  );
  addRuleAlarm(
    alarming,
    'SmsRunAway',
    sumRule(alarming, 'CodesSent_sms', {
      ...{ within: MINUTES.sixty, atLeast: SMS_AN_HOUR, runbook: 'sms-run-away' },
      says: `${SMS_AN_HOUR} SMS were sent within an hour.`,
    }),
  );
  const { monthlySmsUsd } = stage.watch;
  if (monthlySmsUsd === undefined) return;
  addRuleAlarm(alarming, 'SmsSpent', {
    metric: watched.sms('TextMessageMonthlySpend', { statistic: 'Maximum', period: MINUTES.sixty }),
    ...{
      atLeast: SMS_SPENT_SHARE * monthlySmsUsd,
      missingData: 'as before',
      runbook: 'the-month-of-sms-is-nearly-spent',
    },
    says: `SMS of this month cost ${100 * SMS_SPENT_SHARE} % of what they may; at the limit no code is sent by SMS.`,
  });
}

/** What waits behind the callers' backs. */
export function invokedThrottles(alarming: AlarmContext, ids: readonly string[]): void {
  addRuleAlarm(
    alarming,
    'WorkThrottled',
    throttled(ids.map(throttlesOf(alarming)), 'functions behind the stream and in the background'),
  );
}

function groups(ids: readonly string[]): string[][] {
  const count = Math.ceil(ids.length / METRICS_MAX);
  const size = Math.ceil(ids.length / count);
  return Array.from({ length: count }, (_, at) => ids.slice(at * size, (at + 1) * size));
}
