import { formatCount } from '../terminal/format.ts';
import type { DueCounts } from './count-due.ts';

export const isNothing = ({ leads, calls, recordings }: DueCounts): boolean => leads + calls + recordings === 0;

/** `12 leads, 3 calls, and 3 recordings`. */
export const dueText = ({ leads, calls, recordings }: DueCounts): string =>
  new Intl.ListFormat('en').format([
    formatCount(leads, 'lead'),
    formatCount(calls, 'call'),
    formatCount(recordings, 'recording'),
  ]);
