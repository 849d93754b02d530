import type { Stack } from 'aws-cdk-lib';
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { backgroundFunctions, operations } from '../../../functions/operations.ts';
import { accessLogGroupName, logGroupName, serviceName } from '../../names.ts';
import type { Stage } from '../../settings/stages.ts';

/** Where lines about requests are; Logs Insights reads at most 50 at once. */
export const logGroupNames = (stage: Pick<Stage, 'name' | 'accessLogs'>): string[] => [
  ...[...operations, ...backgroundFunctions].map(({ id }) => logGroupName(stage, id)),
  ...(stage.accessLogs ? [accessLogGroupName(stage)] : []),
];

const FIELDS = 'fields @timestamp, function, level, message, @message';

/** What a person who has an id or an alarm asks first; in the console below the service's name. */
const QUERIES = {
  /** The `x-request-id` of an answer: the function's own lines, what it started later, and the gateway's. */
  'One request': [FIELDS, 'filter requestId = "PUT THE X-REQUEST-ID HERE"', 'sort @timestamp asc', 'limit 1000'],
  /** Of a call, domain, funnel or upload: what happened to it, whoever was at work. */
  'One thing by its id': [FIELDS, 'filter @message like "PUT AN ID HERE"', 'sort @timestamp asc', 'limit 1000'],
  'Faults by function': [
    'filter level = "error"',
    'stats count(*) as times, latest(error.message) as why by function, message',
    'sort times desc',
  ],
  'Crashes and time-outs': [
    'fields @timestamp, @log, @message',
    'filter @message like /Task timed out|Runtime exited|Runtime.ExitError|OutOfMemory/',
    'sort @timestamp desc',
    'limit 200',
  ],
} as const;

export function saveQueries(stack: Stack, stage: Stage): void {
  for (const [at, [name, lines]] of Object.entries(QUERIES).entries()) {
    new CfnQueryDefinition(stack, `Query${at + 1}`, {
      name: `${serviceName(stage)}/${name}`,
      queryString: lines.join('\n| '),
      logGroupNames: logGroupNames(stage),
    });
  }
}
