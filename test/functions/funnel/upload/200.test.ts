import { expect, test } from 'vitest';
import { ALL_FILES, aPdf, aPng } from '../../../support/uploads/sample-files.ts';
import { aForm, BOUNDARY, FORM_HEADERS, setUpUpload } from '../../../support/uploads/upload-api.ts';

const UUID = expect.stringMatching(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/);

test('200: the file is stored under a key that does not reveal its name, and the response contains its record', async () => {
  const { sendFile, place, records, objects } = setUpUpload();
  const { status, body } = await sendFile(aPng(), 'Dach im März.png');
  const { data } = body as { data: { uuid: string; storagePath: string } };
  expect({ status, data }).toEqual({
    status: 200,
    data: {
      uuid: UUID,
      name: 'Dach im März.png',
      size: aPng().length,
      mimeType: 'image/png',
      storagePath: `${place.organizationId}/${place.blockId}/${data.uuid}.png`,
    },
  });
  expect(objects.get(data.storagePath)).toEqual(aPng());
  expect(records).toMatchObject([{ ...data, state: 'stored', isInspected: true }]);
});

test.each(Object.entries(ALL_FILES))(
  '200: accepts a %s file with each file name that fits its type',
  async (kind, make) => {
    const { sendFile, objects } = setUpUpload();
    for (const name of [`a.${kind}`, `B.${kind.toUpperCase()}`, ...(kind === 'csv' ? [] : ['a'])]) {
      const { status, body } = await sendFile(make(), name);
      expect(status).toBe(200);
      const { storagePath } = (body as { data: { storagePath: string } }).data;
      expect(storagePath).toMatch(new RegExp(`\\.${kind}$`));
      expect(objects.get(storagePath)).toEqual(make());
    }
  },
);

test('200: accepts the fields of a form in any order, and unknown text fields', async () => {
  const { send, place } = setUpUpload();
  const file = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n${aPdf()}\r\n`;
  const rest = aForm({ fields: { ...place, page: 'https://shop.example', 'a%22b': 'x' } });
  expect((await send({ bytes: Buffer.concat([Buffer.from(file), rest]), headers: FORM_HEADERS })).status).toBe(200);
});

test('200: accepts a file of exactly 4 MB, and a header name in upper case', async () => {
  const { send, place } = setUpUpload();
  const content = Buffer.concat([aPdf(), Buffer.alloc(4 * 1024 * 1024 - aPdf().length, ' ')]);
  const bytes = aForm({ fields: place, file: { name: 'a.pdf', content } });
  const headers = { 'CONTENT-TYPE': FORM_HEADERS['content-type'] };
  expect(await send({ bytes, headers })).toMatchObject({ status: 200, body: { data: { size: content.length } } });
});

test('200: accepts a form with a UTF-8 text file, even if the gateway passes the form as text instead of base64', async () => {
  const { send, place } = setUpUpload();
  const body = aForm({ fields: place, file: { name: 'a.txt', content: Buffer.from('Grüße') } }).toString();
  expect(await send({ body, headers: FORM_HEADERS })).toMatchObject({ status: 200, body: { data: { size: 7 } } });
});

test('200: an announced file gets a record and an upload URL, and no object is stored', async () => {
  const { announce, place, records, objects } = setUpUpload();
  const { status, body } = await announce({ name: 'C:\\Pläne\\Haus.pdf' });
  const { data } = body as { data: { uuid: string; storagePath: string } };
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      data: {
        uuid: UUID,
        name: 'Haus.pdf',
        size: 5_000_000,
        mimeType: 'application/pdf',
        storagePath: `${place.organizationId}/${place.blockId}/${data.uuid}.pdf`,
      },
      upload: { url: expect.any(String), fields: { key: data.storagePath }, expiresAt: expect.any(String) },
    },
  });
  expect(records).toMatchObject([{ uuid: data.uuid, state: 'pending', isInspected: false }]);
  expect(objects.size).toBe(0);
});

test('200: the daily quota counts the announced size if a file is announced, and the bytes if a file is sent in a form', async () => {
  const { announce, sendFile, limits } = setUpUpload();
  expect((await announce({ size: 5_000_000 })).status).toBe(200);
  expect((await sendFile(aPng())).status).toBe(200);
  expect(limits.taken('upload-bytes-day')).toBe(5_000_000 + aPng().length);
});

test('200: writes the record before the object, so that every object has a record', async () => {
  const order: string[] = [];
  const { sendFile } = setUpUpload({
    ports: {
      uploads: { add: async () => void order.push('record') },
      files: { put: async () => void order.push('object') },
    },
  });
  expect((await sendFile(aPng())).status).toBe(200);
  expect(order).toEqual(['record', 'object']);
});
