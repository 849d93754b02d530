import { createHash } from 'node:crypto';
import { sniff } from './content/sniff.ts';
import type { FileKind } from './file-type.ts';
import { withoutPlace } from './privacy/without-place.ts';

/** `refused`: the content is not of that kind; `cleaned`: `content` was changed, and says no place any more. */
export type Inspected = 'refused' | 'unchanged' | 'cleaned';

/** Inspects the whole content of a stored file, and removes the place from an image, in place. */
export function inspectStored(content: Buffer, kind: FileKind): Inspected {
  if (!sniff(content).includes(kind)) return 'refused';
  const before = digest(content);
  withoutPlace(kind, content);
  return digest(content) === before ? 'unchanged' : 'cleaned';
}

const digest = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
