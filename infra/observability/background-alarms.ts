import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { BackgroundFunction } from '../../functions/background-function.ts';
import { backgroundFunctions } from '../../functions/operations.ts';
import { pascal } from '../functions/service-function.ts';
import { type Alarming, countedRule, MINUTES, raise } from './alarms.ts';
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
export function numberAlarms(alarming: Alarming): void {
  streamAlarms(alarming);
  factAlarms(alarming);
}

function streamAlarms(alarming: Alarming): void {
  const { watched } = alarming;
  raise(alarming, 'EventsWait', {
    metric: watched.lambda('background/aggregate-events')('IteratorAge', { statistic: 'Maximum' }),
    ...{ atLeast: EVENT_AGE_MS, periods: [2, 3], runbook: 'events-wait' },
    says: 'Events wait on the stream for more than a minute before they are counted.',
  });
  raise(alarming, 'EventsNotRead', {
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
  raise(alarming, 'StreamRefuses', {
    metric: watched.stream('WriteProvisionedThroughputExceeded', { statistic: 'Sum' }),
    // A stream on demand doubles within minutes; pages send again what was refused.
    ...{ atLeast: 10, periods: [2, 3], runbook: 'the-stream-refuses-events' },
    says: 'The event stream takes fewer events than come.',
  });
  raise(
    alarming,
    'RecordsSetAside',
    countedRule(alarming, 'RecordsSetAside', {
      ...{ within: MINUTES.five, atLeast: 1, runbook: 'records-are-set-aside' },
      says: 'Records of the event stream could not be read and wait for an operator.',
    }),
  );
}

function factAlarms(alarming: Alarming): void {
  const { watched } = alarming;
  raise(alarming, 'FactsWait', {
    metric: watched.own('FreshFacts_oldestWaitSeconds', { statistic: 'Maximum' }),
    ...{ atLeast: FACT_WAIT_SECONDS, periods: [3, 3], runbook: 'facts-wait' },
    says: 'Facts wait for more than ten minutes before they go into files; reads become slower.',
  });
  raise(alarming, 'SmallFilesPile', {
    metric: watched.own('Facts_amendmentFilesMax', { statistic: 'Maximum', period: MINUTES.fifteen }),
    ...{ atLeast: SMALL_FILES, periods: [4, 4], runbook: 'small-files-pile-up' },
    says: 'Small files of facts are not merged; reads become slower.',
  });
  raise(
    alarming,
    'FilesUnreadable',
    countedRule(alarming, 'FactFilesUnreadable', {
      ...{ within: MINUTES.five, atLeast: 1, runbook: 'fact-files-are-unreadable' },
      says: 'Files of facts can not be read: every read of their funnel fails.',
    }),
  );
}

/** What nobody waits for: what was lost, what fails, what does not run any more. */
export function workAlarms(alarming: Alarming): void {
  const waiting = (queue: string) =>
    alarming.watched.queue(queue)('ApproximateNumberOfMessagesVisible', { statistic: 'Maximum' });
  for (const declared of backgroundFunctions) {
    if ('everyMinutes' in declared.trigger) scheduleAlarms(alarming, declared, declared.trigger.everyMinutes);
    if ('invoked' in declared.trigger) {
      const name = pascal(declared.id);
      raise(alarming, `${name}Lost`, {
        metric: waiting(`${name}DeadLetters`),
        // SQS stops telling of a queue that nobody touches for six hours, full or not.
        ...{ atLeast: 1, silence: 'as before', runbook: 'work-was-given-up' },
        says: `${declared.id} failed at every attempt; what it was to do waits in a queue, and the sweeper tries again.`,
      });
    }
  }
  raise(alarming, 'RunsMissed', {
    // Those that came, not those that lie there: single ones are ticks that the run before outlasted, and stay for 14 days.
    metric: alarming.watched.queue('MissedRuns')('NumberOfMessagesSent', { statistic: 'Sum', period: MINUTES.sixty }),
    ...{ atLeast: RUNS_MISSED_AN_HOUR, runbook: 'runs-were-missed' },
    says: `${RUNS_MISSED_AN_HOUR} scheduled runs failed or could not begin within an hour.`,
  });
  raise(
    alarming,
    'DueWaits',
    countedRule(alarming, 'SweepBacklog', {
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
function scheduleAlarms(alarming: Alarming, { id, limits }: BackgroundFunction, everyMinutes: number): void {
  const metric = alarming.watched.lambda(id);
  const often = everyMinutes < 60;
  // In each a run begins, also when the one before used up its time: an error is counted at its run's beginning.
  const holdsARun = Duration.minutes(FIVE * Math.ceil((everyMinutes + limits.timeoutSeconds / 60) / FIVE));
  raise(alarming, `${pascal(id)}Fails`, {
    metric: metric('Errors', { statistic: 'Sum', period: often ? holdsARun : MINUTES.sixty }),
    atLeast: 1,
    // Stays raised until a run has had the time to go well.
    periods: often ? [2, 2] : [1, Math.min(24, Math.ceil(everyMinutes / 60))],
    runbook: 'scheduled-work-fails',
    says: `Runs of ${id} fail.`,
  });
  const runs = metric('Invocations', { statistic: 'Sum', period: Duration.minutes(often ? 15 : everyMinutes) });
  raise(alarming, `${pascal(id)}Stands`, {
    metric: runs,
    ...{ atLeast: 1, tooFew: true },
    periods: everyMinutes >= DAY_MINUTES ? [2, 2] : [3, 3],
    silence: 'a fault',
    runbook: 'scheduled-work-stands-still',
    says: `${id} does not run any more.`,
  });
}
