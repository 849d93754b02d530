import { expect, test } from 'vitest';
import { readAttribution } from '../../../web/page-client/attribution.ts';

test('keeps the origin and the path of the URL, and only utm parameters of its query', () => {
  const url = 'https://shop.example/solar?email=kim%40example.com&utm_source=news&utm_campaign=May%20sale&gclid=1#kim';
  expect(readAttribution(url, '')).toEqual({
    pageUrl: 'https://shop.example/solar?utm_source=news&utm_campaign=May+sale',
    utmSource: 'news',
    utmCampaign: 'May sale',
  });
});

test('keeps only the origin of the referrer', () => {
  const { referrer } = readAttribution('https://shop.example/', 'https://search.example/find?q=a+secret');
  expect(referrer).toBe('https://search.example/');
});

test.each(['', 'https://shop.example/before', 'about:blank'])(
  'on a page of shop.example, the attribution has no referrer if document.referrer is "%s"',
  (referrer) => {
    expect(readAttribution('https://shop.example/', referrer)).toEqual({ pageUrl: 'https://shop.example/' });
  },
);

test('shortens texts that the service would reject', () => {
  const url = `https://shop.example/${'p'.repeat(3_000)}?utm_source=${'s'.repeat(300)}`;
  const { pageUrl, utmSource } = readAttribution(url, '');
  expect([pageUrl.length, utmSource?.length]).toEqual([2_048, 255]);
});
