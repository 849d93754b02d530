import { Busboy } from '@fastify/busboy';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseBoundary } from '../../../../shared/http/multipart/boundary.ts';
import { parseMultipart } from '../../../../shared/http/multipart/parse-multipart.ts';
import { scanMultipart } from '../../../../shared/http/multipart/scan-multipart.ts';

type Seen = { name: string; isFile: boolean; content: string };

/** Parses a well-formed body with busboy. A part with a filename is a file (RFC 7578). */
function busboyReads(body: Buffer, boundary: string): Promise<Seen[]> {
  return new Promise((resolve, reject) => {
    const seen: Seen[] = [];
    const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
    const form = new Busboy({ headers, isPartAFile: (_name, _type, filename) => filename !== undefined });
    form.on('field', (name, value) =>
      seen.push({ name, isFile: false, content: Buffer.from(value).toString('base64') }),
    );
    form.on('file', (name, stream) => {
      const chunks: Buffer[] = [];
      const file = { name, isFile: true, content: '' };
      seen.push(file);
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        file.content = Buffer.concat(chunks).toString('base64');
      });
    });
    form.on('finish', () => resolve(seen));
    form.on('error', reject);
    form.end(body);
  });
}

const scanned = (body: Buffer, boundary: string): Seen[] => {
  const { bytes, parts } = scanMultipart(body, boundary);
  return parts.map(({ name, isFile, start, end }) => ({
    name,
    isFile,
    content: bytes.subarray(start, end).toString('base64'),
  }));
};

const BOUNDARY_CHARACTERS = "0123456789abcdefXYZ'()+_,-./:=?";
const boundaries = fc
  .string({ unit: fc.constantFrom(...BOUNDARY_CHARACTERS), minLength: 1, maxLength: 70 })
  .filter((boundary) => !boundary.endsWith(' '));

/** Escapes a name as browsers do (WHATWG HTML). */
const percent = (name: string) => name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
/** Escapes a name as clients other than browsers do. */
const backslash = (name: string) => name.replace(/[\r\n]/g, '').replace(/["\\]/g, '\\$&');

const texts = fc.string({ unit: fc.constantFrom(...'aÄ漢🎉 "%;=\\/.\'*-_~', '\n', '\r'), maxLength: 24 });
const tokens = fc.string({ unit: fc.constantFrom(...'abcXYZ019.-_'), minLength: 1, maxLength: 12 });

const parameter = (name: string) =>
  fc.oneof(
    texts.map((value) => `${name}="${percent(value).replaceAll('\\', '/')}"`),
    texts.map((value) => `${name}="${backslash(value)}"`),
    tokens.map((value) => `${name}=${value}`),
  );

const dispositions = fc
  .record({
    name: parameter('name'),
    filename: fc.option(parameter('filename'), { nil: undefined }),
    star: fc.option(
      tokens.map((value) => `filename*=UTF-8''${value}%C3%A4`),
      { nil: undefined },
    ),
    head: fc.constantFrom(
      'Content-Disposition: form-data',
      'content-disposition:form-data',
      'CONTENT-DISPOSITION: Form-Data',
    ),
    space: fc.constantFrom('; ', ';', ';  '),
  })
  .map(({ head, space, name, filename, star }) =>
    [head, name, filename, star].filter((one) => one !== undefined).join(space),
  );

/** Contents with pieces that resemble a boundary. */
const contents = (boundary: string) =>
  fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom(
          '\r\n',
          '\r\n--',
          '--',
          '\n',
          '\r',
          '\r\n\r\n',
          `--${boundary}`,
          `\r\n-${boundary}`,
          `\n--${boundary}`,
        )
        .map((text) => Buffer.from(text)),
      fc.integer({ min: 0, max: boundary.length }).map((length) => Buffer.from(`\r\n--${boundary.slice(0, length)}`)),
    ),
    { maxLength: 6 },
  );

const valid = boundaries.chain((boundary) =>
  fc.record({
    boundary: fc.constant(boundary),
    parts: fc.array(
      fc.record({
        disposition: dispositions,
        more: fc.subarray(['Content-Type: image/png', 'X-Other: ä; b="c"', 'Content-Transfer-Encoding: binary']),
        content: contents(boundary).map((pieces) => Buffer.concat(pieces)),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    preamble: fc.constantFrom('', '\r\n', 'This is a form.\r\n'),
    epilogue: fc.constantFrom('', '\r\n', '\r\nand an epilogue'),
  }),
);

test('for any form that the scan accepts, the scan and busboy read the same names, texts and file contents', async () => {
  let through = 0;
  await fc.assert(
    fc.asyncProperty(valid, async ({ boundary, parts, preamble, epilogue }) => {
      const inner = parts.flatMap(({ disposition, more, content }) => [
        Buffer.from(`--${boundary}\r\n${[disposition, ...more].join('\r\n')}\r\n\r\n`),
        content,
        Buffer.from('\r\n'),
      ]);
      const form = Buffer.concat([...inner, Buffer.from(`--${boundary}--`)]);
      const body = Buffer.concat([Buffer.from(preamble), form, Buffer.from(epilogue)]);
      let ours: Seen[];
      try {
        ours = scanned(body, boundary);
      } catch {
        // The scan rejects some of these forms, for example if a content contains the boundary.
        return;
      }
      through++;
      expect(await busboyReads(scanMultipart(body, boundary).bytes, boundary)).toEqual(
        ours.map((part) => ({
          ...part,
          content: part.isFile
            ? part.content
            : Buffer.from(Buffer.from(part.content, 'base64').toString()).toString('base64'),
        })),
      );
    }),
    { numRuns: 2_000 },
  );
  expect(through).toBeGreaterThan(800);
});

test.each([
  ['multipart/form-data; boundary=abc', 'abc'],
  ['multipart/form-data;boundary="a b:c"', 'a b:c'],
  ['Multipart/Form-Data; charset=utf-8; BOUNDARY=----WebKitFormBoundaryx', '----WebKitFormBoundaryx'],
  [`multipart/form-data; boundary=${'x'.repeat(70)}`, 'x'.repeat(70)],
  ['multipart/form-datax; boundary=abc', undefined],
  ['application/json', undefined],
])('the Content-Type %s has the boundary %s', (contentType, boundary) => {
  expect(parseBoundary(contentType)).toBe(boundary);
});

test.each([
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=""',
  'multipart/form-data; boundary="a b "',
  'multipart/form-data; boundary=a\u00e4',
  'multipart/form-data; boundary=a; boundary=b',
  `multipart/form-data; boundary=${'x'.repeat(71)}`,
])('the Content-Type %s, which has no valid boundary, is rejected', (contentType) => {
  expect(() => parseBoundary(contentType)).toThrow(/boundary/);
});

test('the boundary of a form can contain a space and all punctuation characters of RFC 2046', async () => {
  const boundary = "0aZ'()+_,-./:=? x";
  const body = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhi\r\n--${boundary}--\r\n`,
  );
  expect((await parseMultipart(body, boundary, [])).file).toEqual({ name: 'a', content: Buffer.from('hi') });
});
