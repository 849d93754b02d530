import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { BackgroundFunction } from '../../../functions/background-function.ts';
import { backgroundFunctions } from '../../../functions/operations.ts';
import { toPascalCase } from '../../functions/lambda-function.ts';
import { type AlarmContext, addRuleAlarm, MINUTES, sumRule } from './alarms.ts';
import { invokedThrottles } from './service-alarms.ts';

/** Numbers are readable within 5 s: what is a minute old is late. */
const EVENT_AGE_MS = 60_000;
/** Facts go into files when they are a minute old; ten runs have not managed that. */
const FACT_WAIT_SECONDS = 600;
/** A base is rewritten beyond 64 small files: three times as many make reads slow. */
const SMALL_FILES = 192;
const DAY_MINUTES = 1_440;
const FIVE = 5;
const RUNS_MISSED_AN_HOUR = 6;

/** Are numbers fresh? */
export function numberAlarms(alarming: AlarmContext): void {
  streamAlarms(alarming);
  factAlarms(alarming);
}

function streamAlarms(alarming: AlarmContext): void {
  const { monitored: watched } = alarming;
  addRuleAlarm(alarming, 'EventsWait', {
    metric: watched.lambda('background/aggregate-events')('IteratorAge', { statistic: 'Maximum' }),
    ...{ atLeast: EVENT_AGE_MS, periods: [2, 3], runbook: 'events-wait' },
    says: 'Events wait on the stream for more than a minute before they are counted.',
  });
  addRuleAlarm(alarming, 'EventsNotRead', {
    // Who does not run has no age of events to tell.
    metric: new MathExpression({
      expression: 'IF(FILL(records, 0) > 0 AND FILL(runs, 0) == 0, 1, 0)',
      label: 'Events come and none is counted',
      usingMetrics: {
        records: watched.stream('IncomingRecords', { statistic: 'Sum' }),
        runs: watched.lambda('background/aggregate-events')('Invocations', { statistic: 'Sum' }),
      },
      period: MINUTES.five,
    }),
    ...{ atLeast: 1, periods: [3, 3], runbook: 'events-wait' },
    says: 'Events come onto the stream, and for a quarter of an hour nothing has read them.',
  });
  addRuleAlarm(alarming, 'StreamRefuses', {
    metric: watched.stream('WriteProvisionedThroughputExceeded', { statistic: 'Sum' }),
    // A stream on demand doubles within minutes; pages send again what was refused.
    ...{ atLeast: 10, periods: [2, 3], runbook: 'the-stream-refuses-events' },
    says: 'The event stream takes fewer events than come.',
  });
  addRuleAlarm(
    alarming,
    'RecordsSetAside',
    sumRule(alarming, 'RecordsSetAside', {
      ...{ within: MINUTES.five, atLeast: 1, runbook: 'records-are-set-aside' },
      says: 'Records of the event stream could not be read and wait for an operator.',
    }),
  );
}

function factAlarms(alarming: AlarmContext): void {
  const { monitored: watched } = alarming;
  addRuleAlarm(alarming, 'FactsWait', {
    metric: watched.own('FreshFacts_oldestWaitSeconds', { statistic: 'Maximum' }),
    ...{ atLeast: FACT_WAIT_SECONDS, periods: [3, 3], runbook: 'facts-wait' },
    says: 'Facts wait for more than ten minutes before they go into files; reads become slower.',
  });
  addRuleAlarm(alarming, 'SmallFilesPile', {
    metric: watched.own('Facts_amendmentFilesMax', { statistic: 'Maximum', period: MINUTES.fifteen }),
    ...{ atLeast: SMALL_FILES, periods: [4, 4], runbook: 'small-files-pile-up' },
    says: 'Small files of facts are not merged; reads become slower.',
  });
  addRuleAlarm(
    alarming,
    'FilesUnreadable',
    sumRule(alarming, 'FactFilesUnreadable', {
      ...{ within: MINUTES.five, atLeast: 1, runbook: 'fact-files-are-unreadable' },
      says: 'Files of facts can not be read: every read of their funnel fails.',
    }),
  );
}

/** What nobody waits for: what was lost, what fails, what does not run any more. */
export function workAlarms(alarming: AlarmContext): void {
  const waiting = (queue: string) =>
    alarming.monitored.queue(queue)('ApproximateNumberOfMessagesVisible', { statistic: 'Maximum' });
  for (const declared of backgroundFunctions) {
    if ('everyMinutes' in declared.trigger) scheduleAlarms(alarming, declared, declared.trigger.everyMinutes);
    if ('invoked' in declared.trigger) {
      const name = toPascalCase(declared.id);
      addRuleAlarm(alarming, `${name}Lost`, {
        metric: waiting(`${name}DeadLetters`),
        // SQS stops telling of a queue that nobody touches for six hours, full or not.
        ...{ atLeast: 1, missingData: 'as before', runbook: 'work-was-given-up' },
        says: `${declared.id} failed at every attempt; what it was to do waits in a queue, and the sweeper tries again.`,
      });
    }
  }
  addRuleAlarm(alarming, 'RunsMissed', {
    // Those that came, not those that lie there: single ones are ticks that the run before outlasted, and stay for 14 days.
    metric: alarming.monitored.queue('MissedRuns')('NumberOfMessagesSent', { statistic: 'Sum', period: MINUTES.sixty }),
    ...{ atLeast: RUNS_MISSED_AN_HOUR, runbook: 'runs-were-missed' },
    says: `${RUNS_MISSED_AN_HOUR} scheduled runs failed or could not begin within an hour.`,
  });
  addRuleAlarm(
    alarming,
    'DueWaits',
    sumRule(alarming, 'SweepBacklog', {
      ...{ within: MINUTES.sixty, atLeast: 1, periods: [3, 3], runbook: 'what-is-due-waits' },
      says: 'For three hours sweepers have not got through what was due.',
    }),
  );
  const others = backgroundFunctions.filter(({ trigger }) => !('everyMinutes' in trigger));
  invokedThrottles(
    alarming,
    others.map(({ id }) => id),
  );
}

/** One failed run is made up for by the next; a day's is not, and an hour's is worth a look. */
function scheduleAlarms(alarming: AlarmContext, { id, limits }: BackgroundFunction, everyMinutes: number): void {
  const metric = alarming.monitored.lambda(id);
  const often = everyMinutes < 60;
  // In each a run begins, also when the one before used up its time: an error is counted at its run's beginning.
  const holdsARun = Duration.minutes(FIVE * Math.ceil((everyMinutes + limits.timeoutSeconds / 60) / FIVE));
  addRuleAlarm(alarming, `${toPascalCase(id)}Fails`, {
    metric: metric('Errors', { statistic: 'Sum', period: often ? holdsARun : MINUTES.sixty }),
    atLeast: 1,
    // Stays raised until a run has had the time to go well.
    periods: often ? [2, 2] : [1, Math.min(24, Math.ceil(everyMinutes / 60))],
    runbook: 'scheduled-work-fails',
    says: `Runs of ${id} fail.`,
  });
  const runs = metric('Invocations', { statistic: 'Sum', period: Duration.minutes(often ? 15 : everyMinutes) });
  addRuleAlarm(alarming, `${toPascalCase(id)}Stands`, {
    metric: runs,
    ...{ atLeast: 1, tooFew: true },
    periods: everyMinutes >= DAY_MINUTES ? [2, 2] : [3, 3],
    missingData: 'a fault',
    runbook: 'scheduled-work-stands-still',
    says: `${id} does not run any more.`,
  });
}
