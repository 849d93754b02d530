import {
  beginsWithMarkup,
  COMPOUND_FILE,
  detectKindsBySignature,
  type FileKinds,
  hasMagicBytes,
  ZIP,
} from './magic-bytes.ts';
import { compoundKind, openXmlKind, zipDirectory } from './office.ts';
import { isText } from './text.ts';

/**
 * The kinds that a file can be by its whole content; none when it is not accepted.
 *
 * Rejects polyglots, files that are valid in two formats: the signature must be at the very start, only an Office file
 * may be readable as an archive from its end, and no binary file may have markup where browsers look for it. Downloads
 * are attachments of opaque bytes in addition.
 */
export function detectKinds(bytes: Buffer): FileKinds {
  if (hasMagicBytes(bytes, ZIP)) return toKinds(openXmlKind(bytes));
  if (hasMagicBytes(bytes, COMPOUND_FILE)) return toKinds(compoundKind(bytes));
  const kinds = detectKindsBySignature(bytes);
  if (kinds.length === 0) return isText(bytes, true) ? ['txt', 'csv'] : [];
  return beginsWithMarkup(bytes) || zipDirectory(bytes) !== undefined ? [] : kinds;
}

const toKinds = (kind: FileKinds[number] | undefined): FileKinds => (kind === undefined ? [] : [kind]);

/** The kinds that a file can be by its first bytes. What depends on the rest is assumed until the rest is inspected. */
export function detectKindsFromHead(head: Buffer): FileKinds {
  if (hasMagicBytes(head, ZIP)) return beginsAsOpenXml(head) ? ['docx', 'xlsx', 'pptx'] : [];
  if (hasMagicBytes(head, COMPOUND_FILE)) return ['doc', 'xls', 'ppt'];
  const kinds = detectKindsBySignature(head);
  if (kinds.length === 0) return isText(head, false) ? ['txt', 'csv'] : [];
  return beginsWithMarkup(head) ? [] : kinds;
}

/** Whether the first entry of an archive is one that office programs write first. */
function beginsAsOpenXml(head: Buffer): boolean {
  if (head.length < 30) return false;
  const name = head.toString('utf8', 30, 30 + head.readUInt16LE(26));
  return /^(?:\[Content_Types\]\.xml$|(?:_rels|docProps|customXml|word|xl|ppt)\/)/.test(name);
}
