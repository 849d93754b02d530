import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { backgroundFunctions } from '../../../functions/declarations.ts';
import { type BackgroundFunction, intervalMinutes } from '../../../functions/declare-background-function.ts';
import { toPascalCase } from '../../functions/lambda-function.ts';
import { type AlarmContext, addRuleAlarm, MINUTES, sumRule } from './alarm-rules.ts';
import { invokedThrottles } from './service-alarms.ts';

/** Threshold of the alarm on the age of events. Usually, an event is counted within 5 s. */
const EVENT_AGE_MS = 60_000;
/**
 * Threshold of the alarm on the age of fresh facts. Minor compaction runs every minute. If facts reach this age, ten
 * scheduled runs have not compacted them.
 */
const FRESH_PENDING_SECONDS = 600;
/**
 * Threshold of the alarm on the level 1 files of a funnel. Major compaction starts above 64 files. Three times as many
 * files make reads slow.
 */
const LEVEL1_FILES_ALARM = 192;
/** Threshold of the alarm on overdue deliveries. Usually, the dispatcher begins due work within seconds. */
const DELIVERY_DELAY_SECONDS = 900;
const DAY_MINUTES = 1_440;
const FIVE = 5;
const RUNS_MISSED_AN_HOUR = 6;

/** Adds alarms on the freshness of analytics. */
export function numberAlarms(alarming: AlarmContext): void {
  streamAlarms(alarming);
  factAlarms(alarming);
}

function streamAlarms(alarming: AlarmContext): void {
  const { monitored } = alarming;
  addRuleAlarm(alarming, 'EventsDelayed', {
    metric: monitored.lambda('background/aggregate-events')('IteratorAge', { statistic: 'Maximum' }),
    atLeast: EVENT_AGE_MS,
    periods: [2, 3],
    runbook: 'events-are-delayed',
    says: 'Events are processed more than a minute after they arrived on the stream.',
  });
  addRuleAlarm(alarming, 'EventsNotRead', {
    // A stopped consumer publishes no iterator age. Therefore, this alarm compares the records with the runs.
    metric: new MathExpression({
      expression: 'IF(FILL(records, 0) > 0 AND FILL(runs, 0) == 0, 1, 0)',
      label: 'Events arrive and none is processed',
      usingMetrics: {
        records: monitored.stream('IncomingRecords', { statistic: 'Sum' }),
        runs: monitored.lambda('background/aggregate-events')('Invocations', { statistic: 'Sum' }),
      },
      period: MINUTES.five,
    }),
    atLeast: 1,
    periods: [3, 3],
    runbook: 'events-are-delayed',
    says: 'Events arrive on the stream, and no function has read them for 15 minutes.',
  });
  addRuleAlarm(alarming, 'EventsRejected', {
    metric: monitored.stream('WriteProvisionedThroughputExceeded', { statistic: 'Sum' }),
    // A few rejections are harmless. An on-demand stream doubles its capacity within minutes, and clients retry.
    atLeast: 10,
    periods: [2, 3],
    runbook: 'the-stream-rejects-events',
    says: 'The event stream rejects events above its capacity.',
  });
  addRuleAlarm(
    alarming,
    'DeadLettersStored',
    sumRule(alarming, 'DeadLettersStored', {
      within: MINUTES.five,
      atLeast: 1,
      runbook: 'dead-letters-are-stored',
      says: 'Records of the event stream could not be read. They are stored as dead letters.',
    }),
  );
}

function factAlarms(alarming: AlarmContext): void {
  const { monitored } = alarming;
  addRuleAlarm(alarming, 'FactsPending', {
    metric: monitored.own('FreshFacts_oldestPendingSeconds', { statistic: 'Maximum' }),
    atLeast: FRESH_PENDING_SECONDS,
    periods: [3, 3],
    runbook: 'fresh-facts-are-pending',
    says: 'Fresh facts have been pending for ten minutes, because minor compaction is late. Reads become slower.',
  });
  addRuleAlarm(alarming, 'Level1FilesPending', {
    metric: monitored.own('Facts_level1FilesMax', { statistic: 'Maximum', period: MINUTES.fifteen }),
    atLeast: LEVEL1_FILES_ALARM,
    periods: [4, 4],
    runbook: 'level-1-files-are-pending',
    says:
      `A funnel has at least ${LEVEL1_FILES_ALARM} level 1 files that are not merged into its base. ` +
      'Reads of this funnel become slower.',
  });
  addRuleAlarm(
    alarming,
    'FactFilesUnreadable',
    sumRule(alarming, 'FactFilesUnreadable', {
      within: MINUTES.five,
      atLeast: 1,
      runbook: 'fact-files-are-unreadable',
      says: 'Fact files cannot be read. Every analytics read of their funnel fails.',
    }),
  );
}

