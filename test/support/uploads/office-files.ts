import { crc32 } from 'node:zlib';
import { latin, u16, u32 } from './bytes.ts';

/** An archive whose entries are stored without compression. */
export function aZip(names: readonly string[], content = latin('content')): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const name of names) {
    const sizes = Buffer.concat([u32(crc32(content), true), u32(content.length, true), u32(content.length, true)]);
    const common = Buffer.concat([
      u16(20, true),
      u16(0),
      u16(0),
      u32(0),
      sizes,
      u16(Buffer.byteLength(name), true),
      u16(0),
    ]);
    const local = Buffer.concat([latin('PK\x03\x04'), common, Buffer.from(name), content]);
    entries.push(
      Buffer.concat([
        latin('PK\x01\x02'),
        u16(20, true),
        common,
        u16(0),
        u16(0),
        u16(0),
        u32(0),
        u32(at, true),
        Buffer.from(name),
      ]),
    );
    locals.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(entries);
  const count = u16(names.length, true);
  const end = Buffer.concat([
    latin('PK\x05\x06'),
    u32(0),
    count,
    count,
    u32(directory.length, true),
    u32(at, true),
    u16(0),
  ]);
  return Buffer.concat([...locals, directory, end]);
}

const MAIN_PARTS = { word: 'wordprocessingml.document', xl: 'spreadsheetml.sheet', ppt: 'presentationml.presentation' };

export const anOfficeZip = (folder: keyof typeof MAIN_PARTS, ...more: string[]): Buffer =>
  aZip(
    ['[Content_Types].xml', '_rels/.rels', `${folder}/document.xml`, ...more],
    latin(
      `<Types><Override PartName="/${folder}/document.xml" ` +
        `ContentType="application/vnd.openxmlformats-officedocument.${MAIN_PARTS[folder]}.main+xml"/></Types>`,
    ),
  );

/** A compound file: header, a table of sectors, and one sector of its directory. */
export function aCompoundFile(...names: string[]): Buffer {
  const header = Buffer.alloc(512, 0xff);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.fill(0, 8, 24);
  Buffer.concat([u16(0x3e, true), u16(3, true), u16(0xfffe, true), u16(9, true), u16(6, true)]).copy(header, 24);
  header.writeUInt32LE(1, 44);
  header.writeUInt32LE(1, 48);
  header.writeUInt32LE(0, 76);
  const table = Buffer.alloc(512, 0xff);
  table.writeUInt32LE(0xfffffffd, 0);
  table.writeUInt32LE(0xfffffffe, 4);
  const directory = Buffer.alloc(512);
  ['Root Entry', ...names].forEach((name, index) => {
    directory.write(name, index * 128, 'utf16le');
    directory.writeUInt16LE(name.length * 2 + 2, index * 128 + 64);
  });
  return Buffer.concat([header, table, directory]);
}
