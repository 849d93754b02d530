import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { aZip } from '../../../support/uploads/office-files.ts';
import { aPdf, aPng } from '../../../support/uploads/sample-files.ts';
import { aForm, BOUNDARY, FORM_HEADERS, setUpUpload } from '../../../support/uploads/upload-api.ts';

const errorBody = (code: string) => ({ error: { code, message: expect.any(String) } });
const nothing = ({ records, objects }: ReturnType<typeof setUpUpload>) => {
  expect(records).toEqual([]);
  expect(objects.size).toBe(0);
};

test.each([{ blockId: 'not a uuid' }, { organizationId: '../' }])(
  '400: rejects a form with %j, and the message names this field',
  async (wrong) => {
    const world = setUpUpload();
    const response = await world.sendFile(aPng(), 'a.png', { ...world.place, ...wrong });
    expect(response).toMatchObject({ status: 400, body: errorBody('bad_request') });
    expect(response.text).toContain(`body.${Object.keys(wrong)[0]} must be a UUID`);
    nothing(world);
  },
);

test('400: rejects an empty file, and stores nothing', async () => {
  const world = setUpUpload();
  expect(await world.sendFile(Buffer.alloc(0))).toMatchObject({ status: 400, body: errorBody('bad_request') });
  nothing(world);
});

test.each([
  [{ size: 0 }, 'body.size'],
  [{ size: 1.5 }, 'body.size'],
  [{ size: '5' }, 'body.size'],
  [{ name: '' }, 'body.name'],
  [{ mimeType: undefined }, 'body.mimeType'],
  [{ blockId: 'x' }, 'body.blockId'],
])('400: rejects an announcement with %j, and names %s', async (said, path) => {
  const world = setUpUpload();
  const response = await world.announce(said);
  expect(response.status).toBe(400);
  expect(response.text).toContain(path);
  nothing(world);
});

test('404: an unknown organization, an unknown block, and another organization’s block get the same response', async () => {
  const world = setUpUpload();
  const other = setUpUpload();
  const texts = [];
  for (const place of [
    { ...world.place, organizationId: randomUUID() },
    { ...world.place, blockId: randomUUID() },
    { ...world.place, blockId: other.place.blockId },
    { ...world.place, organizationId: other.place.organizationId },
  ]) {
    for (const response of [await world.sendFile(aPng(), 'a.png', place), await world.announce(place)]) {
      expect(response.status).toBe(404);
      texts.push(response.text);
    }
  }
  expect(new Set(texts).size).toBe(1);
  nothing(world);
  expect(world.limits.taken('upload-bytes-day')).toBe(0);
});

test('413: a form over the maximum size is rejected, and does not count towards the rate limit', async () => {
  const world = setUpUpload();
  const bytes = Buffer.alloc(4 * 1024 * 1024 + 100 * 1024);
  const response = await world.sendBytes(bytes);
  expect(response).toMatchObject({ status: 413, body: errorBody('payload_too_large') });
  expect(response.text).toContain(
    'A form must have at most 4292608 bytes. A file in a form must have at most 4194304 bytes. ' +
      'Announce a larger file with JSON: POST /api/v2/public/funnel/upload with Content-Type application/json.',
  );
  expect(world.limits.taken('funnel-upload-60s')).toBe(0);
  nothing(world);
});

test('413: rejects a file of more than 4 MB in a form, and says how to send a larger file', async () => {
  const world = setUpUpload();
  const response = await world.sendFile(Buffer.concat([aPdf(), Buffer.alloc(4 * 1024 * 1024)]), 'a.pdf');
  expect(response.status).toBe(413);
  expect(response.text).toContain('Announce a larger file with JSON');
  nothing(world);
});

test('413: rejects a file of more than 4 MB in a form before it checks the other fields and the block', async () => {
  const world = setUpUpload();
  const content = Buffer.concat([aPdf(), Buffer.alloc(4 * 1024 * 1024 + 1 - aPdf().length, ' ')]);
  for (const wrong of [{ blockId: randomUUID() }, { organizationId: randomUUID() }, { blockId: 'x' }]) {
    expect((await world.sendFile(content, 'a.pdf', { ...world.place, ...wrong })).status).toBe(413);
  }
  nothing(world);
});

test('413: rejects a file over the limit of the block, whether it is sent in a form or announced for a direct upload', async () => {
  const world = setUpUpload({ block: { bytesMax: 40 } });
  expect((await world.sendFile(aPdf(), 'a.pdf')).status).toBe(413);
  expect((await world.announce({ size: 41 })).status).toBe(413);
  nothing(world);
  const standard = setUpUpload();
  expect((await standard.announce({ size: 25 * 1024 * 1024 + 1 })).status).toBe(413);
  expect((await standard.announce({ size: 25 * 1024 * 1024 })).status).toBe(200);
});

