import type { Stack } from 'aws-cdk-lib';
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { backgroundFunctions, operations } from '../../../functions/declarations.ts';
import { accessLogGroupName, logGroupName, serviceName } from '../../names.ts';
import type { Stage } from '../../settings/stages.ts';

/**
 * Returns the log groups of all functions and of the gateway. A query of Logs Insights can read at most 50 log groups.
 */
export const logGroupNames = (stage: Pick<Stage, 'name' | 'accessLogs'>): string[] => [
  ...[...operations, ...backgroundFunctions].map(({ id }) => logGroupName(stage, id)),
  ...(stage.accessLogs ? [accessLogGroupName(stage)] : []),
];

const FIELDS = 'fields @timestamp, function, level, message, @message';

/** Queries of Logs Insights, each as a list of parts. `saveQueries` prepends the service's name to their names. */
const QUERIES = {
  /** Finds the log lines of one request: of the gateway, of the function, and of the work that the function started. */
  'One request': [FIELDS, 'filter requestId = "PUT THE X-REQUEST-ID HERE"', 'sort @timestamp asc', 'limit 1000'],
  /** Finds the lines about a call, domain, funnel or upload. */
  'One resource by its id': [FIELDS, 'filter @message like "PUT AN ID HERE"', 'sort @timestamp asc', 'limit 1000'],
  'Errors by function': [
    'filter level = "error"',
    'stats count(*) as times, latest(error.message) as why by function, message',
    'sort times desc',
  ],
  'Crashes and timeouts': [
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
