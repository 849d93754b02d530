import { hasMagicBytes } from './magic-bytes.ts';

type OfficeKind = 'doc' | 'docx' | 'xls' | 'xlsx' | 'ppt' | 'pptx';

const ENTRIES_MAX = 20_000;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 0xffff;
const END_OF_DIRECTORY = 'PK\u0005\u0006';
const DIRECTORY_ENTRY = 'PK\u0001\u0002';

/**
 * The central directory of a zip archive. `at` is its offset according to the end record, `endAt` the offset of the end
 * record.
 */
type Directory = { at: number; bytes: number; entries: number; endAt: number };

/**
 * Searches from the end of the file for a zip archive's central directory, as zip readers do. Files of other formats
 * can also contain one.
 */
export function zipDirectory(bytes: Buffer): Directory | undefined {
  const tailAt = Math.max(0, bytes.length - END_BYTES - COMMENT_BYTES_MAX);
  const tail = bytes.subarray(tailAt);
  let found = tail.lastIndexOf(END_OF_DIRECTORY, tail.length - END_BYTES, 'latin1');
  for (; found >= 0; found = found === 0 ? -1 : tail.lastIndexOf(END_OF_DIRECTORY, found - 1, 'latin1')) {
    const endAt = tailAt + found;
    if (endAt + END_BYTES > bytes.length) continue;
    const entries = bytes.readUInt16LE(endAt + 10);
    const size = bytes.readUInt32LE(endAt + 12);
    const at = bytes.readUInt32LE(endAt + 16);
    // Readers accept other bytes before an archive, so the start of the directory is calculated from its end record.
    if (size <= endAt && (size === 0 || hasMagicBytes(bytes, DIRECTORY_ENTRY, endAt - size))) {
      return { at, bytes: size, entries, endAt };
    }
  }
  return undefined;
}

const FOLDERS: ReadonlyMap<string | undefined, OfficeKind> = new Map([
  ['word', 'docx'],
  ['xl', 'xlsx'],
  ['ppt', 'pptx'],
]);
/** Names of entries with macros, and of entries that make an archive a program for Java or Android. */
const PROGRAM =
  /(?:^|\/)vba(?:project|data)[^/]*$|(?:^|\/)(?:activex|macrosheets)\/|\.class$|^meta-inf\/|^classes\.dex$|^androidmanifest\.xml$/i;
/**
 * Names of binary parts of a workbook. A workbook with such parts has another format than its name claims, and may
 * contain macros.
 */
const BINARY = /^xl\/(?:workbook|worksheets\/[^/]+)\.bin$/i;
const CONTENT_TYPES = '[Content_Types].xml';
/**
 * Matches content types of macros in the list of content types. A content type identifies a macro under any file name.
 * The NUL bytes of the list are removed before the search, so that a list in UTF-16 also matches.
 */
const MACRO_TYPE = /macroenabled|vbaproject|macrosheet|sheet\.binary/i;
const CONTENT_TYPES_BYTES_MAX = 256 * 1024;

/**
 * Returns the kind of an Office Open XML file by the names in its central directory. Returns undefined for other
 * archives, and for archives with macros, with other bytes before them or with a damaged directory. Decompresses
 * nothing, so a compressed list of content types is not read.
 */
export function openXmlKind(bytes: Buffer): OfficeKind | undefined {
  const directory = zipDirectory(bytes);
  if (directory === undefined || directory.at + directory.bytes !== directory.endAt) return undefined;
  const kinds = new Set<OfficeKind>();
  const lists: Entry[] = [];
  for (const entry of entriesIn(bytes, directory)) {
    if (entry === undefined || PROGRAM.test(entry.name) || BINARY.test(entry.name)) return undefined;
    if (entry.name.toLowerCase() === CONTENT_TYPES.toLowerCase()) lists.push(entry);
    const kind = FOLDERS.get(/^[^/]*(?=\/)/.exec(entry.name)?.[0]);
    if (kind !== undefined) kinds.add(kind);
  }
  const [types, ...others] = lists;
  if (types?.name !== CONTENT_TYPES || others.length > 0 || listsMacros(bytes, types)) return undefined;
  return kinds.size === 1 ? [...kinds][0] : undefined;
}

/** A file in an archive. `at` is the offset of its local header. */
type Entry = { name: string; isStored: boolean; size: number; at: number };

const LOCAL_HEADER_BYTES = 30;

/**
 * Whether a list of content types names macros. A compressed list is not read and counts as without macros. A list that
 * is too large, or whose header is outside of the file, counts as with macros, so that the archive is rejected.
 */
