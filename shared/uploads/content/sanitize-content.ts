import { createHash } from 'node:crypto';
import { type FileKind, isAccepted, kindOfName } from '../file-type.ts';
import { stripLocation } from '../media-metadata/strip-location.ts';
import { detectKinds } from './detect-kinds.ts';

/**
 * Detects the kind of a whole file and removes the location from an image or movie, in place.
 *
 * @param accepted media types of the block; undefined: all that the service accepts
 * @returns undefined if content and name don't agree, or the kind is not accepted
 */
export function sanitizeContent(
  content: Buffer,
  name: string,
  accepted: readonly string[] | undefined,
): FileKind | undefined {
  const named = kindOfName(name);
  const kind = detectKinds(content).find((one) => (named === 'none' || named === one) && isAccepted(one, accepted));
  if (kind !== undefined) stripLocation(kind, content);
  return kind;
}

/**
 * `rejected`: the content is not of the expected kind. `altered`: metadata that can contain a location was removed from
 * `content`.
 */
export type StoredContentResult = 'rejected' | 'unchanged' | 'altered';

/** Inspects the whole content of a stored file and removes the location from an image or movie, in place. */
export function sanitizeStoredContent(content: Buffer, kind: FileKind): StoredContentResult {
  if (!detectKinds(content).includes(kind)) return 'rejected';
  const before = digest(content);
  stripLocation(kind, content);
  return digest(content) === before ? 'unchanged' : 'altered';
}

const digest = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
