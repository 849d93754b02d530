import type { DueCounts } from '../../cli/retention/count-due.ts';
import { counted } from '../analytics/words.ts';

export const isNothing = ({ leads, calls, recordings }: DueCounts): boolean => leads + calls + recordings === 0;

/** `12 leads, 3 calls, and 3 recordings`. */
export const dueText = ({ leads, calls, recordings }: DueCounts): string =>
  new Intl.ListFormat('en').format([counted(leads, 'lead'), counted(calls, 'call'), counted(recordings, 'recording')]);
