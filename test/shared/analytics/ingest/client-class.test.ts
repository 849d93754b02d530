import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classifyClient } from '../../../../shared/analytics/ingest/client-class.ts';
import { BROWSERS, DEVICE_TYPES, OPERATING_SYSTEMS } from '../../../../shared/platform/device.ts';

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0';
const WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const WINDOWS = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`;

const shortly = (headers: Record<string, string>) => {
  const { deviceType, browser, os, bot } = classifyClient(headers);
  return `${deviceType} ${browser} ${os}${bot ? ' bot' : ''}`;
};

test.each([
  [
    'mobile safari ios',
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${WEBKIT} Version/17.4 Mobile/15E148 Safari/604.1`,
  ],
  [
    'mobile chrome ios',
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${WEBKIT} CriOS/123.0 Mobile/15E148 Safari/604.1`,
  ],
  [
    'mobile firefox ios',
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${WEBKIT} FxiOS/124.0 Mobile/15E148 Safari/605.1`,
  ],
  [
    'mobile safari ios',
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${WEBKIT} Mobile/21E219 Instagram 325.0.3`,
  ],
  [
    'tablet safari ios',
    `Mozilla/5.0 (iPad; CPU OS 12_2 like Mac OS X) ${WEBKIT} Version/12.1 Mobile/15E148 Safari/604.1`,
  ],
  [
    'tablet safari ios',
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/17.4 Mobile/15E148 Safari/604.1`,
  ],
  ['desktop safari macos', `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/17.4 Safari/605.1.15`],
  ['mobile chrome android', `Mozilla/5.0 (Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`],
  ['tablet chrome android', `Mozilla/5.0 (Linux; Android 10; K) ${CHROME} Safari/537.36`],
  [
    'mobile samsung android',
    [
      'Mozilla/5.0 (Linux; Android 13; SAMSUNG SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko)',
      'SamsungBrowser/23.0 Chrome/115.0 Mobile Safari/537.36',
    ].join(' '),
  ],
  ['tablet firefox android', 'Mozilla/5.0 (Android 13; Tablet; rv:124.0) Gecko/124.0 Firefox/124.0'],
  ['mobile opera android', 'Opera/9.80 (Android; Opera Mini/12.0/37.7327; U; pl) Presto/2.12.423 Version/12.16'],
  ['desktop chrome windows', WINDOWS],
  ['desktop edge windows', `${WINDOWS} Edg/124.0.0.0`],
  ['desktop opera windows', `${WINDOWS} OPR/109.0.0.0`],
  ['desktop other windows', `${WINDOWS} Vivaldi/6.7`],
  ['desktop other windows', 'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko'],
  ['desktop firefox linux', 'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0'],
  ['desktop chrome other', `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME} Safari/537.36`],
])('the client class is %s for the User-Agent %s', (expected, userAgent) => {
  expect(shortly({ 'user-agent': userAgent })).toBe(expected);
});

test.each([
  '',
  'something of its own',
  'x'.repeat(120),
  'GuzzleHttp/7',
  'Java/17',
  'Go-http-client/2.0',
  'curl/8.5.0',
  'node',
  'python-requests/2.31.0',
  'Mozilla/5.0',
  '\u{1f600}',
])(
  'a client without a User-Agent, or with the unknown User-Agent %j, has the class “desktop other other” and is no bot',
  (userAgent) => {
    expect(shortly({ 'user-agent': userAgent })).toBe('desktop other other');
    expect(shortly({})).toBe('desktop other other');
  },
);

test.each([
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0;',
    '+http://www.bing.com/bingbot.htm) Chrome/116.0 Safari/537.36',
  ].join(' '),
  'AhrefsBot/7.0',
  'Scrapy/2.11 (+https://crawler.example)',
  'Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/124.0.0.0 Safari/537.36`,
  'Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1',
  `Mozilla/5.0 (Linux; Android 11; moto g power) ${CHROME} Mobile Safari/537.36 Chrome-Lighthouse`,
])('the crawler or headless browser %s is classified as a bot', (userAgent) => {
  expect(classifyClient({ 'user-agent': userAgent }).bot).toBe(true);
});

test('headless Chrome with the User-Agent of Chrome on Windows is classified as Chrome on Windows', () => {
  const hints = { 'sec-ch-ua': '"HeadlessChrome";v="124", "Chromium";v="124"' };
  expect(shortly({ 'user-agent': WINDOWS, ...hints })).toBe('desktop chrome windows');
});

test.each([
  ['desktop edge windows', '"Microsoft Edge";v="124", "Chromium";v="124", "Not-A.Brand";v="99"', '?0', '"Windows"'],
  ['desktop other windows', '"Brave";v="124", "Chromium";v="124", "Not-A.Brand";v="99"', '?0', '"Windows"'],
  ['mobile chrome android', '"Google Chrome";v="124", "Not)A;Brand";v="8"', '?1', '"Android"'],
  ['tablet samsung android', '"Samsung Internet";v="23"', '?0', '"Android"'],
  ['desktop chrome macos', '', '', '"macOS"'],
  ['desktop chrome windows', 'no list', 'yes', 'no platform'],
])(
  'the client class is %s for the client hints %j, %j and %j; valid hints override the User-Agent',
  (expected, brands, mobile, platform) => {
    const hints = { 'sec-ch-ua': brands, 'sec-ch-ua-mobile': mobile, 'sec-ch-ua-platform': platform };
    expect(shortly({ 'user-agent': WINDOWS, ...hints })).toBe(expected);
  },
);

test('for any headers, device type, browser and operating system of the client class are known values', () => {
  const header = fc.string({ unit: 'binary', maxLength: 700 });
  const headers = fc.record(
    { 'user-agent': header, 'sec-ch-ua': header, 'sec-ch-ua-mobile': header, 'sec-ch-ua-platform': header },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(headers, (clientHeaders) => {
      const { deviceType, browser, os } = classifyClient(clientHeaders);
      expect([DEVICE_TYPES, BROWSERS, OPERATING_SYSTEMS]).toEqual([
        expect.arrayContaining([deviceType]),
        expect.arrayContaining([browser]),
        expect.arrayContaining([os]),
      ]);
    }),
  );
});

/**
 * Number of classifications. If each took quadratic time (a second or more), the test would exceed its timeout. All
 * clients are different, because the classes of equal clients are cached.
 */
const TIMES = 100;

test('clients with long hostile headers are classified in linear time', () => {
  const hostile = (time: number) => ({
    'user-agent': `Mozilla/5.0 ${time} ${'(Macintosh; '.repeat(5_000)}`,
    'sec-ch-ua': '"a'.repeat(50_000),
  });
  for (let time = 0; time < TIMES; time++) expect(classifyClient(hostile(time)).deviceType).toBe('desktop');
});
