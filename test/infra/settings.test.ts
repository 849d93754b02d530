import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { domainSettingsOf } from '../../infra/settings/domain-settings.ts';
import { refuseUnknown, SETTINGS, settingsHelp } from '../../infra/settings/settings.ts';
import { stageOf } from '../../infra/settings/stages.ts';
import { watchSettingsOf } from '../../infra/settings/watch-settings.ts';
import { synthesize } from '../support/stacks.ts';

const CERTIFICATE = 'arn:aws:acm:eu-central-1:111122223333:certificate/00000000-0000-4000-8000-000000000000';

const given = (settings: Record<string, unknown>) => (name: string) => settings[name];

describe('a setting that nothing would read is refused', () => {
  test.each([
    ['corsOrigin', 'corsOrigins'],
    ['ai-models', 'aiModels'],
    ['Stage', 'stage'],
    ['leadTokenDay', 'leadTokenDays'],
    ['monthlyBudgetUSD', 'monthlyBudgetUsd'],
  ])('%s: was it %s?', (typed, meant) => {
    expect(() => refuseUnknown(['stage', typed])).toThrow(`There is no setting ${typed}. Did you mean ${meant}?`);
  });

  test('what resembles none is not guessed at', () => {
    expect(() => refuseUnknown(['colour'])).toThrow(/^There is no setting colour\.$/);
  });

  test("CDK's own names are left alone", () => {
    const names = ['cli-telemetry', '@aws-cdk/core:target-partitions', 'aws:cdk:bundling-stacks', 'aws-cdk:version'];
    expect(() => refuseUnknown([...names, ...Object.keys(SETTINGS)])).not.toThrow();
  });

  test('before any stage is made of the others', () => {
    expect(() => stageOf(given({ stage: 'prod' }), ['stage', 'stages'])).toThrow('Did you mean stage?');
  });
});

test('help names every setting on a line of its own', () => {
  const lines = settingsHelp().split('\n');
  for (const name of Object.keys(SETTINGS)) {
    expect(lines.filter((line) => line.startsWith(`  ${name} `))).toHaveLength(1);
  }
});

test('the README names every setting, and none besides', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  const [, table = ''] = /^\| Context +\|.*\n\|[- |]+\n((?:\|.*\n)+)/m.exec(readme) ?? [];
  const named = [...table.matchAll(/^\| ((?:`\w+`(?:, )?)+)/gm)].flatMap(([, names = '']) => names.match(/\w+/g) ?? []);
  expect(named.toSorted()).toEqual(Object.keys(SETTINGS).toSorted());
});

describe('the hostname of the API', () => {
  const own = { apiDomain: 'api.example.com', apiCertificateArn: CERTIFICATE };

  test('comes with its certificate, whose region is known', () => {
    expect(domainSettingsOf(given(own))).toEqual({
      name: 'api.example.com',
      certificateArn: CERTIFICATE,
      certificateRegion: 'eu-central-1',
    });
    expect(domainSettingsOf(given({}))).toBeUndefined();
  });

  test.each([
    [{ apiDomain: 'api.example.com' }, 'needs apiCertificateArn'],
    [{ apiCertificateArn: CERTIFICATE }, 'needs apiDomain'],
    [{ hostedZoneId: 'Z0EXAMPLE' }, 'need apiDomain'],
    [{ ...own, hostedZoneId: 'Z0EXAMPLE' }, 'both'],
    [{ ...own, hostedZoneId: 'zone', hostedZoneName: 'example.com' }, 'hostedZoneId: must be'],
    [{ ...own, hostedZoneId: 'Z0EXAMPLE', hostedZoneName: 'example.org' }, 'does not lie in the zone example.org'],
    [{ ...own, hostedZoneId: 'Z0EXAMPLE', hostedZoneName: 'ample.com' }, 'does not lie in the zone ample.com'],
    [{ ...own, apiDomain: 'https://api.example.com' }, 'apiDomain: must be'],
    [{ ...own, apiDomain: 'API.example.com' }, 'apiDomain: must be'],
    [{ ...own, apiCertificateArn: 'arn:aws:iam::111122223333:server-certificate/api' }, 'apiCertificateArn: must be'],
  ])('%j is refused', (settings, says) => {
    expect(() => domainSettingsOf(given(settings))).toThrow(says);
  });
});

test.each(['no-alarms', 'no-budget'])('prod without it warns: %s', (id) => {
  const warnings = (context: Record<string, string>) =>
    Annotations.fromStack(synthesize(context).stacks.data).findWarning(
      '*',
      Match.stringLikeRegexp(`\\[ack: tributary:${id}\\]`),
    );
  expect(warnings({ stage: 'prod' })).toHaveLength(1);
  expect(warnings({ stage: 'prod', alarmMail: 'ops@example.com', monthlyBudgetUsd: '500' })).toEqual([]);
  expect(warnings({})).toEqual([]);
});

describe('who is told', () => {
  test('is written to about alarms and the budget', () => {
    const settings = {
      alarmMail: 'ops@example.com',
      monthlyBudgetUsd: '500',
      monthlySmsUsd: '50',
      smsSender: 'pool/p',
    };
    expect(watchSettingsOf(given(settings))).toEqual({
      alarmMail: 'ops@example.com',
      monthlyBudgetUsd: 500,
      monthlySmsUsd: 50,
    });
  });

  test.each([
    [{ alarmMail: 'ops' }, 'alarmMail: must be'],
    [{ monthlyBudgetUsd: '500' }, 'needs alarmMail'],
    [{ alarmMail: 'ops@example.com', monthlyBudgetUsd: '500 USD' }, 'whole US dollars'],
    [{ alarmMail: 'ops@example.com', monthlyBudgetUsd: '0' }, 'whole US dollars'],
    [{ monthlySmsUsd: '50' }, 'needs smsSender'],
  ])('%j is refused', (settings, says) => {
    expect(() => watchSettingsOf(given(settings))).toThrow(says);
  });
});

describe('what it may cost', () => {
  const data = (context: Record<string, string>) => synthesize(context).templates.data;

  test('a budget writes to whoever is named, before the month is over', () => {
    data({ alarmMail: 'ops@example.com', monthlyBudgetUsd: '500' }).hasResourceProperties('AWS::Budgets::Budget', {
      Budget: { BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 500, Unit: 'USD' } },
      NotificationsWithSubscribers: [
        { Notification: { NotificationType: 'ACTUAL', Threshold: 80 }, Subscribers: [{ Address: 'ops@example.com' }] },
        { Notification: { NotificationType: 'ACTUAL', Threshold: 100 } },
        { Notification: { NotificationType: 'FORECASTED', Threshold: 100 } },
      ],
    });
    expect(data({}).findResources('AWS::Budgets::Budget')).toEqual({});
  });

  test("the account's limit for SMS is the operator's to set, by a command that is told", () => {
    const { LimitSmsSpending } = data({ smsSender: 'pool/pool-1', monthlySmsUsd: '50' }).findOutputs('*');
    expect(JSON.stringify(LimitSmsSpending?.Value)).toContain(
      'set-text-message-spend-limit-override --monthly-limit 50',
    );
  });
});
