import { randomUUID } from 'node:crypto';
import type { BackgroundFunction } from '../../shared/platform/background.ts';
import { kinesis } from '../../shared/platform/kinesis.ts';
import type { FunctionOf } from './functions.ts';
import { lambdaContext } from './lambda-context.ts';
import type { Report } from './report.ts';
import { startScheduler } from './scheduler.ts';
import type { StateFolder } from './state-folder.ts';
import { kinesisSource } from './stream/kinesis-source.ts';
import { startPoller } from './stream/poller.ts';
import { filePositions } from './stream/positions.ts';
import { within } from './time-limit.ts';

/** With the stream itself, all that the event source must not lose. */
export const POSITIONS_FOLDER = 'stream-positions';

type Background = {
  functions: readonly BackgroundFunction[];
  functionOf: FunctionOf;
  state: StateFolder;
  report: Report;
};

/** Starts what calls the functions that no caller waits for: the stream's event source and the schedules. */
export async function startBackground({ functions, functionOf, state, report }: Background) {
  const invokeOf = (declared: BackgroundFunction) => (event: unknown) => {
    const call = async () => functionOf(declared.id)(event, lambdaContext(declared, randomUUID()));
    return within(call(), declared.limits.timeoutSeconds);
  };
  const pollers = functions.flatMap((declared) =>
    'stream' in declared.trigger ? [{ declared, batchRecords: declared.trigger.batchRecords }] : [],
  );
  const started = await Promise.all([
    ...pollers.map(({ declared, batchRecords }) =>
      startPoller({
        source: kinesisSource(kinesis()),
        positions: filePositions(state.path(POSITIONS_FOLDER)),
        invoke: invokeOf(declared),
        batchRecords,
        report,
      }),
    ),
    startScheduler(functions.filter(({ trigger }) => 'everyMinutes' in trigger).map(invokeOf), report),
  ]);
  return {
    stop: async () => {
      await Promise.all(started.map((part) => part.stop()));
    },
  };
}
