import type { ReportError } from '../common/output.ts';

export type BatchDelivery<R extends { sequenceNumber: string }> = {
  invoke(batch: readonly R[]): Promise<unknown>;
  /** Stores that all records up to this record have been processed. */
  saveCheckpoint(record: R): Promise<void>;
  reportError: ReportError;
  /** Waits before the next attempt. @throws if the runtime stops, which ends the delivery */
  waitBeforeRetry(failures: number): Promise<void>;
};

/**
 * Delivers a batch until the function has processed every record, like Lambda's event source mapping with
 * `ReportBatchItemFailures` and bisection. If the function processed the first records of the batch, the delivery
 * continues after them. If the function processed no record, the batch is halved. A single record is retried until it
 * succeeds.
 *
 * @throws the errors of `saveCheckpoint` and `waitBeforeRetry`
 */
export async function deliverBatch<R extends { sequenceNumber: string }>(
  batch: readonly R[],
  delivery: BatchDelivery<R>,
): Promise<void> {
  const waiting: (readonly R[])[] = [batch];
  let failures = 0;
  for (let current = waiting.shift(); current !== undefined; current = waiting.shift()) {
    const count = await invokeAndCount(current, delivery);
    const last = current[count - 1];
    if (last !== undefined) await delivery.saveCheckpoint(last);
    if (count === current.length) {
      failures = 0;
      continue;
    }
    failures = count > 0 ? 1 : failures + 1;
    await delivery.waitBeforeRetry(failures);
    waiting.unshift(...(count > 0 ? [current.slice(count)] : bisect(current)));
  }
}

function bisect<R>(batch: readonly R[]): (readonly R[])[] {
  const middle = Math.ceil(batch.length / 2);
  return batch.length < 2 ? [batch] : [batch.slice(0, middle), batch.slice(middle)];
}

/** Invokes the function. @returns how many records of the batch were processed before a record failed */
async function invokeAndCount<R extends { sequenceNumber: string }>(
  batch: readonly R[],
  { invoke, reportError }: BatchDelivery<R>,
): Promise<number> {
  try {
    const failed = parseFailures(await invoke(batch));
    if (failed.size === 0) return batch.length;
    const firstFailed = batch.findIndex(({ sequenceNumber }) => failed.has(sequenceNumber));
    // If the function reports only records of other batches, `firstFailed` is -1. Then, no record counts as processed.
    return Math.max(0, firstFailed);
  } catch (error) {
    reportError('A batch of the stream failed. Retrying', error);
    return 0;
  }
}

/** Returns the sequence numbers that the function reports as failed. A missing result means success. */
function parseFailures(result: unknown): Set<unknown> {
  if (typeof result !== 'object' || result === null || !('batchItemFailures' in result)) return new Set();
  const { batchItemFailures: failures } = result;
  if (failures === null || failures === undefined) return new Set();
  if (!Array.isArray(failures)) throw new Error('batchItemFailures in the result of the function is not a list.');
  return new Set(failures.map((failure: { itemIdentifier?: unknown } | null) => failure?.itemIdentifier));
}