function listsMacros(bytes: Buffer, { isStored, size, at }: Entry): boolean {
  if (!isStored) return false;
  if (size > CONTENT_TYPES_BYTES_MAX || at + LOCAL_HEADER_BYTES > bytes.length) return true;
  const from = at + LOCAL_HEADER_BYTES + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  return MACRO_TYPE.test(bytes.toString('latin1', from, from + size).replaceAll('\0', ''));
}

/**
 * Yields one entry at a time, because the names together can be as long as the file. Yields undefined if the directory
 * is damaged or has too many entries.
 */
function* entriesIn(
  bytes: Buffer,
  { at: from, entries: count, endAt }: Directory,
): Generator<Entry | undefined, undefined> {
  if (count > ENTRIES_MAX) return yield undefined;
  let at = from;
  for (let index = 0; index < count; index++) {
    if (at + 46 > endAt || !hasMagicBytes(bytes, DIRECTORY_ENTRY, at)) return yield undefined;
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28);
    if (nameEnd > endAt) return yield undefined;
    yield {
      name: bytes.toString('utf8', at + 46, nameEnd).replaceAll('\\', '/'),
      isStored: bytes.readUInt16LE(at + 10) === 0,
      size: bytes.readUInt32LE(at + 20),
      at: bytes.readUInt32LE(at + 42),
    };
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return at === endAt ? undefined : yield undefined;
}

const STREAMS: ReadonlyMap<string, OfficeKind> = new Map([
  ['WordDocument', 'doc'],
  ['Workbook', 'xls'],
  ['Book', 'xls'],
  ['PowerPoint Document', 'ppt'],
]);
/** Names of macros in lower case, because names in compound files are case-insensitive ([MS-CFB] 2.6.4). */
const MACROS: ReadonlySet<string> = new Set(['macros', '_vba_project_cur', 'vba', '_vba_project']);
const SECTORS_MAX = 4_096;
const ENTRY_BYTES = 128;
const HEADER_TABLES = 109;

/**
 * Returns the kind of a compound file ([MS-CFB]) by the streams in its directory, or undefined for another kind, a
 * damaged file or a file with macros.
 */
export function compoundKind(bytes: Buffer): OfficeKind | undefined {
  if (bytes.length < 512) return undefined;
  const names = new Set<string>();
  for (const sector of directorySectors(bytes)) {
    for (let at = 0; at + ENTRY_BYTES <= sector.length; at += ENTRY_BYTES) {
      const nameBytes = sector.readUInt16LE(at + 64);
      if (nameBytes >= 2 && nameBytes <= 64) names.add(sector.toString('utf16le', at, at + nameBytes - 2));
    }
  }
  const kinds = new Set([...names].flatMap((name) => STREAMS.get(name) ?? []));
  return kinds.size === 1 && ![...names].some((name) => MACROS.has(name.toLowerCase())) ? [...kinds][0] : undefined;
}

function* directorySectors(bytes: Buffer): Generator<Buffer> {
  const sectorBytes = 1 << bytes.readUInt16LE(30);
  if (sectorBytes !== 512 && sectorBytes !== 4_096) return;
  const sectorAt = (index: number) => (index + 1) * sectorBytes;
  const wordAt = (at: number) => (at + 4 <= bytes.length ? bytes.readUInt32LE(at) : Number.MAX_SAFE_INTEGER);
  const perTable = sectorBytes / 4;
  // A chain of sectors can be cyclic, so it is not followed for more sectors than the file has.
  const sectors = Math.ceil(bytes.length / sectorBytes);
  const tablesMax = HEADER_TABLES + Math.ceil(sectors / perTable);
  const tables: number[] = [];
  for (let index = 0; index < HEADER_TABLES; index++) tables.push(wordAt(76 + index * 4));
  // Large files have more tables than their header can list. They list the other tables in a chain of sectors.
  let next = wordAt(68);
  while (tables.length < tablesMax && sectorAt(next) < bytes.length) {
    for (let index = 0; index < perTable - 1; index++) tables.push(wordAt(sectorAt(next) + index * 4));
    next = wordAt(sectorAt(next) + sectorBytes - 4);
  }
  let sector = wordAt(48);
  for (let count = 0; count < Math.min(SECTORS_MAX, sectors) && sectorAt(sector) < bytes.length; count++) {
    yield bytes.subarray(sectorAt(sector), sectorAt(sector) + sectorBytes);
    const table = tables[Math.floor(sector / perTable)] ?? Number.MAX_SAFE_INTEGER;
    sector = wordAt(sectorAt(table) + (sector % perTable) * 4);
  }
}
