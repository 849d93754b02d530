import { expect, test } from 'vitest';
import { anEvent, setUpIngest } from '../../../support/analytics/events.ts';

const SENT = {
  utmSource: ' cafe\u0301',
  utmMedium: 'u\u0308\n',
  utmCampaign: '\u00a0Fru\u0308hling ',
  utmTerm: '\u2126',
  utmContent: '\ufeff top\ufeff',
  stepId: '\te\u0301tape ',
};
const STORED = {
  utm_source: 'café',
  utm_medium: 'ü',
  utm_campaign: 'Frühling',
  utm_term: 'Ω',
  utm_content: 'top',
  step_id: 'étape',
};

test('200: stores utm values and step ids in NFC and trimmed', async () => {
  const { send, rows } = setUpIngest();
  expect((await send(anEvent(SENT))).status).toBe(200);
  expect(rows()).toMatchObject([STORED]);
});

test('200: a dimension that consists of white space is stored as absent', async () => {
  const { send, rows } = setUpIngest();
  expect((await send(anEvent({ utmSource: ' \t', stepId: '\u3000', referrer: ' ' }))).status).toBe(200);
  expect(rows()).toMatchObject([{ utm_source: '', step_id: '', referrer: 'direct' }]);
});

test('200: stores the page URL, language and session id unchanged, because they are not dimensions', async () => {
  const { send, rows } = setUpIngest();
  const pageUrl = 'https://shop.example/cafe\u0301 ';
  expect((await send(anEvent({ pageUrl, language: ' e\u0301', sessionId: ' e\u0301 ' }))).status).toBe(200);
  expect(rows()).toMatchObject([{ page_url: pageUrl, language: ' e\u0301', session_id: ' e\u0301 ' }]);
});
