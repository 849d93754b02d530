import { readFileSync } from 'node:fs';
import { FiltersEngine, Request } from '@ghostery/adblocker';
import { expect, test } from 'vitest';
import { PAGE_CLIENT_FILES } from '../../../infra/bundles/page-client-files.ts';
import { ALIAS_FOLDER, VERSION_FOLDER } from '../../../infra/page-client/delivery.ts';
import { configure } from '../../../web/page-client/configuration.ts';

/**
 * These rules resemble the rules of EasyPrivacy and EasyList that apply to all sites. They block paths with words or
 * endings that trackers use, and all beacons to other sites. The test does not use the lists, because no npm package
 * has them under a suitable licence. `FILTER_LISTS=easylist.txt,easyprivacy.txt` adds downloaded lists.
 */
const GENERIC_RULES = `
*$ping,third-party
/analytics|
/analytics.js
/analytics/*
/api/analytics|
/api/*/collect|
/api/event|
/beacon.
/beacon/*
/clicktrack
/collect?
/collect|
/events?
/events|
/ingest/*
/insights.js
/log?
/metrics|
/pageview
/pixel.
/pixel?
/ping|
/script.tracker.
/stats.js
/stats/*
/telemetry
/track.
/track/*
/track?
/track|
/tracker.js
/tracker.min.
/tracking.js
/tracking/*
/visitor.js
-analytics.
-tracker.
.tracking.
_tracking.
`;

const lists = process.env.FILTER_LISTS?.split(',').map((path) => readFileSync(path, 'utf8')) ?? [];
const engine = FiltersEngine.parse([GENERIC_RULES, ...lists].join('\n'));

const FUNNEL_ID = '5d0f1d3e-29f7-4b61-8b4a-0d8d7f3f7a01';
const API_URL = 'https://api.example.com';
const PAGES = ['https://api.example.com/solar', 'https://roofs.example.net/solar'];

/** Pages on which the request is blocked. */
const blockedOn = (url: string, type: 'script' | 'fetch' | 'ping') =>
  PAGES.filter((sourceUrl) => engine.match(Request.fromRawDetails({ url, type, sourceUrl })).match);

test.each(PAGE_CLIENT_FILES)('content blockers let pages load %s', (file) => {
  for (const folder of [ALIAS_FOLDER, VERSION_FOLDER]) {
    expect(blockedOn(`https://cdn.example.com/${folder}/${file}`, 'script')).toEqual([]);
    expect(blockedOn(`${API_URL}/${folder}/${file}`, 'script')).toEqual([]);
  }
});

test('content blockers let events and submits through, but no beacon to another site', () => {
  const { ingestUrl, submitUrl } = configure({ funnelId: FUNNEL_ID, apiUrl: API_URL });
  expect([ingestUrl, submitUrl].flatMap((url) => blockedOn(url, 'fetch'))).toEqual([]);
  expect(blockedOn(ingestUrl, 'ping')).toEqual([PAGES[1]]);
});

test('the generic rules of this test block the usual URLs of trackers', () => {
  const blocked = ['/js/tracker.js', '/v1/track', '/api/event', `/api/v2/public/funnel/${FUNNEL_ID}/analytics`];
  for (const path of blocked) expect(blockedOn(API_URL + path, 'fetch'), path).not.toEqual([]);
});
