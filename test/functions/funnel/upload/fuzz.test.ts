import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { HTTP_ERROR_CODES } from '../../../../shared/http/errors.ts';
import { aPng } from '../../../support/uploads/sample-files.ts';
import { aForm, BOUNDARY, setUpUpload } from '../../../support/uploads/upload-api.ts';

const MS_MAX = 1_000;
const GROWTH_MAX = 64 * 1024 * 1024;

const { send, sendFile, place, records } = setUpUpload();
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name=`;
const END = `--${BOUNDARY}--\r\n`;
const valid = aForm({ fields: place, file: { name: 'photo.png', content: aPng() } });

let bodies = 0;
const outcomes = new Map<number, number>();
let address = 0;
/** Returns an address in a new /48 each time, so that the rate limit of an address does not apply. */
const anAddress = () => `2001:${(++address >> 16).toString(16)}:${(address & 0xffff).toString(16)}::1`;

/** Sends arbitrary bytes. Asserts that the response is a success or an ApiError, within bounded time and memory. */
async function probe(body: Buffer, contentType = `multipart/form-data; boundary=${BOUNDARY}`): Promise<number> {
  const before = process.memoryUsage();
  const start = process.cpuUsage();
  const response = await send({ bytes: body, headers: { 'content-type': contentType }, ip: anAddress() });
  // Measures CPU time, which does not depend on the load of the machine.
  const { user, system } = process.cpuUsage(start);
  const took = (user + system) / 1_000;
  const after = process.memoryUsage();
  bodies++;
  outcomes.set(response.status, (outcomes.get(response.status) ?? 0) + 1);
  expect(took).toBeLessThan(MS_MAX);
  expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(GROWTH_MAX);
  if (response.status === 200) return 200;
  expect([400, 404, 413, 415]).toContain(response.status);
  expect(response.body).toEqual({ error: { code: expect.any(String), message: expect.any(String) } });
  expect(HTTP_ERROR_CODES).toContain((response.body as { error: { code: string } }).error.code);
  return response.status;
}

const unhandled = vi.fn();
beforeEach(() => {
  process.on('unhandledRejection', unhandled);
  return async () => {
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    // The process must be alive, and the next request must succeed.
    expect((await send({ bytes: valid, headers: formHeaders, ip: anAddress() })).status).toBe(200);
  };
});
const formHeaders = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

afterAll(() => {
  console.log(`fuzz: ${bodies} bodies, by status ${JSON.stringify(Object.fromEntries([...outcomes].sort()))}`);
  expect(bodies).toBeGreaterThanOrEqual(5_000);
});

test('400: if a valid body is cut off anywhere before its final line break, nothing is stored', async () => {
  for (let length = 0; length < valid.length - '\r\n'.length; length++) {
    const stored = records.length;
    expect(await probe(valid.subarray(0, length))).toBe(400);
    expect(records).toHaveLength(stored);
  }
});

const text = (name: string, value: string) => `${PART}"${name}"\r\n\r\n${value}\r\n`;
const fields = Object.entries(place)
  .map(([name, value]) => text(name, value))
  .join('');
const file = `${PART}"file"; filename="a.png"\r\n\r\n${aPng().toString('latin1')}\r\n`;

test.each<[string, string]>([
  ['no bytes at all', ''],
  ['a nameless part', `--${BOUNDARY}\r\nContent-Disposition: form-data\r\n\r\nx\r\n${fields}${file}${END}`],
  ['a nameless file', `--${BOUNDARY}\r\nContent-Disposition: form-data; filename="a.png"\r\n\r\nx\r\n${fields}${END}`],
  ['a part without headers', `--${BOUNDARY}\r\n\r\nx\r\n${fields}${file}${END}`],
  ['a part without its empty line', `${PART}"file"; filename="a.png"\r\n${fields}${END}`],
  ['a header without a colon', `--${BOUNDARY}\r\nContent-Disposition form-data\r\n\r\nx\r\n${fields}${file}${END}`],
  ['a folded header', `${PART}"a"\r\n b\r\n\r\nx\r\n${fields}${file}${END}`],
  ['a header twice', `${PART}"a"\r\nContent-Disposition: form-data; name="b"\r\n\r\nx\r\n${fields}${file}${END}`],
  ['a header that never ends', `${PART}"a"\r\nX-Endless: ${'x'.repeat(2_000_000)}`],
  ['headers without an end', `${PART}"a"\r\n${'X-More: y\r\n'.repeat(100_000)}`],
  ['a header of 9 KB', `${PART}"a"\r\nX-Long: ${'x'.repeat(9_000)}\r\n\r\nx\r\n${fields}${file}${END}`],
  [
    '17 header lines',
    `${PART}"a"\r\n${Array.from({ length: 16 }, (_, index) => `X-${index}: y\r\n`).join('')}\r\nx\r\n${fields}${file}${END}`,
  ],
  [
    'a form in a form',
    `${PART}"a"\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b--\r\n${fields}${file}${END}`,
  ],
  ['an encoded part', `${PART}"a"\r\nContent-Transfer-Encoding: base64\r\n\r\neA==\r\n${fields}${file}${END}`],
  ['10,000 parts', `${text('a', 'b').repeat(10_000)}${END}`],
  ['10,000 empty parts', `--${BOUNDARY}\r\n`.repeat(10_000) + END],
  ['another boundary', `${fields}${file}${END}`.replaceAll(BOUNDARY, 'another')],
  ['a longer boundary', `${fields}${file}${END}`.replaceAll(BOUNDARY, `${BOUNDARY}x`)],
  ['line ends without carriage returns', `${fields}${file}${END}`.replaceAll('\r\n', '\n')],
  ['line ends without line feeds', `${fields}${file}${END}`.replaceAll('\r\n', '\r')],
  ['no last boundary', `${fields}${file}`],
  ['two files', `${fields}${file}${file}${END}`],
  ['a file under another name', `${fields}${file.replace('"file"', '"photo"')}${END}`],
  ['a file and a text with the same name', `${fields}${file}${text('file', 'x')}${END}`],
  ['no file', `${fields}${END}`],
  ['a list and a text with the same name', `${text('a', 'x')}${text('a[]', 'y')}${fields}${file}${END}`],
  ['a block twice', `${fields}${fields}${file}${END}`],
  ['a block of 300 bytes', `${fields.replace(place.blockId, 'x'.repeat(300))}${file}${END}`],
  ['a block that is a file', `${fields.replace('"blockId"', '"blockId"; filename="x"')}${file}${END}`],
  ['a second name as name*', `${fields}${PART}"x"; name*=UTF-8''file; filename="a"\r\n\r\nx\r\n${END}`],
  ['a file name with a line break', `${fields}${PART}"file"; filename*=UTF-8''a%0D%0Ab.png\r\n\r\nx\r\n${END}`],
  ['NUL in a header', `${PART}"a\0"\r\n\r\nx\r\n${fields}${file}${END}`],
  ['a boundary within a header', `${PART}"a"\r\nX: y\r\n--${BOUNDARY}\r\n\r\nx\r\n${fields}${file}${END}`],
])('400: rejects a form with %s, and stores nothing', async (_, body) => {
  const stored = records.length;
  expect(await probe(Buffer.from(body, 'latin1'))).toBe(400);
  expect(records).toHaveLength(stored);
});

/** Creates a generator of pseudorandom numbers, which are the same in every run. */
function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

test('random mutations of a valid body get a success or a well-formed error', async () => {
  const random = seededRandom(7);
  const pieces = [
    '\r\n',
    '\r\n\r\n',
    `--${BOUNDARY}`,
    `--${BOUNDARY}--`,
    ';',
    '"',
    '\\',
    'name',
    'filename=""',
    '\0',
    ':',
    '%0D%0A',
  ];
  for (let run = 0; run < 6_000; run++) {
    let body = Buffer.from(valid);
    for (let step = 0; step <= random(4); step++) {
      const from = random(body.length);
      const to = Math.min(body.length, from + random(80));
      const piece = Buffer.from(pieces[random(pieces.length)] ?? '');
      const ways = [
        () => [body.subarray(0, from), body.subarray(to)],
        () => [body.subarray(0, to), body.subarray(from)],
        () => [body.subarray(0, from), piece, body.subarray(from)],
        () => [body.subarray(0, from), piece, body.subarray(to)],
        () => [body.subarray(0, from), Buffer.from([random(256)]), body.subarray(from + 1)],
      ];
      body = Buffer.concat(ways[random(ways.length)]?.() ?? []);
      if (body.length === 0) break;
    }
    await probe(body);
  }
});

test('random bytes and random sequences of form parts get a success or a well-formed error', async () => {
  const random = seededRandom(11);
  const words = [
    `--${BOUNDARY}`,
    '--',
    '\r\n',
    '\n',
    'Content-Disposition: form-data',
    '; name="file"',
    '; filename="a.png"',
    '; name=blockId',
    ' ',
    'x',
    '\0',
    '"',
    'Content-Type: image/png',
    place.blockId,
  ];
  for (let run = 0; run < 1_200; run++) {
    const grammar = Array.from({ length: random(40) }, () => words[random(words.length)]).join('');
    await probe(
      run % 4 === 0 ? Buffer.from(Array.from({ length: random(600) }, () => random(256))) : Buffer.from(grammar),
    );
  }
});

test('a body that slows down the search for the boundary is handled within bounded time', async () => {
  for (const boundary of ['a'.repeat(70), '-'.repeat(70), `${'-'.repeat(69)}x`]) {
    for (const filling of ['a', '-', '\r\n', '\r\n-', `\r\n--${boundary.slice(0, 69)}`, '\r\n--']) {
      const content = Buffer.alloc(4_000_000, filling);
      await probe(
        aForm({ fields: place, file: { name: 'a.txt', content }, boundary }),
        `multipart/form-data; boundary=${boundary}`,
      );
    }
  }
});

test('a valid file is accepted', async () => {
  expect((await sendFile(aPng())).status).toBe(200);
});
