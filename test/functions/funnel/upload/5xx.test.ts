import { expect, test } from 'vitest';
import { HttpError } from '../../../../shared/http/errors.ts';
import { aPng } from '../../../support/uploads/sample-files.ts';
import { setUpUpload } from '../../../support/uploads/upload-api.ts';

const unavailable = async (): Promise<never> => {
  throw new HttpError(503, 'Files cannot be stored right now.', { headers: { 'Retry-After': '1' } });
};

test.each([
  ['the record', { uploads: { add: unavailable } }],
  ['the object', { files: { put: unavailable } }],
])('503: if %s cannot be written, the bytes are refunded to the daily quota', async (_, ports) => {
  const { sendFile, limits, objects } = setUpUpload({ ports });
  expect(await sendFile(aPng())).toMatchObject({
    status: 503,
    body: { error: { code: 'service_unavailable' } },
    headers: { 'retry-after': '1' },
  });
  expect(limits.taken('upload-bytes-day')).toBe(0);
  expect(objects.size).toBe(0);
});

test('503: if the object cannot be written, the record of the upload remains for the sweeper', async () => {
  const { sendFile, records } = setUpUpload({ ports: { files: { put: unavailable } } });
  expect((await sendFile(aPng())).status).toBe(503);
  expect(records).toMatchObject([{ state: 'stored', leads: [], dueAtMs: expect.any(Number) }]);
});

test('500: an unexpected error reveals no details', async () => {
  const { sendFile, announce } = setUpUpload({
    ports: {
      files: {
        put: async () => {
          throw new Error('secret-bucket');
        },
      },
      presign: async () => {
        throw new Error('secret-bucket');
      },
    },
  });
  for (const response of [await sendFile(aPng()), await announce({})]) {
    expect(response).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
    expect(response.text).not.toContain('secret');
  }
});
