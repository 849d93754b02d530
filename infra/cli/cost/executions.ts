import { backgroundFunctions, operations } from '../../../functions/declarations.ts';
import { intervalMinutes } from '../../../functions/declare-background-function.ts';
import type { StageKind } from '../../settings/stage-name.ts';
import {
  ACCESS_LOG_BYTES,
  COLD,
  DEFAULT_RESPONSE_BYTES,
  LOG_BYTES,
  MILLISECONDS,
  RESPONSE_BYTES,
} from './assumptions.ts';
import { CALL_PROFILES, type CallProfile, IDLE_RUNS } from './call-profiles.ts';
import { type CostCategory, GB, SECONDS, type Usage } from './usage.ts';
import type { Volumes } from './volumes.ts';

const MINUTES = SECONDS / 60;
/** X-Ray's default rule traces the first request of each second, and this share of the other requests. */
const TRACED = 0.05;

type ProfileName = keyof typeof CALL_PROFILES;

export type MonthlyCalls = { name: ProfileName; count: number; category: CostCategory };

export const monthlyCalls = (of: Volumes): MonthlyCalls[] =>
  Object.entries(CALL_PROFILES).map(([name, { perMonth, category }]) => ({
    name: name as ProfileName,
    count: perMonth(of),
    category,
  }));

/**
 * Returns the numbers of CORS preflights. Browsers cache the response to a preflight for an hour, so a session sends
 * one preflight for each path.
 */
export const preflights = (of: Volumes): { category: CostCategory; count: number }[] => [
  { category: 'numbers', count: of.sessions },
  { category: 'leads', count: of.leads + of.mailCodes + of.smsCodes + of.uploads },
  { category: 'pages', count: of.aiReplies },
];

/** Returns the scheduled runs of a function per month; 0 if the function has no schedule. */
export function scheduledRuns(id: string): number {
  const declared = backgroundFunctions.find((candidate) => candidate.id === id);
  const everyMinutes = declared && intervalMinutes(declared);
  return everyMinutes === undefined ? 0 : MINUTES / everyMinutes;
}

const DECLARED = new Map([...operations, ...backgroundFunctions].map(({ id, limits }) => [id, limits]));
/** Returns the estimated milliseconds that one warm execution is billed for. @throws Error if there is no estimate */
export function millisecondsOf(id: string): number {
  const milliseconds = MILLISECONDS[id];
  if (milliseconds === undefined)
    throw new Error(`MILLISECONDS in infra/cli/cost/assumptions.ts has no estimate for ${id}.`);
  return milliseconds;
}

const CALLED = new Set(operations.map(({ id }) => id));

/**
 * Returns the GB-seconds of `count` executions.
 *
 * @param milliseconds billed milliseconds of one warm execution. Default: the function's estimate in `MILLISECONDS`.
 */
export function gigabyteSeconds(id: string, count: number, milliseconds = millisecondsOf(id)): number {
  const { memoryMb } = DECLARED.get(id) ?? { memoryMb: 0 };
  return (count * (memoryMb / 1_024) * (milliseconds + COLD.share * COLD.milliseconds)) / 1_000;
}

/** Returns the usage of requests and scheduled runs, with their logs, traces and data transfer. */
export function executions(of: Volumes, stage: StageKind, months: { logs: number }): Usage[] {
  const called = monthlyCalls(of).flatMap(({ name, count, category }) =>
    ofExecution(CALL_PROFILES[name], count, category),
  );
  const scheduled = Object.keys(IDLE_RUNS).flatMap((id) => (isTraced(id) ? ofRuns(id) : []));
  const preflightUsage = preflights(of).flatMap(({ count, category }): Usage[] => ofRequests(count, 500, category));
  const all = [...called, ...preflightUsage, ...scheduled];
  const untraced = Object.keys(IDLE_RUNS).flatMap((id) => (isTraced(id) ? [] : ofRuns(id)));
  return [...all, ...untraced, ...written([...all, ...untraced], stage, months), ...traced(all)];
}

const ofRuns = (id: string): Usage[] => ofExecution({ function: id }, scheduledRuns(id), 'fixed');

const isTraced = (id: string): boolean =>
  !backgroundFunctions.some(({ id: declared, trigger }) => declared === id && 'everySeconds' in trigger);

function ofExecution({ function: id }: Pick<CallProfile, 'function'>, count: number, category: CostCategory): Usage[] {
  return [
    { price: 'lambdaRequest', quantity: count, category },
    { price: 'lambdaGigabyteSecond', quantity: gigabyteSeconds(id, count), category },
    ...(CALLED.has(id) ? ofRequests(count, RESPONSE_BYTES[id] ?? DEFAULT_RESPONSE_BYTES, category) : []),
  ];
}

const ofRequests = (count: number, responseBytes: number, category: CostCategory): Usage[] => [
  { price: 'gatewayRequest', quantity: count, category },
  { price: 'firewallRequest', quantity: count, category },
  { price: 'gigabyteOut', quantity: (count * responseBytes) / GB, category },
];

/** Returns the usage for ingesting logs, and for storing the logs of `kept` months. */
function written(usages: readonly Usage[], stage: StageKind, { logs: kept }: { logs: number }): Usage[] {
  const bytesOf: Partial<Record<Usage['price'], number>> = {
    lambdaRequest: LOG_BYTES,
    ...(stage === 'prod' && { gatewayRequest: ACCESS_LOG_BYTES }),
  };
  return usages.flatMap(({ price, quantity, category }): Usage[] => {
    const gigabytes = (quantity * (bytesOf[price] ?? 0)) / GB;
    return gigabytes === 0
      ? []
      : [
          { price: 'logGigabyte', quantity: gigabytes, category },
          { price: 'logGigabyteMonth', quantity: gigabytes * kept, category },
        ];
  });
}

function traced(usages: readonly Usage[]): Usage[] {
  const runs = usages.filter(({ price }) => price === 'lambdaRequest');
  const all = runs.reduce((sum, { quantity }) => sum + quantity, 0);
  const share = all === 0 ? 0 : (Math.min(all, SECONDS) * (1 - TRACED) + TRACED * all) / all;
  return runs.map(({ quantity, category }) => ({ price: 'trace', quantity: quantity * share, category }));
}
