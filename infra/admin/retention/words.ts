import type { Due } from '../../../shared/retention/preview.ts';
import { counted } from '../analytics/words.ts';

export const isNothing = ({ leads, calls, recordings }: Due): boolean => leads + calls + recordings === 0;

/** `12 leads, 3 calls, and 3 recordings`. */
export const dueText = ({ leads, calls, recordings }: Due): string =>
  new Intl.ListFormat('en').format([counted(leads, 'lead'), counted(calls, 'call'), counted(recordings, 'recording')]);
