import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { attachmentDisposition } from '../../../infra/cli/uploads/file-link.ts';
import { sanitizeFileName } from '../../../shared/uploads/file-name.ts';
import { growthOf, LINEAR_GROWTH_MAX } from '../../support/growth.ts';

test.each([
  ['photo.png', 'photo.png'],
  ['C:\\Users\\Ada\\Dach.jpg', 'Dach.jpg'],
  ['../../etc/passwd', 'passwd'],
  ['..', 'file'],
  ['', 'file'],
  ['   ', 'file'],
  ['.htaccess', 'htaccess'],
  ['a.png. .', 'a.png'],
  ['a\0b\u0007.png', 'ab.png'],
  ['invoice\u202egpj.exe', 'invoicegpj.exe'],
  ['\ufeffa\u200b.png', 'a.png'],
  ['a%22b%0D%0A.png', 'a_b__.png'],
  ['con', '_con'],
  ['LPT1.txt', '_LPT1.txt'],
  ['concert.txt', 'concert.txt'],
  ['a<b>:"c"|d?*.png', 'a_b___c__d__.png'],
  ['Ele\u0301ve  \t du\n toit.pdf', 'El\u00e9ve du toit.pdf'],
  ['屋根の写真.heic', '屋根の写真.heic'],
  ['صورة السقف.jpg', 'صورة السقف.jpg'],
  ['👩‍🔧 roof.png', '👩‍🔧 roof.png'],
  ['a\ud800.png', 'a\ufffd.png'],
])('the file name %j is sanitized to %j', (sent, name) => {
  expect(sanitizeFileName(sent)).toBe(name);
});

test('a long file name is truncated between code points and keeps an extension of at most 11 characters', () => {
  expect(sanitizeFileName(`${'a'.repeat(300)}.png`)).toBe(`${'a'.repeat(251)}.png`);
  const emoji = sanitizeFileName(`${'🏠'.repeat(200)}.jpeg`);
  expect(emoji).toBe(`${'🏠'.repeat(62)}.jpeg`);
  expect(Buffer.byteLength(emoji)).toBeLessThanOrEqual(255);
});

test('a long file name that is truncated after a dot does not end with the dot', () => {
  expect(sanitizeFileName(`${'a'.repeat(252)}. .${'b'.repeat(50)}`)).toBe('a'.repeat(252));
});

test('a letter and its accent become one character, even if an invisible character was between them', () => {
  expect(sanitizeFileName('a\u0001\u0301.png')).toBe('\u00e1.png');
});

test('a sanitized name has 1 to 255 bytes, and no path, control character or lone surrogate', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (sent) => {
      const name = sanitizeFileName(sent);
      expect(Buffer.byteLength(name)).toBeGreaterThan(0);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      expect(name).not.toMatch(/[/\\\p{Cc}"*:<>?|]|^[. ]|[. ]$/u);
      expect(name.isWellFormed()).toBe(true);
      expect(sanitizeFileName(name)).toBe(name);
    }),
    { numRuns: 3_000 },
  );
});

test('a sanitized file name cannot break the Content-Disposition header of a download', () => {
  expect(attachmentDisposition('Dach (März) "1".png')).toBe(
    'attachment; filename="Dach (M_rz) _1_.png"; filename*=UTF-8\'\'Dach%20%28M%C3%A4rz%29%20%221%22.png',
  );
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (sent) => {
      expect(attachmentDisposition(sanitizeFileName(sent))).toMatch(
        /^attachment; filename="[^"\\\r\n]*"; filename\*=UTF-8''[\w.~!%-]+$/,
      );
    }),
  );
});

test.each<[string, (size: number) => string]>([
  ['dots before a letter', (size) => `a${'.'.repeat(size)}a`],
  ['white space and dots before a letter', (size) => `a${'. '.repeat(size / 2)}a`],
  ['combining marks in wrong order', (size) => `a${'\u0301\u0323'.repeat(size / 2)}.png`],
  ['path separators', (size) => '/'.repeat(size)],
])('sanitizing a file name of %s takes time linear in its length', (_, make) => {
  const sanitized = (name: string) => {
    for (let call = 0; call < 5; call++) sanitizeFileName(name);
  };
  expect(growthOf(make, sanitized, 2_000)).toBeLessThan(LINEAR_GROWTH_MAX);
});
