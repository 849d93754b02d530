import { DescribeLimitsCommand, DescribeStreamSummaryCommand } from '@aws-sdk/client-kinesis';
import * as z from 'zod/mini';
import { serviceName, stackName } from '../../names.ts';
import type { Stage } from '../../settings/stages.ts';
import { type Aws, deployedResources, permitted } from '../aws.ts';
import { blocker, type Check, ok } from '../check.ts';
import type { Plan } from '../plan.ts';

const LogGroups = z.object({
  logGroups: z.array(z.object({ logGroupName: z.string() })),
  nextToken: z.optional(z.string()),
});

/**
 * When a stack of `prod` is deleted, its log groups are retained. A new deployment then fails, because CloudFormation
 * does not create a log group that exists. Other retained resources are not checked, because their names are not fixed.
 */
export const logGroups = (aws: Aws, stage: Stage, { logGroups: planned }: Plan): Check => ({
  name: 'Log groups',
  async run() {
    const names = [...planned.values()].flat();
    const existing = await existingLogGroups(aws, stage, names);
    if (existing.length === 0) return ok(`none of ${names.length} exists yet`);
    const own = await Promise.all([...planned.keys()].map((stack) => deployedResources(aws, stack)));
    const left = existing.filter((name) => !own.some((ids) => ids.has(name)));
    if (left.length === 0) return ok(`${existing.length} of ${names.length} exist and belong to this stage`);
    const detail =
      `${left.length} of ${names.length} log groups exist already and belong to no stack of this stage. ` +
      'The log groups of a deleted deployment are kept, and CloudFormation does not replace existing log groups.';
    return blocker(detail, {
      advice: 'Export the logs if you need them, then delete the log groups:',
      commands: [
        'for group in \\',
        ...left.map((name, at) => `  ${name}${at === left.length - 1 ? '' : ' \\'}`),
        `do ${aws.command('logs delete-log-group --log-group-name "$group"')}; done`,
      ],
    });
  },
});

/** Returns the names that exist. Lists log groups by prefix, because a request per name would take too long. */
async function existingLogGroups(aws: Aws, stage: Stage, names: readonly string[]): Promise<string[]> {
  const prefixes = [...new Set(names.map((name) => name.replace(/[^/]*$/, serviceName(stage))))];
  const found = await permitted(
    'logs:DescribeLogGroups',
    Promise.all(prefixes.map((prefix) => logGroupsBelow(aws, prefix))),
  );
  const all = new Set(found.flat());
  return names.filter((name) => all.has(name));
}

async function logGroupsBelow(aws: Aws, logGroupNamePrefix: string): Promise<string[]> {
  const names: string[] = [];
  let nextToken: string | undefined;
  do {
    const body = await aws.request('logs', {
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'Logs_20140328.DescribeLogGroups' },
      body: JSON.stringify({ logGroupNamePrefix, ...(nextToken !== undefined && { nextToken }) }),
    });
    const page = LogGroups.parse(JSON.parse(body));
    names.push(...page.logGroups.map(({ logGroupName }) => logGroupName));
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return names;
}

/**
 * The quota of the account must allow the event stream. If the stream exists, the setting `eventShards` must be between
 * half and twice the current number of shards.
 *
 * Other quotas are not checked, because the templates stay below them: resources per stack (500), memory of a function
 * (3,008 MB in a new account), capacity of a web ACL (5,000 units), roles (1,000) and alarms (5,000).
 */
export const eventStream = (aws: Aws, stage: Stage): Check => ({
  name: 'Event stream',
  async run() {
    const { eventShards } = stage;
    const own = await openShardsOf(aws, stackName(stage, 'streaming'));
    if (own !== undefined && eventShards === undefined) return ok('the stream of this stage exists');
    const limits = await permitted('kinesis:DescribeLimits', aws.kinesis.send(new DescribeLimitsCommand({})));
    const [what, used = 0, quota = 0, needed] =
      eventShards === undefined
        ? (['on-demand streams', limits.OnDemandStreamCount, limits.OnDemandStreamCountLimit, 1] as const)
        : (['shards', limits.OpenShardCount, limits.ShardLimit, eventShards - (own ?? 0)] as const);
    if (used + needed > quota)
      return blocker(`The account has ${used} of ${quota} ${what}, and this stage needs ${needed} more.`, {
        advice:
          `Request a higher quota in the console, region ${aws.region}: ` +
          'Service Quotas > AWS services > Amazon Kinesis Data Streams.',
      });
    if (own === undefined || eventShards === undefined)
      return ok(`quota of ${quota} ${what}; ${used} in use, this stage needs ${needed}`);
    const [least, most] = [Math.ceil(own / 2), own * 2];
    if (eventShards >= least && eventShards <= most) return ok(`${own} shards; this stage sets ${eventShards}`);
    const next = eventShards > most ? most : least;
    return blocker(
      `The stream has ${own} shards, and this stage sets ${eventShards}. Kinesis at most doubles or halves the number ` +
        'of shards in one update.',
      {
        advice:
          `Deploy with -c eventShards=${next} first. ` +
          `Then run npm run doctor again with -c eventShards=${eventShards} to see the next step.`,
      },
    );
  },
});

/** Returns the number of open shards of the stack's stream; undefined if the stack has no stream. */
async function openShardsOf(aws: Aws, stack: string): Promise<number | undefined> {
  const [name] = [...(await deployedResources(aws, stack))].find(([, type]) => type === 'AWS::Kinesis::Stream') ?? [];
  if (name === undefined) return undefined;
  const summary = aws.kinesis.send(new DescribeStreamSummaryCommand({ StreamName: name }));
  const { StreamDescriptionSummary } = await permitted('kinesis:DescribeStreamSummary', summary);
  return StreamDescriptionSummary?.OpenShardCount;
}