/** Adds alarms on background functions that fail, are throttled, do not run or have a backlog. */
export function workAlarms(alarming: AlarmContext): void {
  const visibleMessages = (queue: string) =>
    alarming.monitored.queue(queue)('ApproximateNumberOfMessagesVisible', { statistic: 'Maximum' });
  for (const declared of backgroundFunctions) {
    const everyMinutes = intervalMinutes(declared);
    if (everyMinutes !== undefined) scheduleAlarms(alarming, declared, everyMinutes);
    if ('invoked' in declared.trigger) {
      const name = toPascalCase(declared.id);
      addRuleAlarm(alarming, `${name}FailedPermanently`, {
        metric: visibleMessages(`${name}DeadLetters`),
        // SQS stops publishing metrics of a queue that is not used for six hours. The alarm then keeps its state.
        atLeast: 1,
        missingData: 'unchanged',
        runbook: 'invocations-failed-permanently',
        says: `${declared.id} failed at every attempt. Its event is in a dead-letter queue. The sweeper repeats the work.`,
      });
    }
  }
  addRuleAlarm(alarming, 'ScheduledRunsMissed', {
    // Counts new messages, not visible messages. A single overlapping run is harmless, but its message stays visible
    // for 14 days.
    metric: alarming.monitored.queue('MissedRuns')('NumberOfMessagesSent', { statistic: 'Sum', period: MINUTES.sixty }),
    atLeast: RUNS_MISSED_AN_HOUR,
    runbook: 'scheduled-runs-were-missed',
    says: `At least ${RUNS_MISSED_AN_HOUR} scheduled runs failed or could not start within an hour.`,
  });
  addRuleAlarm(
    alarming,
    'SweepBacklog',
    sumRule(alarming, 'SweepBacklog', {
      within: MINUTES.sixty,
      atLeast: 1,
      periods: [3, 3],
      runbook: 'sweepers-have-a-backlog',
      says: 'Sweepers have had a backlog for three hours.',
    }),
  );
  addRuleAlarm(alarming, 'DeliveriesDelayed', {
    metric: alarming.monitored.own('Deliveries_oldestDueSeconds', { statistic: 'Maximum' }),
    atLeast: DELIVERY_DELAY_SECONDS,
    periods: [3, 3],
    runbook: 'webhook-messages-are-delayed',
    missingData: 'breaching',
    says:
      'Messages to webhook endpoints have been due for 15 minutes, or background/dispatch-messages has reported ' +
      'nothing for 15 minutes.',
  });
  addRuleAlarm(
    alarming,
    'EndpointPaused',
    sumRule(alarming, 'Deliveries_paused', {
      within: MINUTES.five,
      atLeast: 1,
      runbook: 'a-webhook-endpoint-is-paused',
      says: 'A webhook endpoint was paused, because it accepted no message for three days.',
    }),
  );
  // Scheduled functions have no alarm on throttling, because their reserved concurrency throttles overlapping runs on
  // purpose.
  const unscheduled = backgroundFunctions.filter((declared) => intervalMinutes(declared) === undefined);
  invokedThrottles(
    alarming,
    unscheduled.map(({ id }) => id),
  );
}

/**
 * Adds alarms on failed and on missing runs. The next run repeats the work of a failed run. For a function that runs
 * every few minutes, a single failure therefore raises no alarm. A single failure of an hourly or daily function raises
 * the alarm, because the next run starts much later.
 */
function scheduleAlarms(alarming: AlarmContext, { id, limits }: BackgroundFunction, everyMinutes: number): void {
  const metric = alarming.monitored.lambda(id);
  const often = everyMinutes < 60;
  // At least one run starts in each period of this length, even if runs use their full timeout. Lambda records an error
  // at the time at which its run started. Therefore, if every run fails, each period has an error.
  const runPeriod = Duration.minutes(FIVE * Math.ceil((everyMinutes + limits.timeoutSeconds / 60) / FIVE));
  addRuleAlarm(alarming, `${toPascalCase(id)}Fails`, {
    metric: metric('Errors', { statistic: 'Sum', period: often ? runPeriod : MINUTES.sixty }),
    atLeast: 1,
    // After a failed hourly or daily run, the alarm stays raised until the next run.
    periods: often ? [2, 2] : [1, Math.min(24, Math.ceil(everyMinutes / 60))],
    runbook: 'scheduled-functions-fail',
    says: `Runs of ${id} fail.`,
  });
  const runs = metric('Invocations', { statistic: 'Sum', period: Duration.minutes(often ? 15 : everyMinutes) });
  addRuleAlarm(alarming, `${toPascalCase(id)}NotRunning`, {
    metric: runs,
    atLeast: 1,
    tooFew: true,
    periods: everyMinutes >= DAY_MINUTES ? [2, 2] : [3, 3],
    missingData: 'breaching',
    runbook: 'scheduled-functions-do-not-run',
    says: `${id} no longer runs.`,
  });
}
