import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventRow } from '../../../../shared/analytics/events/event-row.ts';
import { anEvent, PHONE, setUpIngest } from '../../../support/analytics/events.ts';

describe('arbitrary input', () => {
  const statuses = [200, 400];
  const send = async (body: unknown) => {
    const { post } = setUpIngest();
    const response = await post(body, { 'user-agent': PHONE });
    expect(statuses, response.text).toContain(response.status);
    return response;
  };

  test('any body within the size limit gets the status 200 or 400', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), async (body) => void (await send(body))),
    );
  });

  test('for any events, each row is accepted or rejected separately, and each accepted row becomes a valid line', async () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom('', '\0', 'x'.repeat(3_000), 1e308, -0, 2 ** 53, '\ud800'));
    const names = Object.keys({
      ...anEvent(),
      ...EventRow.shape,
      stepIndex: 0,
      pageUrl: '',
      referrer: '',
      utmTerm: '',
    });
    const strange = fc
      .dictionary(fc.constantFrom(...names, '__proto__', 'toString'), value)
      .map((values) => anEvent({ payload: values, ...values }));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(strange, value), { minLength: 1, maxLength: 5 }), async (events) => {
        const { send, rows } = setUpIngest();
        const { status, body } = await send(...events);
        expect(status).toBe(200);
        const { received, rejected = [] } = body as { received: number; rejected?: { index: number }[] };
        expect(received + rejected.length).toBe(events.length);
        expect(rows()).toHaveLength(received);
        for (const { session_key: _, ...row } of rows()) expect(EventRow.parse(row)).toEqual(row);
      }),
      { numRuns: 300 },
    );
  });
});
