import { expect, test } from 'vitest';
import { HANDLE, refuse, reply } from '../../../support/browser/stub-api.ts';
import { arriveAtDetails, takeSecondStep } from '../../../support/browser/walk.ts';
import { withStub } from '../../../support/browser/with-stub.ts';

type Batch = {
  contentType: string | undefined;
  events: { eventId: string; payload: { type: string; lead_id?: string } }[];
};

const { stub, open: openFunnel } = withStub();

const batches = (): Batch[] =>
  stub()
    .received('/analytics')
    .map(({ contentType, body }) => ({ contentType, events: JSON.parse(`${body}`).events }));
const kinds = (of: readonly Batch[]) => of.flatMap(({ events }) => events.map(({ payload }) => payload.type));
const ids = (of: readonly Batch[]) => new Set(of.flatMap(({ events }) => events.map(({ eventId }) => eventId)));

const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 45_000 });

test('when the visitor leaves, the page sends the last events as a beacon without a preflight', async () => {
  const page = await openFunnel();
  await eventually(() => kinds(batches())).toEqual(['view', 'step_view']);
  await page.getByLabel('Battery').check();
  await page.goto('about:blank');
  const beacons = () => batches().filter(({ contentType }) => contentType?.startsWith('text/plain'));
  await eventually(() => kinds(beacons())).toEqual(['start']);
});

test('unacknowledged events are sent again after a reload, with the same ids', async () => {
  stub().answer('/analytics', refuse(503, 'service_unavailable'));
  const page = await openFunnel();
  await page.getByLabel('Battery').check();
  await eventually(() => new Set(kinds(batches()))).toEqual(new Set(['view', 'step_view', 'start']));
  const refused = ids(batches());
  stub().reset();
  await page.reload();
  await eventually(() => [...refused].filter((id) => !ids(batches()).has(id))).toEqual([]);
});

test('a batch that is rejected with 400 is dropped, and the following events are sent', async () => {
  stub().answer('/analytics', refuse(400, 'bad_request'));
  const page = await openFunnel();
  await eventually(() => kinds(batches())).toEqual(['view', 'step_view']);
  stub().answer('/analytics', (response) => reply(response, 200, { received: 1 }));
  await page.getByLabel('Battery').check();
  await eventually(() => kinds(batches())).toEqual(['view', 'step_view', 'start']);
});

test('after the first submit, events contain the lead id, but never the update token', async () => {
  const page = await openFunnel();
  await arriveAtDetails(page);
  await takeSecondStep(page);
  const events = () => batches().flatMap((batch) => batch.events);
  await eventually(() => kinds(batches()).filter((kind) => kind === 'step_submit')).toHaveLength(2);
  const named = (kind: string) => events().flatMap(({ payload }) => (payload.type === kind ? [payload.lead_id] : []));
  expect([...named('view'), ...named('start')]).toEqual([undefined, undefined]);
  expect(named('step_submit')).toEqual([HANDLE.id, HANDLE.id]);
  expect(JSON.stringify(events())).not.toContain(HANDLE.update_token);
});
