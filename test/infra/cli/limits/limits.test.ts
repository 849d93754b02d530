import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createDirectoryWriter } from '../../../../infra/local/seed/directory-writer.ts';
import { FUNNEL_TOKENS_PER_DAY, organizationTokenPolicy } from '../../../../shared/ai/token-budget.ts';
import { DEFAULT_DOMAINS_MAX } from '../../../../shared/domains/domain.ts';
import { createDynamoFunnelRepository } from '../../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { AiBlock, Funnel } from '../../../../shared/funnels/funnel.ts';
import { createDynamoRateLimiter } from '../../../../shared/limits/aws/dynamo-rate-limiter.ts';
import { createDynamoOrganizationRepository } from '../../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { createJsonLogger } from '../../../../shared/platform/logger.ts';
import type { RateLimitPolicy } from '../../../../shared/platform/rate-limiter.ts';
import { dailySessionLimit, SESSIONS_PER_DAY } from '../../../../shared/training/open-session.ts';
import { dailyUploadQuota } from '../../../../shared/uploads/upload-quota.ts';
import { dailySmsLimit, SMS_PER_DAY_AND_ORGANIZATION } from '../../../../shared/verification/send-rate-limits.ts';
import { admin, aPublishedFunnel } from '../../../support/cli/admin.ts';
import { anOrganization } from '../../../support/cli/training.ts';
import { useDynamo } from '../../../support/dynamo.ts';

const { callsOf } = useDynamo();

let orgId: string;
let funnelId: string;
beforeEach(async () => {
  orgId = await anOrganization();
  funnelId = (await aPublishedFunnel()).id;
});

const limits = (...args: string[]) => admin(['limits', ...args]);
const json = async (...args: string[]) => {
  const { out, err } = await limits(...args, '--json');
  if (out === '') throw new Error(err);
  return JSON.parse(out).limits;
};
const take = (window: RateLimitPolicy, units: number) =>
  createDynamoRateLimiter().consume(window, createJsonLogger({}), units);

