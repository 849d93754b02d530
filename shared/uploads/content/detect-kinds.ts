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
 * Returns the possible kinds of a whole file, or none if the file is not accepted. Rejects files that are valid in two
 * formats (polyglots): a signature must be at the very start. An image, audio, video or PDF file must neither contain a
 * zip archive (zip readers search from the end) nor begin with markup (browsers look at the start).
 */
export function detectKinds(bytes: Buffer): FileKinds {
  if (hasMagicBytes(bytes, ZIP)) return toKinds(openXmlKind(bytes));
  if (hasMagicBytes(bytes, COMPOUND_FILE)) return toKinds(compoundKind(bytes));
  const kinds = detectKindsBySignature(bytes);
  if (kinds.length === 0) return isText(bytes, true) ? ['txt', 'csv'] : [];
  return beginsWithMarkup(bytes) || zipDirectory(bytes) !== undefined ? [] : kinds;
}

const toKinds = (kind: FileKinds[number] | undefined): FileKinds => (kind === undefined ? [] : [kind]);

/** Returns the possible kinds of a file by its first bytes. The other bytes are inspected later. */
export function detectKindsFromHead(head: Buffer): FileKinds {
  if (hasMagicBytes(head, ZIP)) return beginsAsOpenXml(head) ? ['docx', 'xlsx', 'pptx'] : [];
  if (hasMagicBytes(head, COMPOUND_FILE)) return ['doc', 'xls', 'ppt'];
  const kinds = detectKindsBySignature(head);
  if (kinds.length === 0) return isText(head, false) ? ['txt', 'csv'] : [];
  return beginsWithMarkup(head) ? [] : kinds;
}

/** Whether an archive begins with an entry that office programs write first. */
function beginsAsOpenXml(head: Buffer): boolean {
  if (head.length < 30) return false;
  const name = head.toString('utf8', 30, 30 + head.readUInt16LE(26));
  return /^(?:\[Content_Types\]\.xml$|(?:_rels|docProps|customXml|word|xl|ppt)\/)/.test(name);
}
