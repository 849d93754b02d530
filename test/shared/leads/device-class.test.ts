import { expect, test } from 'vitest';
import { classifyDevice } from '../../../shared/leads/device-class.ts';
import { growthOf, LINEAR_GROWTH_MAX } from '../../support/growth.ts';

test.each([
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148', 'mobile'],
  ['Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/130.0.0.0 Mobile Safari/537.36', 'mobile'],
  ['Mozilla/5.0 (Linux; Android 14; SM-X910) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36', 'tablet'],
  ['Mozilla/5.0 (iPad; CPU OS 16_0 like Mac OS X) AppleWebKit/605.1.15 Version/16.0 Mobile/15E148', 'tablet'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36', 'desktop'],
  ['Mozilla/5.0 (Mobile; Android 14)', 'tablet'],
  ['', 'desktop'],
])('%s is a %s', (userAgent, device) => {
  expect(classifyDevice(userAgent)).toBe(device);
});

test('the time to classify a device is linear in the length of its header', () => {
  const make = (size: number) => `${'Android'.repeat(size / 7)}Mobile`;
  expect(growthOf(make, classifyDevice, 4_000)).toBeLessThan(LINEAR_GROWTH_MAX);
});
