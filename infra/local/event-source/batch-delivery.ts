import type { ReportError } from '../common/output.ts';

export type BatchDelivery<R extends { sequenceNumber: string }> = {
  /** Calls the function with a batch. */
  invoke(batch: readonly R[]): Promise<unknown>;
  /** Everything up to this record has been processed. */
  processed(record: R): Promise<void>;
  report: ReportError;
  /** Waits before the next attempt. @throws to give up, when the runtime ends */
  pause(failures: number): Promise<void>;
};

/**
 * Hands a batch to the function until every record has been processed, as Lambda's event source does with
 * `ReportBatchItemFailures` and bisection: after a reported failure it goes on from the first failed record, after an
 * error or an answer it can't read it halves the batch, and a record alone is tried again until it succeeds.
 */
export async function deliverBatch<R extends { sequenceNumber: string }>(
  batch: readonly R[],
  delivery: BatchDelivery<R>,
): Promise<void> {
  const waiting: (readonly R[])[] = [batch];
  let failures = 0;
  for (let current = waiting.shift(); current !== undefined; current = waiting.shift()) {
    const count = await processedCount(current, delivery);
    const last = current[count - 1];
    if (last !== undefined) await delivery.processed(last);
    if (count === current.length) {
      failures = 0;
      continue;
    }
    failures = count > 0 ? 1 : failures + 1;
    await delivery.pause(failures);
    waiting.unshift(...(count > 0 ? [current.slice(count)] : halves(current)));
  }
}

function halves<R>(batch: readonly R[]): (readonly R[])[] {
  const middle = Math.ceil(batch.length / 2);
  return batch.length < 2 ? [batch] : [batch.slice(0, middle), batch.slice(middle)];
}

/** How many records from the batch's start the function has processed. */
async function processedCount<R extends { sequenceNumber: string }>(
  batch: readonly R[],
  { invoke, report }: BatchDelivery<R>,
): Promise<number> {
  try {
    const failed = failedIn(await invoke(batch));
    if (failed.size === 0) return batch.length;
    // No record of ours fits the report: nothing is known to be processed.
    return Math.max(
      0,
      batch.findIndex(({ sequenceNumber }) => failed.has(sequenceNumber)),
    );
  } catch (error) {
    report('A batch of the stream failed', error);
    return 0;
  }
}

/** The sequence numbers that the function reports as failed; no answer at all means success. */
function failedIn(answer: unknown): Set<unknown> {
  if (typeof answer !== 'object' || answer === null || !('batchItemFailures' in answer)) return new Set();
  const { batchItemFailures: reported } = answer;
  if (reported === null || reported === undefined) return new Set();
  if (!Array.isArray(reported)) throw new Error('batchItemFailures is not a list.');
  return new Set(reported.map((failure: { itemIdentifier?: unknown } | null) => failure?.itemIdentifier));
}
