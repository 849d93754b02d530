import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type BackgroundFunction, intervalMinutes } from '../../../functions/declare-background-function.ts';
import type { ReportError } from '../common/output.ts';
import { countWrites } from '../emulators/writes.ts';
import { createFileCheckpointStore } from '../event-source/checkpoints.ts';
import { createKinesisSource } from '../event-source/kinesis-source.ts';
import { startKinesisEventSource } from '../event-source/poller.ts';
import { startScheduler } from '../eventbridge/scheduler.ts';
import { startFirehose } from '../firehose/consumer.ts';
import { deliverRecords } from '../firehose/deliver-records.ts';
import { createErrorOutput } from '../firehose/error-output.ts';
import { createS3LakeWriter } from '../firehose/s3-writer.ts';
import { createParquetEventWriter } from '../firehose/write-parquet.ts';
import { lambdaContext } from '../lambda/context.ts';
import type { GetFunction } from '../lambda/load-functions.ts';
import { withTimeout } from '../lambda/timeout.ts';

export type BackgroundSettings = {
  functions: readonly BackgroundFunction[];
  getFunction: GetFunction;
  /** Folder for the checkpoints of the event source mappings and of Firehose. */
  checkpointsFolder: string;
  reportError: ReportError;
};

/** Starts the Firehose stand-in, and the event source mappings and schedules that invoke the background functions. */
export async function startBackgroundFunctions({
  functions,
  getFunction,
  checkpointsFolder,
  reportError,
}: BackgroundSettings) {
  const invoke = (declared: BackgroundFunction, event: unknown, requestId: string) => {
    const call = async () => getFunction(declared.id)(event, lambdaContext(declared, requestId));
    return withTimeout(call(), declared.limits.timeoutSeconds);
  };
  const toInvoker = (declared: BackgroundFunction) => (event: unknown) => invoke(declared, event, randomUUID());
  const consumers = functions.flatMap((declared) =>
    'stream' in declared.trigger ? [{ declared, batchRecords: declared.trigger.batchRecords }] : [],
  );
  const schedules = functions.flatMap((declared) => {
    const { id, trigger } = declared;
    const everyMinutes = 'repeats' in trigger ? undefined : intervalMinutes(declared);
    if (everyMinutes === undefined) return [];
    const laptop = 'everySeconds' in trigger ? { laptopSeconds: trigger.everySeconds } : trigger;
    return [{ id, run: toInvoker(declared), ...laptop, everyMinutes }];
  });
  const objects = createS3LakeWriter();
  const lake = { events: createParquetEventWriter(objects), errors: createErrorOutput(objects) };
  const streamWrites = countWrites('kinesis');
  const started = await Promise.all([
    ...consumers.map(({ declared, batchRecords }) =>
      startKinesisEventSource({
        source: createKinesisSource(),
        checkpoints: createFileCheckpointStore(join(checkpointsFolder, declared.id.replace('/', '-'))),
        invoke: toInvoker(declared),
        batchRecords,
        writes: streamWrites,
        reportError,
      }),
    ),
    startFirehose({
      source: createKinesisSource(),
      checkpoints: createFileCheckpointStore(join(checkpointsFolder, 'lake')),
      deliver: (records) => deliverRecords(lake, records),
      writes: streamWrites,
      reportError,
    }),
    startScheduler(schedules, countWrites('dynamodb'), reportError),
  ]);
  return {
    /**
     * Invokes a function by its id.
     *
     * @throws Error if no function has this id, TimeoutError after the function's timeout, or the function's error
     */
    invoke: async (id: string, event: unknown, requestId: string) => {
      const declared = functions.find((candidate) => candidate.id === id);
      if (declared === undefined) throw new Error(`functions/declarations.ts lists no background function ${id}.`);
      await invoke(declared, event, requestId);
    },
    stop: async () => {
      await Promise.all(started.map((part) => part.stop()));
    },
  };
}
