import { randomUUID } from 'node:crypto';
import type { KinesisClient } from '@aws-sdk/client-kinesis';
import type { BackgroundFunction } from '../../shared/platform/background.ts';
import type { FunctionOf } from './functions.ts';
import { lambdaContext } from './lambda-context.ts';
import { startScheduler } from './scheduler.ts';
import type { StateFolder } from './state-folder.ts';
import { kinesisSource } from './stream/kinesis-source.ts';
import { startPoller } from './stream/poller.ts';
import { filePositions } from './stream/positions.ts';

type Background = {
  functions: readonly BackgroundFunction[];
  functionOf: FunctionOf;
  kinesis: KinesisClient;
  state: StateFolder;
};

/** Starts what calls the functions that no caller waits for: the stream's event source and the schedules. */
export async function startBackground({ functions, functionOf, kinesis, state }: Background) {
  const invokeOf = (declared: BackgroundFunction) => async (event: unknown) =>
    functionOf(declared.id)(event, lambdaContext(declared, randomUUID()));
  const pollers = functions.flatMap((declared) =>
    'stream' in declared.trigger ? [{ declared, batchRecords: declared.trigger.batchRecords }] : [],
  );
  const started = await Promise.all([
    ...pollers.map(({ declared, batchRecords }) =>
      startPoller({
        source: kinesisSource(kinesis),
        positions: filePositions(state),
        invoke: invokeOf(declared),
        batchRecords,
      }),
    ),
    startScheduler(functions.filter(({ trigger }) => 'everyMinutes' in trigger).map(invokeOf)),
  ]);
  return {
    stop: async () => {
      await Promise.all(started.map((part) => part.stop()));
    },
  };
}
