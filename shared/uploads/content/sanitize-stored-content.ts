import { createHash } from 'node:crypto';
import type { FileKind } from '../file-type.ts';
import { stripLocation } from '../media-metadata/strip-location.ts';
import { detectKinds } from './detect-kinds.ts';

/** `refused`: the content is not of that kind; `cleaned`: `content` was changed, and says no place any more. */
export type InspectionResult = 'refused' | 'unchanged' | 'cleaned';

/** Inspects the whole content of a stored file, and removes the place from an image, in place. */
export function sanitizeStoredContent(content: Buffer, kind: FileKind): InspectionResult {
  if (!detectKinds(content).includes(kind)) return 'refused';
  const before = digest(content);
  stripLocation(kind, content);
  return digest(content) === before ? 'unchanged' : 'cleaned';
}

const digest = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
