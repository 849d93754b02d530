import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { HttpError } from '../../../shared/http/errors.ts';
import { ANALYTICS_READS } from '../../support/analytics/analytics-api.ts';

describe.each(ANALYTICS_READS)('$name', ({ setUp }) => {
  test.each(['orgId', 'funnelId'])('400: names the malformed path parameter %s, and reads no facts', async (name) => {
    const { get, reads } = await setUp();
    const response = await get({}, {}, { [name]: '../admin' });
    expect(response).toMatchObject({ status: 400, body: { error: { message: `path.${name} must be a UUID.` } } });
    expect(reads).toEqual([]);
  });

  test('400: an invalid query is reported even if the funnel does not exist', async () => {
    const { get } = await setUp();
    expect((await get({ range: 'custom' }, {}, { funnelId: randomUUID() })).status).toBe(400);
  });

  test('401: a missing token is reported before an invalid query, and no facts are read', async () => {
    const { send, orgId, funnelId, reads } = await setUp();
    for (const query of [{}, { range: '14d' }])
      expect((await send({ path: { orgId, funnelId }, query })).status).toBe(401);
    expect(reads).toEqual([]);
  });

  test('403: a user who is not a member gets the same status for any funnel id and any query', async () => {
    const { send, orgId, funnelId, as, reads } = await setUp();
    for (const id of [funnelId, randomUUID()])
      for (const query of [{}, { range: '14d' }])
        expect((await send({ path: { orgId, funnelId: id }, query, headers: as('stranger') })).status).toBe(403);
    expect(reads).toEqual([]);
  });

  test('404: for an unknown funnel, no facts are read', async () => {
    const { get, reads } = await setUp();
    const response = await get({}, {}, { funnelId: randomUUID() });
    expect(response).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    expect(reads).toEqual([]);
  });

  test('429: the 241st request of a user in one clock minute is rejected', async () => {
    const { get, reads } = await setUp();
    for (let call = 0; call < 240; call++) await get();
    expect(await get()).toMatchObject({ status: 429, headers: { 'ratelimit-limit': '240' } });
    expect(reads).toHaveLength(240);
  });

  test('500: if the facts cannot be read, the response does not reveal the error', async () => {
    const fresh = { read: () => Promise.reject(new Error('facts/abc.parquet is damaged')) };
    const { get } = await setUp({ ports: { fresh } });
    const response = await get({}, { 'if-none-match': '*' });
    expect(response).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
    expect(response.text).not.toContain('parquet');
  });

  test('503: if the issuer’s keys cannot be read, no facts are read', async () => {
    const authenticate = () => Promise.reject(new HttpError(503, 'The issuer cannot be reached.'));
    const { get, authorization, reads } = await setUp();
    const { get: getWithout, reads: readsWithout } = await setUp({
      ports: { authorization: { ...authorization, authenticator: { authenticate } } },
    });
    expect((await get()).status).toBe(200);
    expect(await getWithout()).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
    expect([reads.length, readsWithout]).toEqual([1, []]);
  });
});
