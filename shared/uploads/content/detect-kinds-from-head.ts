import { hasMagicBytes } from './iso-boxes.ts';
import { beginsWithMarkup, detectKindsBySignature, type FileKinds } from './magic-bytes.ts';
import { isText } from './text.ts';

export const ZIP = 'PK\u0003\u0004';
export const COMPOUND = '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1';

/** What a file can be by its first bytes; what only the rest could tell is taken on trust until that is read. */
export function detectKindsFromHead(head: Buffer): FileKinds {
  if (hasMagicBytes(head, ZIP)) return beginsAsOpenXml(head) ? ['docx', 'xlsx', 'pptx'] : [];
  if (hasMagicBytes(head, COMPOUND)) return ['doc', 'xls', 'ppt'];
  const kinds = detectKindsBySignature(head);
  if (kinds.length === 0) return isText(head, false) ? ['txt', 'csv'] : [];
  return beginsWithMarkup(head) ? [] : kinds;
}

/** The first entry of an archive as Office and its like write it. */
function beginsAsOpenXml(head: Buffer): boolean {
  if (head.length < 30) return false;
  const name = head.toString('utf8', 30, 30 + head.readUInt16LE(26));
  return /^(?:\[Content_Types\]\.xml$|(?:_rels|docProps|customXml|word|xl|ppt)\/)/.test(name);
}
