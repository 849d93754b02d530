import { describe, expect, test } from 'vitest';
import { parseStage } from '../../../infra/settings/stages.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00.000Z');
const parse = (settings: Record<string, unknown>) => parseStage((name) => settings[name], [], undefined, NOW_MS);

describe('the expiry of a preview', () => {
  test.each([
    [undefined, '2026-03-08T12:00:00.000Z'],
    ['3d', '2026-03-04T12:00:00.000Z'],
    ['12h', '2026-03-02T00:00:00.000Z'],
    ['90d', '2026-05-30T12:00:00.000Z'],
  ])('for expires=%s, counted from 2026-03-01T12:00:00.000Z, is %s', (expires, expiresAt) => {
    expect(parse({ stage: 'pr-1', expires })).toMatchObject({ name: 'pr-1', expiresAt });
  });

  test.each(['0d', '3', 'd', '-1d', '1.5d', '91d', '2161h', '3 d', '3w', '2026-03-04'])('cannot be %s', (expires) => {
    expect(() => parse({ stage: 'pr-1', expires })).toThrow('expires: must be a number of days or hours');
  });

  test.each(['dev', 'prod'])('is rejected for %s, which does not expire', (stage) => {
    expect(() => parse({ stage, expires: '3d' })).toThrow(`expires: the stage ${stage} does not expire.`);
    expect(parse({ stage })).not.toHaveProperty('expiresAt');
  });
});

test('by default, a preview has the settings of dev, but no monitoring, and one shard, which keeps records for a day', () => {
  const { name: _, ...dev } = parse({});
  const { name, expiresAt, ...preview } = parse({ stage: 'pr-1' });
  expect(preview).toEqual({ ...dev, isMonitored: false, streamDays: 1, eventShards: 1 });
});
