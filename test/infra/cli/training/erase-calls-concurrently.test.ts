import { expect, test } from 'vitest';
import { eraseCallsConcurrently } from '../../../../infra/cli/training/erase-calls-concurrently.ts';
import { type EraseCallResult, NOTHING_ERASED } from '../../../../shared/training/erase-call.ts';

test('if the erasure of a call fails, the other calls are erased; the report lists every call that was not erased', async () => {
  const outcomes: Record<string, EraseCallResult['outcome']> = { pending: 'in_progress', other: 'unknown' };
  const report = await eraseCallsConcurrently(['first', 'failing', 'pending', 'other', 'last'], async (callId) => {
    if (callId === 'failing') throw new Error('down');
    const outcome = outcomes[callId] ?? 'erased';
    if (outcome !== 'erased') return { ...NOTHING_ERASED, outcome };
    return { transcripts: 2, recordings: 1, conversations: 1, outcome };
  });
  expect(report).toEqual({
    calls: 2,
    transcripts: 4,
    recordings: 2,
    conversations: 2,
    notEnded: ['pending'],
    unknown: ['other'],
    failed: [{ callId: 'failing', cause: expect.any(Error) }],
  });
});
