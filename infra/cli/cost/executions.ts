import { backgroundFunctions, operations } from '../../../functions/declarations.ts';
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

export type StageName = 'dev' | 'prod';

const MINUTES = SECONDS / 60;
/** X-Ray's default rule: the first request of each second, and 5 % of the others. */
const TRACED = 0.05;

export type MonthlyCalls = { name: keyof typeof CALL_PROFILES; count: number; question: CostCategory };

/** Monthly count of each call profile. */
export function monthlyCalls(of: Volumes): MonthlyCalls[] {
  const updates = of.leads * (of.submits - 1);
  return [
    { name: 'leadCreated', count: of.leads, question: 'leads' },
    { name: 'leadUpdated', count: updates, question: 'leads' },
    { name: 'mailCodeSent', count: of.mailCodes, question: 'leads' },
    { name: 'smsCodeSent', count: of.smsCodes, question: 'leads' },
    { name: 'codeChecked', count: of.mailCodes + of.smsCodes, question: 'leads' },
    { name: 'fileUploaded', count: of.uploads, question: 'leads' },
    { name: 'aiReplied', count: of.aiReplies, question: 'pages' },
    { name: 'pageCopied', count: of.pageCopies, question: 'pages' },
    { name: 'domainRemoved', count: 0.1 * of.domains, question: 'pages' },
    { name: 'batchIngested', count: of.events / of.eventsPerRequest, question: 'numbers' },
    { name: 'overviewRead', count: of.reads / 3, question: 'numbers' },
    { name: 'timeseriesRead', count: of.reads / 3, question: 'numbers' },
    { name: 'acquisitionRead', count: of.reads / 3, question: 'numbers' },
    { name: 'caseCreated', count: of.organizations, question: 'training' },
    { name: 'sessionOpened', count: of.calls, question: 'training' },
    { name: 'callReported', count: of.calls, question: 'training' },
    { name: 'callAnalysed', count: of.calls, question: 'training' },
    { name: 'callRead', count: 3 * of.calls, question: 'training' },
  ];
}

/** CORS preflights: browsers cache them for an hour, so one per path and visit. */
export const preflights = (of: Volumes): { question: CostCategory; count: number }[] => [
  { question: 'numbers', count: of.sessions },
  { question: 'leads', count: of.leads + of.mailCodes + of.smsCodes + of.uploads },
  { question: 'pages', count: of.aiReplies },
];

/** Scheduled runs per month; 0 without a schedule. */
export function scheduledRuns(id: string): number {
  const trigger = backgroundFunctions.find((declared) => declared.id === id)?.trigger;
  return trigger !== undefined && 'everyMinutes' in trigger ? MINUTES / trigger.everyMinutes : 0;
}

const DECLARED = new Map([...operations, ...backgroundFunctions].map(({ id, limits }) => [id, limits]));
const CALLED = new Set(operations.map(({ id }) => id));

/** GB-seconds of `count` executions. @param milliseconds of one execution; absent: the estimate for the function */
export function gigabyteSeconds(id: string, count: number, milliseconds = MILLISECONDS[id] ?? 0): number {
  const { memoryMb } = DECLARED.get(id) ?? { memoryMb: 0 };
  return (count * (memoryMb / 1_024) * (milliseconds + COLD.share * COLD.milliseconds)) / 1_000;
}

/** Executions with their logs and traces, and requests and data transfer of those that are called by HTTP. */
export function executions(of: Volumes, stage: StageName, months: { logs: number }): Usage[] {
  const called = monthlyCalls(of).flatMap(({ name, count, question }) =>
    ofExecution(CALL_PROFILES[name], count, question),
  );
  const scheduled = Object.keys(IDLE_RUNS).flatMap((id) => ofExecution({ function: id }, scheduledRuns(id), 'fixed'));
  const preflightUsage = preflights(of).flatMap(({ count, question }): Usage[] => ofRequests(count, 500, question));
  const all = [...called, ...preflightUsage];
  return [...all, ...scheduled, ...written([...all, ...scheduled], stage, months), ...traced([...all, ...scheduled])];
}

function ofExecution({ function: id }: Pick<CallProfile, 'function'>, count: number, question: CostCategory): Usage[] {
  return [
    { price: 'lambdaRequest', quantity: count, question },
    { price: 'lambdaGigabyteSecond', quantity: gigabyteSeconds(id, count), question },
    ...(CALLED.has(id) ? ofRequests(count, RESPONSE_BYTES[id] ?? DEFAULT_RESPONSE_BYTES, question) : []),
  ];
}

const ofRequests = (count: number, responseBytes: number, question: CostCategory): Usage[] => [
  { price: 'gatewayRequest', quantity: count, question },
  { price: 'firewallRequest', quantity: count, question },
  { price: 'gigabyteOut', quantity: (count * responseBytes) / GB, question },
];

/** Logs: their ingestion, and the storage of `kept` months. */
function written(usages: readonly Usage[], stage: StageName, { logs: kept }: { logs: number }): Usage[] {
  const bytesOf: Partial<Record<Usage['price'], number>> = {
    lambdaRequest: LOG_BYTES,
    ...(stage === 'prod' && { gatewayRequest: ACCESS_LOG_BYTES }),
  };
  return usages.flatMap(({ price, quantity, question }): Usage[] => {
    const gigabytes = (quantity * (bytesOf[price] ?? 0)) / GB;
    return gigabytes === 0
      ? []
      : [
          { price: 'logGigabyte', quantity: gigabytes, question },
          { price: 'logGigabyteMonth', quantity: gigabytes * kept, question },
        ];
  });
}

function traced(usages: readonly Usage[]): Usage[] {
  const runs = usages.filter(({ price }) => price === 'lambdaRequest');
  const all = runs.reduce((sum, { quantity }) => sum + quantity, 0);
  const share = all === 0 ? 0 : (Math.min(all, SECONDS) * (1 - TRACED) + TRACED * all) / all;
  return runs.map(({ quantity, question }) => ({ price: 'trace', quantity: quantity * share, question }));
}
