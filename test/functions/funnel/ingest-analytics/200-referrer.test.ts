import { expect, test } from 'vitest';
import { anEvent, setUpIngest } from '../../../support/analytics/events.ts';

test.each([
  ['no referrer', undefined, 'direct'],
  ['an empty referrer', '', 'direct'],
  ['the page’s own host without www.', 'https://shop.example/start', 'direct'],
  ['text that is not a URL', '::::', 'direct'],
  ['another host', 'http://WWW.News.example:8080/a', 'news.example'],
  ['an app', 'android-app://com.example.reader/', 'com.example.reader'],
  ['a bare host', 'news.example', 'news.example'],
  ['a bare host with port and path', 'news.example:8080/a?b', 'news.example'],
  ['localhost', 'http://localhost:3000/', 'localhost'],
  ['a scheme without a host', 'https://', 'direct'],
  ['a file', 'file:///home/a.b/c.html', 'direct'],
  ['a script', 'javascript:a.b', 'direct'],
  ['a mail address', 'mailto:a@news.example', 'direct'],
  ['a URL with a blank in its host', 'https://ex ample.com', 'direct'],
  ['the word null', 'null', 'direct'],
  ['a host with a decomposed letter', 'https://cafe\u0301.example/', 'xn--caf-dma.example'],
  ['an app with a decomposed letter', 'app://cafe\u0301.example/', 'caf%c3%a9.example'],
  ['a host between blanks', ' https://news.example ', 'news.example'],
  ['a bare host between blanks', '\u00a0news.example\t', 'news.example'],
  ['a host that begins with www. twice', 'https://www.www.example/', 'example'],
])('200: for %s (%j), the stored referrer is %s', async (_, referrer, host) => {
  const { send, rows } = setUpIngest();
  expect((await send(anEvent({ pageUrl: 'https://www.shop.example/offer', referrer }))).status).toBe(200);
  expect(rows()[0]).toMatchObject({ referrer: host, referrer_url: referrer ?? '' });
});

test.each([
  ['punycode', `http://${'\u00e4.'.repeat(1_000)}`],
  ['percent signs', `foo://${'\u{1f600}'.repeat(500)}`],
])('200: ignores a referrer whose host is too long for a host name because of %s', async (_, referrer) => {
  const { send, rows } = setUpIngest();
  const { status, body } = await send(anEvent({ referrer }));
  expect([status, body]).toEqual([200, { received: 1 }]);
  expect(rows()[0]).toMatchObject({ referrer: 'direct' });
});
