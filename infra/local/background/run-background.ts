import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { kinesisClient } from '../../../shared/platform/aws/kinesis-client.ts';
import type { BackgroundFunction } from '../../../shared/platform/background.ts';
import type { ReportError } from '../common/output.ts';
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

type Background = {
  functions: readonly BackgroundFunction[];
  functionOf: GetFunction;
  /** Where the event source keeps how far it has come. */
  positionsFolder: string;
  report: ReportError;
};

/**
 * Starts what calls the functions that no caller waits for, the stream's event source and the schedules, and what takes
 * the stream's events into the lake.
 */
export async function startBackgroundFunctions({ functions, functionOf, positionsFolder, report }: Background) {
  const invoke = (declared: BackgroundFunction, event: unknown, requestId: string) => {
    const call = async () => functionOf(declared.id)(event, lambdaContext(declared, requestId));
    return withTimeout(call(), declared.limits.timeoutSeconds);
  };
  const invokeOf = (declared: BackgroundFunction) => (event: unknown) => invoke(declared, event, randomUUID());
  const pollers = functions.flatMap((declared) =>
    'stream' in declared.trigger ? [{ declared, batchRecords: declared.trigger.batchRecords }] : [],
  );
  const objects = createS3LakeWriter();
  const lake = { events: createParquetEventWriter(objects), errors: createErrorOutput(objects) };
  const started = await Promise.all([
    ...pollers.map(({ declared, batchRecords }) =>
      startKinesisEventSource({
        source: createKinesisSource(kinesisClient()),
        checkpoints: createFileCheckpointStore(join(positionsFolder, declared.id.replace('/', '-'))),
        invoke: invokeOf(declared),
        batchRecords,
        reportError: report,
      }),
    ),
    startFirehose({
      source: createKinesisSource(kinesisClient()),
      checkpoints: createFileCheckpointStore(join(positionsFolder, 'lake')),
      deliver: (records) => deliverRecords(lake, records),
      reportError: report,
    }),
    startScheduler(
      functions.flatMap((declared) =>
        'everyMinutes' in declared.trigger
          ? [{ run: invokeOf(declared), everyMinutes: declared.trigger.everyMinutes }]
          : [],
      ),
      report,
    ),
  ]);
  return {
    /** Runs one of the functions, within its time. */
    invoke: async (id: string, event: unknown, requestId: string) => {
      const declared = functions.find((known) => known.id === id);
      if (declared === undefined) throw new Error(`There is no background function ${id}.`);
      await invoke(declared, event, requestId);
    },
    stop: async () => {
      await Promise.all(started.map((part) => part.stop()));
    },
  };
}
