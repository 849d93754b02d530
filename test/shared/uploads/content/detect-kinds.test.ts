import { fileTypeFromBuffer } from 'file-type';
import { describe, expect, test } from 'vitest';
import { detectKinds, detectKindsFromHead } from '../../../../shared/uploads/content/detect-kinds.ts';
import { sanitizeContent } from '../../../../shared/uploads/content/sanitize-content.ts';
import { aCompoundFile, anOfficeZip, aZip } from '../../../support/uploads/office-files.ts';
import {
  ALL_FILES,
  aGif,
  aHeic,
  aJpeg,
  anIsoFile,
  anMp3,
  aPdf,
  aPng,
  aWebm,
  jpegSegment,
} from '../../../support/uploads/sample-files.ts';

describe.each(Object.entries(ALL_FILES))('a %s file', (kind, make) => {
  test('is detected from its whole content and from its first 4 KB', () => {
    expect(detectKinds(make())).toContain(kind);
    expect(detectKindsFromHead(make().subarray(0, 4_096))).toContain(kind);
  });

  test('is detected as the same kind by the library file-type, except text and old Office files', async () => {
    const found = await fileTypeFromBuffer(make());
    const isCompound = ['doc', 'xls', 'ppt'].includes(kind);
    const isText = ['txt', 'csv'].includes(kind);
    expect(found?.ext).toBe(isText ? undefined : isCompound ? 'cfb' : kind);
  });

  test('is accepted only under an extension that fits its kind', () => {
    for (const other of Object.keys(ALL_FILES)) {
      const alike = other === kind || (kind === 'txt' && other === 'csv') || (kind === 'csv' && other === 'txt');
      const isAudio = kind === 'mp4' && other === 'm4a';
      expect(sanitizeContent(make(), `a.${other}`, undefined) !== undefined, other).toBe(alike || isAudio);
    }
  });

  test('has no kind if four binary bytes precede its content', () => {
    const moved = Buffer.concat([Buffer.from([0, 1, 2, 3]), make()]);
    expect(detectKinds(moved)).toEqual([]);
  });
});

const latin = (text: string) => Buffer.from(text, 'latin1');
const aWordFileOf = (type: string, encoding: BufferEncoding = 'utf8') =>
  aZip(
    ['[Content_Types].xml', 'word/document.xml', 'word/data.bin'],
    Buffer.from(`<Types><Override PartName="/word/data.bin" ContentType="${type}"/></Types>`, encoding),
  );
const zip = aZip(['evil.class', 'META-INF/MANIFEST.MF']);

test.each<[string, Buffer]>([
  ['a GIF that is a JAR', Buffer.concat([aGif(), zip])],
  ['a JPEG followed by an archive', Buffer.concat([aJpeg(), zip])],
  ['a PNG followed by an archive', Buffer.concat([aPng(), zip])],
  ['a PDF that is an archive', Buffer.concat([aPdf(), zip])],
  ['an MP3 that is an archive with a comment', Buffer.concat([anMp3(), zip.subarray(0, -2), latin('\x05\0hello')])],
  ['an HTML page in the comment of a JPEG', aJpeg({}, [jpegSegment(0xfe, latin('<html><script>alert(1)</script>'))])],
  ['an HTML page in a text chunk of a PNG', aPng({}, [['tEXt', latin('Comment\0<script>alert(1)</script>')]])],
  ['a GIF whose size is a script', latin('GIF89a/*\x01\0\0\0*/=1;javascript:alert(1)')],
  ['an SVG', latin('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')],
  ['an SVG after spaces', latin('\n\t  <svg/>')],
  ['an SVG after a thousand empty lines', latin(`${'\n'.repeat(1_000)}<svg/>`)],
  ['an SVG after a byte order mark and a thousand empty lines', Buffer.from(`\ufeff${'\n'.repeat(1_000)}<svg/>`)],
  ['an SVG after a hundred thousand spaces in UTF-16', Buffer.from(`\ufeff${' '.repeat(100_000)}<svg/>`, 'utf16le')],
  ['an HTML page after a byte order mark', Buffer.from('\ufeff<!doctype html>')],
  ['an HTML page in UTF-16', Buffer.from('\ufeff<html>', 'utf16le')],
  ['XML', latin('<?xml version="1.0"?><x/>')],
  ['a shell script', latin('#!/bin/sh\nrm -rf /')],
  ['a Windows executable', latin('MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff')],
  ['a Linux executable', latin('\x7fELF\x02\x01\x01\0')],
  ['a Java class', latin('\xca\xfe\xba\xbe\0\0\0\x34')],
  ['an archive', aZip(['a.txt'])],
  ['a Java archive that claims to be Word', anOfficeZip('word', 'META-INF/MANIFEST.MF')],
  ['Word with macros', anOfficeZip('word', 'word/vbaProject.bin')],
  ['Excel with macros in upper case', anOfficeZip('xl', 'xl/VBAPROJECT.BIN')],
  ['Word with macros under another name', anOfficeZip('word', 'word/vbaProject2.bin')],
  ['Word with macros under an arbitrary name', aWordFileOf('application/vnd.ms-office.vbaProject')],
  ['Word with the content type of macros', aWordFileOf('application/vnd.ms-word.document.MACROENABLED.main+xml')],
  [
    'Word whose list of content types is in UTF-16 and contains the type of macros',
    aWordFileOf('application/vnd.ms-word.document.macroEnabled.main+xml', 'utf16le'),
  ],
  ['Excel with macro sheets', anOfficeZip('xl', 'xl/macrosheets/sheet1.xml')],
  ['a binary workbook', anOfficeZip('xl', 'xl/workbook.bin')],
  ['Word with two lists of content types', anOfficeZip('word', '[content_types].xml')],
  ['PowerPoint with ActiveX', anOfficeZip('ppt', 'ppt/activeX/activeX1.bin')],
  ['both Word and Excel', anOfficeZip('word', 'xl/workbook.xml')],
  ['Word after other bytes', Buffer.concat([latin('PK\x03\x04'), anOfficeZip('word')])],
  ['Word without its end', anOfficeZip('word').subarray(0, -30)],
  ['an old Word file with macros', aCompoundFile('WordDocument', 'Macros')],
  ['an old Word file with macros in upper case', aCompoundFile('WordDocument', 'MACROS')],
  ['an old Excel file with macros', aCompoundFile('Workbook', '_VBA_PROJECT_CUR')],
  ['an installer', aCompoundFile('Installer')],
  ['an encrypted Office file', aCompoundFile('EncryptedPackage')],
  ['Matroska', aWebm('matroska')],
  ['an AVIF', anIsoFile('avif')],
  ['a raw photo', anIsoFile('crx ')],
  ['pseudorandom bytes', Buffer.from(Array.from({ length: 4_000 }, (_, index) => (index * 7_919) % 251))],
  ['one MPEG frame followed by text', latin(`\xff\xfb\x90\x00${'hello, this is not audio'.repeat(20)}`)],
  ['text with NUL', latin('name;ort\n\0')],
])('detectKinds returns no kind for %s', (_, bytes) => {
  expect(detectKinds(Buffer.from(bytes))).toEqual([]);
});

