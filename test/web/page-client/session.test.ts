import { expect, test } from 'vitest';
import { continueSession } from '../../../web/page-client/session.ts';

const FIRST = { pageUrl: 'https://shop.example/?utm_source=news', utmSource: 'news' };
const LATER = { pageUrl: 'https://shop.example/two' };
const MINUTE_MS = 60_000;
const started = continueSession(undefined, 1_000_000_000, FIRST, 'first');

test('a session keeps its id and its attribution as long as events are less than 30 minutes apart', () => {
  let session = started;
  for (let count = 1; count <= 5; count += 1)
    session = continueSession(session, session.lastMs + 29 * MINUTE_MS, LATER, 'next');
  expect(session).toMatchObject({ id: 'first', attribution: FIRST });
});

test.each([30, 600, -30])(
  'a time difference of %i minutes between two events starts a session with a new attribution',
  (minutes) => {
    const next = continueSession(started, started.lastMs + minutes * MINUTE_MS, LATER, 'next');
    expect(next).toMatchObject({ id: 'next', attribution: LATER });
  },
);
