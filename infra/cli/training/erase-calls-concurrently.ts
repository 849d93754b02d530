import { type EraseCallResult, type ErasedParts, NOTHING_ERASED } from '../../../shared/training/erase-call.ts';

/** The sum of several erasures, and the ids of the calls that were not erased. */
export type EraseCallsReport = ErasedParts & {
  calls: number;
  notEnded: string[];
  unknown: string[];
  failed: { callId: string; cause: unknown }[];
};

/** Maximum number of concurrent erasures. */
const CONCURRENCY = 4;

/** Erases calls. A failed erasure does not stop the other erasures. */
export async function eraseCallsConcurrently(
  callIds: readonly string[],
  erase: (callId: string) => Promise<EraseCallResult>,
): Promise<EraseCallsReport> {
  const report: EraseCallsReport = { ...NOTHING_ERASED, calls: 0, notEnded: [], unknown: [], failed: [] };
  const left = [...callIds].reverse();
  const work = async () => {
    for (let callId = left.pop(); callId !== undefined; callId = left.pop()) {
      try {
        add(report, callId, await erase(callId));
      } catch (cause) {
        report.failed.push({ callId, cause });
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return report;
}

function add(report: EraseCallsReport, callId: string, { outcome, ...parts }: EraseCallResult): void {
  if (outcome === 'in_progress') report.notEnded.push(callId);
  else if (outcome === 'unknown') report.unknown.push(callId);
  else {
    report.calls += 1;
    report.transcripts += parts.transcripts;
    report.recordings += parts.recordings;
    report.conversations += parts.conversations;
  }
}