test.each<[string, Buffer]>([
  ['UTF-8', Buffer.from('Grüße aus 東京 🎉')],
  ['UTF-8 with a byte order mark', Buffer.from('\ufeffname;ort')],
  ['UTF-16, little-endian', Buffer.from('\ufeffGrüße', 'utf16le')],
  ['UTF-16, big-endian', Buffer.from('\ufeffGrüße', 'utf16le').swap16()],
  ['Windows-1252, as in CSV of spreadsheets', latin('Stra\xdfe;K\xf6ln;5 \x80\r\n')],
  ['a line with angle brackets', latin('a <b> "c"\n')],
])('detectKinds detects %s as text', (_, bytes) => {
  expect(detectKinds(bytes)).toEqual(['txt', 'csv']);
});

test('an incomplete character at the end is allowed in the first bytes of a text, but not in a whole file', () => {
  const text = Buffer.from('é'.repeat(3_000));
  for (const end of [4_095, 4_096]) expect(detectKindsFromHead(text.subarray(0, end))).toEqual(['txt', 'csv']);
  expect(detectKinds(text.subarray(0, 4_095))).toEqual([]);
});

test('a compound file is detected even if its directory is far from the beginning', () => {
  const file = aCompoundFile('WordDocument');
  const moved = Buffer.concat([
    file.subarray(0, 512),
    file.subarray(512, 1_024),
    Buffer.alloc(512 * 9),
    file.subarray(1_024),
  ]);
  moved.writeUInt32LE(10, 48);
  expect(detectKinds(moved)).toEqual(['doc']);
});

test('detectKinds, detectKindsFromHead and sanitizeContent never throw for a damaged file', () => {
  for (const make of Object.values(ALL_FILES)) {
    const whole = make();
    for (let length = 0; length < whole.length; length++) {
      detectKinds(whole.subarray(0, length));
      detectKindsFromHead(whole.subarray(0, length));
      const damaged = Buffer.from(whole);
      damaged.writeUInt8(0xff, length);
      sanitizeContent(damaged, 'a', undefined);
    }
  }
});

test('a compound file with circular tables has no kind', () => {
  const file = aCompoundFile('Anything');
  file.writeUInt32LE(1, 512 + 4);
  file.writeUInt32LE(0, 68);
  file.writeUInt32LE(0, 1_024 - 4);
  expect(detectKinds(file)).toEqual([]);
});

test('sanitizeContent accepts aliases of an extension, in upper and lower case', () => {
  expect(sanitizeContent(aHeic(), 'IMG_1.HEIF', undefined)).toBe('heic');
  expect(sanitizeContent(aJpeg(), 'photo.JPEG', undefined)).toBe('jpg');
  expect(sanitizeContent(aJpeg(), 'photo.jfif', ['image/jpeg'])).toBe('jpg');
  expect(sanitizeContent(aJpeg(), 'photo.png', undefined)).toBeUndefined();
});

describe.each(Object.getOwnPropertyNames(Object.prototype))('an entry named like the inherited property %s', (name) => {
  test('does not affect the kind of an archive', () => {
    expect(detectKinds(aZip(['[Content_Types].xml', `${name}/document.xml`]))).toEqual([]);
    expect(detectKinds(anOfficeZip('word', `${name}/document.xml`))).toEqual(['docx']);
  });

  test('does not affect the kind of a compound file', () => {
    expect(detectKinds(aCompoundFile(name))).toEqual([]);
    expect(detectKinds(aCompoundFile('Workbook', name))).toEqual(['xls']);
  });
});

test('an archive with a file `words` is not detected as Word', () => {
  expect(detectKinds(aZip(['[Content_Types].xml', 'words']))).toEqual([]);
});
