import { MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { operations } from '../../../functions/declarations.ts';
import { type AlarmContext, type AlarmRule, addRuleAlarm, MINUTES, sumRule } from './alarm-rules.ts';
import { type MonitoredResources, sumOf } from './monitored-resources.ts';

/** CloudWatch allows at most 10 metrics in one alarm. */
const METRICS_MAX = 10;
/** Threshold of tokens per hour. It equals the default daily budget of one organization. */
const TOKENS_AN_HOUR = 2_000_000;
/** Threshold of SMS per hour. It equals the default daily limit of an organization. More SMS can mean SMS pumping. */
const SMS_AN_HOUR = 1_000;
/** Share of the monthly limit at which the alarm is raised, so that operators can react before the limit. */
const SMS_SPENT_SHARE = 0.8;
/** SES reviews an account at a bounce rate of 5 %, and may stop its sending at 10 %. */
const BOUNCED_SHARE = 0.05;
/** SES reviews an account at a complaint rate of 0.1 %, and may stop its sending at 0.5 %. */
const COMPLAINED_SHARE = 0.001;

/**
 * Adds alarms on requests. The alarms on errors and p99 of a single function are in the stack of that function, because
 * they roll back its deployment.
 */
export function pageAlarms(alarming: AlarmContext): void {
  const { monitored } = alarming;
  addRuleAlarm(alarming, 'ApiServerErrors', {
    metric: new MathExpression({
      // At low traffic, fewer than five errors are not significant.
      expression: 'IF(errors >= 5, 100 * errors / requests, 0)',
      label: 'Requests with a 5xx response, percent',
      usingMetrics: {
        errors: monitored.api('5XXError', { statistic: 'Sum' }),
        requests: monitored.api('Count', { statistic: 'Sum' }),
      },
      period: MINUTES.five,
    }),
    atLeast: 1,
    periods: [2, 3],
    runbook: 'the-api-returns-server-errors',
    says: 'At least 1 % of all requests fail with a server error.',
  });
  for (const [at, ids] of groups(operations.map(({ id }) => id)).entries()) {
    addRuleAlarm(alarming, `OperationsThrottled${at + 1}`, throttled(ids.map(throttlesOf(alarming)), 'operations'));
  }
  addRuleAlarm(
    alarming,
    'RateLimitsNotEnforced',
    sumRule(alarming, 'LimitNotCounted', {
      // Fewer failures raise no alarm, because they are transient errors of single writes.
      within: MINUTES.fifteen,
      atLeast: 10,
      runbook: 'rate-limits-are-not-enforced',
      says: 'Rate limits cannot be checked. Depending on the limit, requests pass without a limit or fail with 503.',
    }),
  );
  addRuleAlarm(
    alarming,
    'AiRepliesInterrupted',
    sumRule(alarming, 'AiAnswerBrokenOff', {
      within: MINUTES.fifteen,
      atLeast: 5,
      runbook: 'ai-replies-are-interrupted',
      says: 'The language model fails in the middle of replies.',
    }),
  );
}

const throttlesOf =
  ({ monitored }: AlarmContext) =>
  (id: string): Metric =>
    monitored.lambda(id)('Throttles', { statistic: 'Sum' });

const throttled = (metrics: readonly Metric[], whose: string): AlarmRule => ({
  metric: sumOf(metrics, 'Invocations throttled by Lambda'),
  atLeast: 5,
  periods: [2, 3],
  runbook: 'functions-are-throttled',
  says: `Lambda throttles ${whose}, because too many run concurrently.`,
});

/** Adds alarms on verification codes, on the e-mail reputation and on throttled tables. */
export function leadAlarms(alarming: AlarmContext): void {
  const { monitored } = alarming;
  addRuleAlarm(
    alarming,
    'CodesNotDelivered',
    sumRule(alarming, 'CodeNotDelivered', {
      // Fewer failures raise no alarm, because single unreachable destinations are common.
      within: MINUTES.fifteen,
      atLeast: 10,
      runbook: 'codes-are-not-delivered',
      says: 'SES or the SMS service rejects messages with verification codes.',
    }),
  );
  addRuleAlarm(alarming, 'MailBounces', {
    metric: monitored.mail('Reputation.BounceRate', { statistic: 'Maximum', period: MINUTES.sixty }),
    atLeast: BOUNCED_SHARE,
    missingData: 'unchanged',
    runbook: 'mail-bounces',
    says: 'Too many e-mails bounce. SES may stop this account from sending e-mails.',
  });
  addRuleAlarm(alarming, 'MailComplaints', {
    metric: monitored.mail('Reputation.ComplaintRate', { statistic: 'Maximum', period: MINUTES.sixty }),
    atLeast: COMPLAINED_SHARE,
    missingData: 'unchanged',
    runbook: 'mail-bounces',
    says: 'Too many recipients mark e-mails as spam. SES may stop this account from sending e-mails.',
  });
  const indexes = monitored.tables.flatMap((table) => table.indexes);
  // An alarm can use at most ten metrics. Therefore, tables and groups of indexes have separate alarms, each for reads
  // and for writes.
  for (const kind of ['Read', 'Write'] as const) {
    const calls = `${kind.toLowerCase()}s`;
    addRuleAlarm(
      alarming,
      `Table${kind}sThrottled`,
      throttlesOfTables(monitored.tables, kind, `DynamoDB throttles ${calls} of tables.`),
    );
    for (const [at, some] of groups(indexes).entries()) {
      addRuleAlarm(
        alarming,
        `Index${kind}sThrottled${at === 0 ? '' : at + 1}`,
        throttlesOfTables(
          some,
          kind,
          `DynamoDB throttles ${calls} of indexes.${kind === 'Write' ? ' This also blocks writes of their tables.' : ''}`,
        ),
      );
    }
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
  // A few throttled requests are harmless. An on-demand table throttles briefly while it scales, and the SDK retries.
  atLeast: 100,
  periods: [2, 3],
  runbook: 'tables-are-throttled',
  says,
});

export function callAlarms(alarming: AlarmContext): void {
  addRuleAlarm(
    alarming,
    'WebhooksRejected',
    sumRule(alarming, 'SignaturesRefused', {
      within: MINUTES.fifteen,
      atLeast: 5,
      runbook: 'voice-webhooks-are-rejected',
      says: 'Webhooks of the voice provider are rejected because of their signature.',
    }),
  );
  addRuleAlarm(
    alarming,
    'VoiceUnreachable',
    sumRule(alarming, 'VoiceUnreachable', {
      within: MINUTES.fifteen,
      atLeast: 5,
      runbook: 'the-voice-provider-is-unreachable',
      says: 'The voice provider is unreachable.',
    }),
  );
  addRuleAlarm(
    alarming,
    'CallsNotScored',
    sumRule(alarming, 'Calls_failed', {
      within: MINUTES.sixty,
      atLeast: 1,
      runbook: 'calls-are-not-scored',
      says: 'Training calls could not be scored.',
    }),
  );
  addRuleAlarm(
    alarming,
    'JudgeFails',
    sumRule(alarming, 'JudgeFailed', {
      within: MINUTES.sixty,
      atLeast: 5,
      runbook: 'the-judge-fails',
      says: 'The language model that judges calls fails. Scores are provisional.',
    }),
  );
}

/** Adds alarms on costs that can grow within hours. The AWS budget watches the costs of the month. */
export function costAlarms(alarming: AlarmContext): void {
  const { stage, monitored } = alarming;
  addRuleAlarm(
    alarming,
    'TokenUsageUnusual',
    sumRule(alarming, 'AiTokens', {
      within: MINUTES.sixty,
      atLeast: TOKENS_AN_HOUR,
      runbook: 'token-usage-is-unusual',
      says: `Models used at least ${TOKENS_AN_HOUR} tokens within an hour.`,
    }),
  );
  addRuleAlarm(
    alarming,
    'SmsUsageUnusual',
    sumRule(alarming, 'CodesSent_sms', {
      within: MINUTES.sixty,
      atLeast: SMS_AN_HOUR,
      runbook: 'sms-usage-is-unusual',
      says: `At least ${SMS_AN_HOUR} SMS were sent within an hour.`,
    }),
  );
  const { monthlySmsUsd } = stage.watch;
  if (monthlySmsUsd === undefined) return;
  addRuleAlarm(alarming, 'SmsSpendingLimitNear', {
    metric: monitored.sms('TextMessageMonthlySpend', { statistic: 'Maximum', period: MINUTES.sixty }),
    atLeast: SMS_SPENT_SHARE * monthlySmsUsd,
    missingData: 'unchanged',
    runbook: 'the-sms-spending-limit-is-almost-reached',
    says: `The cost of SMS reached ${100 * SMS_SPENT_SHARE} % of its monthly limit. At the limit, no code is sent by SMS.`,
  });
}

/** Adds one alarm on throttling of the given background functions. */
export function invokedThrottles(alarming: AlarmContext, ids: readonly string[]): void {
  addRuleAlarm(
    alarming,
    'BackgroundFunctionsThrottled',
    throttled(ids.map(throttlesOf(alarming)), 'background functions'),
  );
}

function groups<T>(ids: readonly T[]): T[][] {
  const count = Math.ceil(ids.length / METRICS_MAX);
  const size = Math.ceil(ids.length / count);
  return Array.from({ length: count }, (_, at) => ids.slice(at * size, (at + 1) * size));
}
