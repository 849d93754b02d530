import { expect, test } from 'vitest';
import { aField, handleIn, setUpSubmit } from '../../../support/leads/submit.ts';

const terms = aField({ id: 'terms', type: 'consent', required: true, stepId: 'end', textVersion: 'terms 2026-02' });
const news = aField({ id: 'news', type: 'consent' });

/** Returns the consents of the last write. */
const keptBy = ({ stored }: ReturnType<typeof setUpSubmit>) => stored.all()[0]?.last.consents;

test('200: a consent or withdrawal is stored with the funnel version and, if the field has one, the text version', async () => {
  const world = setUpSubmit({ fields: [terms, news] });
  const versionId = world.funnel.publishedVersionId;
  const response = await world.post({ data: { terms: 'on', news: true } });
  expect(response.status).toBe(200);
  const handle = handleIn(response);
  expect(keptBy(world)).toEqual([
    { field: 'terms', given: true, textVersion: 'terms 2026-02', versionId },
    { field: 'news', given: true, textVersion: undefined, versionId },
  ]);
  for (const withdrawn of [false, 'no', null, '']) {
    expect((await world.post({ ...handle, data: { news: withdrawn } })).status).toBe(200);
    expect(keptBy(world)).toEqual([{ field: 'news', given: false, textVersion: undefined, versionId }]);
  }
});

test('200: if a submit names an older funnel version, its consents are stored with that version', async () => {
  const older = 'c0ffee00-0000-4000-8000-000000000001';
  const world = setUpSubmit({ fields: [news], versions: { [older]: [{ ...news, textVersion: 'first' }] } });
  expect((await world.post({ data: { news: true }, funnel_version_id: older })).status).toBe(200);
  expect(keptBy(world)).toEqual([{ field: 'news', given: true, textVersion: 'first', versionId: older }]);
});

test('200: a boolean field or an undeclared key is not stored as a consent', async () => {
  const world = setUpSubmit({ fields: [terms, news, aField({ id: 'agreed', type: 'boolean' })] });
  expect((await world.post({ data: { agreed: true, undeclared: true } })).status).toBe(200);
  expect(keptBy(world)).toEqual([]);
});

test('422: stores the refusal of a required consent, but not the value "perhaps"', async () => {
  const world = setUpSubmit({ fields: [terms, news] });
  const response = await world.post({ data: { terms: false, news: 'perhaps' }, step_id: 'end' });
  expect(response.status).toBe(422);
  expect(keptBy(world)).toMatchObject([{ field: 'terms', given: false }]);
});
