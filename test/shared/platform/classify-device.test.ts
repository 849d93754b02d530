import { expect, test } from 'vitest';
import { classifyDevice } from '../../../shared/platform/classify-device.ts';

const WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0';

test.each([
  ['mobile', `Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${WEBKIT} Version/18.0 Mobile/15E148`],
  ['mobile', `Mozilla/5.0 (Linux; Android 15; Pixel 9) ${CHROME} Mobile Safari/537.36`],
  ['tablet', `Mozilla/5.0 (Linux; Android 14; SM-X910) ${CHROME} Safari/537.36`],
  ['tablet', `Mozilla/5.0 (iPad; CPU OS 16_0 like Mac OS X) ${WEBKIT} Version/16.0 Mobile/15E148`],
  ['desktop', `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`],
  ['desktop', `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/17.4 Safari/605.1.15`],
  ['desktop', ''],
])('the device type is %s for the User-Agent “%s”', (deviceType, userAgent) => {
  expect(classifyDevice({ 'user-agent': userAgent }).deviceType).toBe(deviceType);
});

test('an iPad in an app is a tablet, although it identifies as a Macintosh', () => {
  const userAgent = `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Mobile/15E148 Instagram 325.0.3`;
  expect(classifyDevice({ 'user-agent': userAgent })).toMatchObject({ deviceType: 'tablet', os: 'ios' });
});

test('a client hint for a mobile device overrides the User-Agent', () => {
  const headers = { 'user-agent': `Mozilla/5.0 (X11; Linux x86_64) ${CHROME}`, 'sec-ch-ua-mobile': '?1' };
  expect(classifyDevice(headers).deviceType).toBe('mobile');
});
