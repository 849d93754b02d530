import { expect, test } from 'vitest';
import { aField, handleIn, setUpSubmit } from '../../../support/leads/submit.ts';

const terms = aField({ id: 'terms', type: 'consent', required: true, stepId: 'end', textVersion: 'terms 2026-02' });
const news = aField({ id: 'news', type: 'consent' });

/** What the last write kept of the consents. */
const keptBy = ({ stored }: ReturnType<typeof setUpSubmit>) => stored.all()[0]?.last.consents;

test('200: a consent is kept with the text that the visitor agreed to, else with the version that it stood in', async () => {
  const world = setUpSubmit({ fields: [terms, news] });
  const versionId = world.funnel.publishedVersionId;
  const handle = handleIn(await world.post({ data: { terms: 'on', news: true } }));
  expect(keptBy(world)).toEqual([
    { field: 'terms', given: true, text: 'terms 2026-02', versionId },
    { field: 'news', given: true, text: undefined, versionId },
  ]);
  for (const withdrawn of [false, 'no', null, '']) {
    await world.post({ ...handle, data: { news: withdrawn } });
    expect(keptBy(world)).toEqual([{ field: 'news', given: false, text: undefined, versionId }]);
  }
});

test('200: a consent is of the version that the page was built for', async () => {
  const older = 'c0ffee00-0000-4000-8000-000000000001';
  const world = setUpSubmit({ fields: [news], versions: { [older]: [{ ...news, textVersion: 'first' }] } });
  await world.post({ data: { news: true }, funnel_version_id: older });
  expect(keptBy(world)).toEqual([{ field: 'news', given: true, text: 'first', versionId: older }]);
});

test('200: a submit that says nothing of a consent, or of another field only, changes none', async () => {
  const world = setUpSubmit({ fields: [terms, news, aField({ id: 'agreed', type: 'boolean' })] });
  await world.post({ data: { agreed: true, undeclared: true } });
  expect(keptBy(world)).toEqual([]);
});

test('422: a refused consent that is required is kept as refused, one that is no yes or no is not', async () => {
  const world = setUpSubmit({ fields: [terms, news] });
  const answer = await world.post({ data: { terms: false, news: 'perhaps' }, step_id: 'end' });
  expect(answer.status).toBe(422);
  expect(keptBy(world)).toMatchObject([{ field: 'terms', given: false }]);
});