test('413: rejects an announcement of more than 1 MiB', async () => {
  const world = setUpUpload();
  expect((await world.announce({ name: 'x'.repeat(1_048_576) })).status).toBe(413);
  nothing(world);
});

test.each([undefined, '', 'text/plain', 'image/png', 'multipart/mixed; boundary=x'])(
  '415: rejects a form with the Content-Type %j',
  async (contentType) => {
    const world = setUpUpload();
    const bytes = aForm({ fields: world.place, file: { name: 'a.png', content: aPng() } });
    const headers = contentType === undefined ? {} : { 'content-type': contentType };
    expect(await world.send({ bytes, headers })).toMatchObject({
      status: 415,
      body: { error: { message: 'The Content-Type must be multipart/form-data or application/json.' } },
    });
    nothing(world);
  },
);

test('415: rejects a form whose Content-Type is not in lower case, because API Gateway damages the bytes of such a form', async () => {
  const world = setUpUpload();
  const body = aForm({ fields: world.place, file: { name: 'a.png', content: aPng() } }).toString();
  const headers = { 'content-type': `Multipart/Form-Data; boundary=${BOUNDARY}` };
  expect(await world.send({ body, headers })).toMatchObject({
    status: 415,
    body: { error: { message: 'The Content-Type multipart/form-data must be written in lower case.' } },
  });
  nothing(world);
});

test.each([
  [{ mimeType: 'image/svg+xml', name: 'a.svg' }],
  [{ mimeType: 'application/x-unknown', name: 'a' }],
  [{ mimeType: 'text/html', name: 'a.txt' }],
  [{ mimeType: 'application/pdf', name: 'a.png' }],
  [{ mimeType: 'application/pdf', name: 'a.exe' }],
])('415: rejects an announcement with %j', async (said) => {
  const world = setUpUpload();
  expect((await world.announce(said)).status).toBe(415);
  nothing(world);
});

test('415: rejects a type that the block does not list; 200: ignores the case and the parameters of listed types', async () => {
  const world = setUpUpload({ block: { acceptedTypes: ['image/*', 'Application/PDF; q=1'] } });
  expect((await world.sendFile(Buffer.from('text'), 'a.txt')).status).toBe(415);
  expect((await world.announce({ mimeType: 'text/csv', name: 'a.csv' })).status).toBe(415);
  nothing(world);
  expect((await world.sendFile(aPng(), 'a.png')).status).toBe(200);
  expect((await world.sendFile(aPdf(), 'a.pdf')).status).toBe(200);
});

test('415: rejects an SVG under any name, even if the block allows SVG', async () => {
  const world = setUpUpload({ block: { acceptedTypes: ['*/*', 'image/svg+xml', 'text/html'] } });
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
  for (const name of ['a.svg', 'a.txt', 'a.png', 'a']) expect((await world.sendFile(svg, name)).status).toBe(415);
  nothing(world);
});

test('415: rejects an archive with a folder that is named like a property of Object.prototype', async () => {
  const world = setUpUpload();
  const archive = aZip(['[Content_Types].xml', 'constructor/document.xml']);
  expect((await world.sendFile(archive, 'letter.docx')).status).toBe(415);
  nothing(world);
});

test('429: rejects the 31st request of a client address in a minute, even with an invalid body, and serves other addresses', async () => {
  const world = setUpUpload();
  for (let call = 0; call < 30; call++) await world.sendBytes(Buffer.from('malformed'));
  const refused = await world.sendBytes(Buffer.from('malformed'));
  expect(refused).toMatchObject({
    status: 429,
    body: errorBody('rate_limited'),
    headers: { 'retry-after': expect.any(String), 'ratelimit-limit': '30', 'ratelimit-remaining': '0' },
  });
  const other = await world.send({ bytes: Buffer.from('x'), headers: FORM_HEADERS, ip: '192.0.2.9' });
  expect(other.status).toBe(400);
});

test('429: rejects a file over the organization’s daily quota, and does not count its bytes', async () => {
  const limit = 2 * aPng().length;
  const world = setUpUpload({ organization: { limits: { uploadBytesPerDay: limit } } });
  const statuses = [];
  for (let file = 0; file < 3; file++) statuses.push((await world.sendFile(aPng())).status);
  expect(statuses).toEqual([200, 200, 429]);
  expect(world.records).toHaveLength(2);
  expect(world.objects.size).toBe(2);
  expect(world.limits.taken('upload-bytes-day')).toBe(limit);
  expect((await world.announce({ size: 1 })).status).toBe(429);
});
