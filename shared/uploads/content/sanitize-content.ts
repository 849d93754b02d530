import { type FileKind, isAccepted, kindOfName } from '../file-type.ts';
import { stripLocation } from '../media-metadata/strip-location.ts';
import { detectKinds } from './detect-kinds.ts';

/**
 * What a whole file is, if its content and its name agree and it is accepted; of an image, the place where it was
 * taken is gone from `content` then. In a module of its own with all that knows file formats, which is evaluated for
 * the requests that bring a file.
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