describe('show', () => {
  test('prints the limits of an organization and the usage of today', async () => {
    await take(dailySmsLimit(orgId, {}), 12);
    await take(organizationTokenPolicy(orgId), 500_000);
    await take(dailyUploadQuota(orgId, {}), 3_000_000_000);
    await take(dailySessionLimit(orgId), 3);
    const service = { source: 'service' };
    expect(await json('show', orgId)).toEqual({
      smsPerDay: { ...service, limit: SMS_PER_DAY_AND_ORGANIZATION, usedToday: 12 },
      aiTokensPerDay: { ...service, limit: organizationTokenPolicy(orgId).limit, usedToday: 500_000 },
      uploadBytesPerDay: { ...service, limit: 5_000_000_000, usedToday: 3_000_000_000 },
      sessionsPerDay: { ...service, limit: SESSIONS_PER_DAY, usedToday: 3 },
      domains: { ...service, limit: DEFAULT_DOMAINS_MAX, usedToday: null },
    });
    const { out } = await admin(['limits', 'show', orgId], { columns: 80 });
    expect(out).toMatch(/^LIMIT .*\n.*\n.*\nupload-bytes-per-day +5,000,000,000 +service +3,000,000,000 \(60%\)\n/);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('prints the limits of a funnel, and the usage of its daily limit', async () => {
    const shown = await json('show', '--funnel', funnelId);
    expect(shown).toEqual({
      aiTokensPerDay: { limit: FUNNEL_TOKENS_PER_DAY, source: 'service', usedToday: 0 },
      submitsPerMinuteAndLead: { limit: 30, source: 'service', usedToday: null },
      sendsPerTenMinutesAndLead: { limit: 5, source: 'service', usedToday: null },
      sendsPerHourAndDestination: { limit: 10, source: 'service', usedToday: null },
    });
    const { out, err } = await limits('show', '--funnel', funnelId);
    expect(out).toContain('not counted by day');
    expect(err).toMatch(/^SOURCE: "service" is the default; .*\n$/);
  });

  test('the token limit in the published AI block takes precedence over the token limit of the funnel', async () => {
    const [id, versionId] = [randomUUID(), randomUUID()];
    const ai = AiBlock.parse({ id: randomUUID(), systemPrompt: 'Answer.', dailyTokens: 7 });
    const funnel = Funnel.parse({ id, orgId, publishedVersionId: versionId, limits: { aiTokensPerDay: 9 } });
    await createDirectoryWriter().publishFunnel(funnel, { id: versionId, funnelId: id, fields: [], ai });
    expect((await json('show', '--funnel', id)).aiTokensPerDay).toMatchObject({ limit: 7, source: 'ai block' });
  });
});

describe('set', () => {
  test('changes only the given limits of an organization, with one write; --unset restores the default of a limit', async () => {
    const calls = await callsOf(async () => {
      const { code, out, err } = await limits(
        'set',
        orgId,
        '--sms-per-day',
        '0',
        '--upload-bytes-per-day',
        '9000000000',
      );
      expect([code, err]).toEqual([0, 'The limits apply within 30 seconds.\n']);
      expect(out).toMatch(/sms-per-day +0 +own +0\n/);
    });
    expect(calls.filter((call) => call !== 'GetItem')).toEqual(['UpdateItem']);
    expect(await createDynamoOrganizationRepository().find(orgId)).toMatchObject({
      name: 'Northlight',
      limits: { smsPerDay: 0, uploadBytesPerDay: 9_000_000_000 },
    });
    expect((await take(dailySmsLimit(orgId, { smsPerDay: 0 }), 1)).allowed).toBe(false);
    const after = await json('set', orgId, '--unset', 'sms-per-day', '--unset', 'sessions-per-day');
    expect(after.smsPerDay).toMatchObject({ limit: SMS_PER_DAY_AND_ORGANIZATION, source: 'service' });
    expect((await createDynamoOrganizationRepository().find(orgId))?.limits).toEqual({
      uploadBytesPerDay: 9_000_000_000,
    });
  });

  test('sets limits of a funnel, and notes that the next publication replaces them', async () => {
    const { out, err } = await limits('set', '--funnel', funnelId, '--submits-per-minute-and-lead', '6');
    expect(out).toMatch(/submits-per-minute-and-lead +6 +own +not counted by day/);
    expect(err).toContain('The next publication replaces them with the limits in the published file.');
    expect((await createDynamoFunnelRepository().find(funnelId))?.limits).toEqual({ submitsPerMinuteAndLead: 6 });
  });

  test('accepts limit names with hyphens and in camel case; the help lists the limits', async () => {
    await limits('set', orgId, '--smsPerDay', '5', '--sessions-per-day', '7');
    expect((await json('set', orgId, '--unset', 'sessionsPerDay')).smsPerDay).toMatchObject({
      limit: 5,
      source: 'own',
    });
    expect((await createDynamoOrganizationRepository().find(orgId))?.limits).toEqual({ smsPerDay: 5 });
    expect((await limits('set', '--help')).out.replace(/\s+/g, ' ')).toMatch(
      /Limits of an organization: sms-per-day, .* Limits of a funnel: /,
    );
  });

  test('if two limits and the name of an organization are changed concurrently, no change is lost', async () => {
    await Promise.all([
      limits('set', orgId, '--sms-per-day', '5'),
      limits('set', orgId, '--sessions-per-day', '7'),
      admin(['organizations', 'update', orgId, '--name', 'Renamed']),
    ]);
    expect(await createDynamoOrganizationRepository().find(orgId)).toMatchObject({
      name: 'Renamed',
      limits: { smsPerDay: 5, sessionsPerDay: 7 },
    });
  });

  test('shows a usage of 200% after the limit was set to half of the usage', async () => {
    await take(dailySmsLimit(orgId, {}), 100);
    expect((await limits('set', orgId, '--sms-per-day', '50')).out).toContain('100 (200%)');
  });
});

describe('errors', () => {
  const [ORG, FUNNEL] = [randomUUID(), randomUUID()];

  test.each([
    [['show'], 'give either an organization id or --funnel <id>'],
    [['show', ORG, '--funnel', FUNNEL], 'give either an organization id or --funnel <id>'],
    [['show', 'abc'], 'Give the organization id, a UUID: see "organizations list".'],
    [['set', ORG], 'give a limit to set, or --unset <name>'],
    [['set', ORG, '--submits-per-minute-and-lead', '5'], 'organizations have no limit submits-per-minute-and-lead'],
    [
      ['set', '--funnel', FUNNEL, '--unset', 'sms-per-day'],
      'funnels have no limit sms-per-day; their limits are submits-per-minute-and-lead, ',
    ],
    [['set', '--funnel', FUNNEL, '--ai-tokens-per-day', '0'], '--ai-tokens-per-day must be at least 1 for a funnel'],
    [['set', ORG, '--sms-per-day', '5', '--unset', 'sms-per-day'], 'sms-per-day cannot be both set and unset'],
    [['set', ORG, '--sms-per-day', '-5'], 'Give a whole number'],
    [['set', ORG, '--sms-per-day', '1e3'], 'Give a whole number'],
    [['set', ORG, '--sms-per-day', '9007199254740993'], 'Give a whole number'],
    [['set', ORG, '--unset', '__proto__'], 'The limits are sms-per-day, '],
    [['set', ORG, '--sms-per-dya', '5'], 'Did you mean --sms-per-day?'],
  ])('2: the arguments %j are rejected with a message, and nothing is read or written', async (args, sentence) => {
    const calls = await callsOf(async () => {
      const { code, out, err } = await limits(...args);
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain(sentence);
    });
    expect(calls).toEqual([]);
  });

  test.each(['show', 'set'])('1: %s fails for an unknown organization or funnel', async (command) => {
    const change = command === 'set' ? ['--ai-tokens-per-day', '5'] : [];
    expect(await limits(command, ORG, ...change)).toEqual({
      code: 1,
      out: '',
      err: `There is no organization ${ORG}: see "organizations list".\n`,
    });
    expect(await limits(command, '--funnel', FUNNEL, ...change)).toEqual({
      code: 1,
      out: '',
      err: `There is no funnel ${FUNNEL}: see "funnels list".\n`,
    });
    expect(await createDynamoOrganizationRepository().find(ORG)).toBeUndefined();
  });
});
