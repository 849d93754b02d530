import { COMPOUND, ZIP } from './detect-kinds-from-head.ts';
import { hasMagicBytes } from './iso-boxes.ts';
import { beginsWithMarkup, detectKindsBySignature, type FileKinds } from './magic-bytes.ts';
import { compoundKind, openXmlKind, zipDirectory } from './office.ts';
import { isText } from './text.ts';

/**
 * What a file is by its whole content: the kinds that it can be; none for what is not taken.
 *
 * Against files that are two things at once: the signature stands at the very start, nothing but an Office file can
 * be opened as an archive from its end, and no binary file has markup where browsers look for it. (What makes them
 * harmless is that they are only ever sent as an attachment of bytes.)
 */
export function detectKinds(bytes: Buffer): FileKinds {
  if (hasMagicBytes(bytes, ZIP)) return listed(openXmlKind(bytes));
  if (hasMagicBytes(bytes, COMPOUND)) return listed(compoundKind(bytes));
  const kinds = detectKindsBySignature(bytes);
  if (kinds.length === 0) return isText(bytes, true) ? ['txt', 'csv'] : [];
  return beginsWithMarkup(bytes) || zipDirectory(bytes) !== undefined ? [] : kinds;
}

const listed = (kind: FileKinds[number] | undefined): FileKinds => (kind === undefined ? [] : [kind]);
