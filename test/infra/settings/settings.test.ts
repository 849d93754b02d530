import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { Fact, FactName } from 'aws-cdk-lib/region-info';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseDomainSettings, parseWebDomainSettings } from '../../../infra/settings/domain-settings.ts';
import { parseIngestPath } from '../../../infra/settings/ingest-path.ts';
import { parseRegionSettings } from '../../../infra/settings/region-settings.ts';
import { rejectUnknownNames, SETTINGS, settingsHelp } from '../../../infra/settings/settings.ts';
import { parseStage } from '../../../infra/settings/stages.ts';
import { parseWatchSettings } from '../../../infra/settings/watch-settings.ts';
import { type Synthesized, synthesize, synthesizedStage } from '../../support/stacks.ts';

const CERTIFICATE = 'arn:aws:acm:eu-central-1:111122223333:certificate/00000000-0000-4000-8000-000000000000';

const given = (settings: Record<string, unknown>) => (name: string) => settings[name];

describe('the name of a setting', () => {
  test.each([
    ['corsOrigin', 'corsOrigins'],
    ['ai-models', 'aiModels'],
    ['Stage', 'stage'],
    ['leadTokenDay', 'leadTokenDays'],
    ['monthlyBudgetUSD', 'monthlyBudgetUsd'],
  ])('%s is rejected with the suggestion %s', (typed, meant) => {
    expect(() => rejectUnknownNames(['stage', typed])).toThrow(`There is no setting ${typed}. Did you mean ${meant}?`);
  });

  test('is rejected without a suggestion if no setting has a similar name', () => {
    expect(() => rejectUnknownNames(['colour'])).toThrow(/^There is no setting colour\.$/);
  });

  test('is accepted if it is known or is a name of CDK itself', () => {
    const names = ['cli-telemetry', '@aws-cdk/core:target-partitions', 'aws:cdk:bundling-stacks', 'aws-cdk:version'];
    expect(() => rejectUnknownNames([...names, ...Object.keys(SETTINGS)])).not.toThrow();
  });

  test('is checked before the values of settings', () => {
    expect(() => parseStage(given({ stage: 'prod' }), ['stage', 'stages'])).toThrow('Did you mean stage?');
  });
});

test('the help lists each setting on its own line', () => {
  const lines = settingsHelp().split('\n');
  for (const name of Object.keys(SETTINGS)) {
    expect(lines.filter((line) => line.startsWith(`  ${name} `))).toHaveLength(1);
  }
});

test('the deployment guide lists exactly the settings that exist', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/deployment.md'), 'utf8');
  const [, table = ''] = /^\| Context +\|.*\n\|[- |]+\n((?:\|.*\n)+)/m.exec(guide) ?? [];
  const named = [...table.matchAll(/^\| ((?:`\w+`(?:, )?)+)/gm)].flatMap(([, names = '']) => names.match(/\w+/g) ?? []);
  expect(named.toSorted()).toEqual(Object.keys(SETTINGS).toSorted());
});

describe('the second path of ingest', () => {
  test('is read from the setting ingestPath, which is optional', () => {
    const ingestPath = '/api/v2/public/funnel/{id}/progress-2';
    expect(parseIngestPath(given({ ingestPath }))).toBe(ingestPath);
    expect(parseIngestPath(given({}))).toBeUndefined();
  });

  test.each([
    ['progress', 'ingestPath: must be a path such as /api/v2/public/funnel/{id}/e'],
    ['/api/v2/public/funnel/{id}/', 'must be a path'],
    ['/api/v2/public/funnel/{funnelId}/e', 'must be a path'],
    ['/api/v2/public/funnel/{id}/e/f', 'must be a path'],
    ['/api/v2/public/funnel/{id}/E', 'must be a path'],
    ['/api/v2/public/funnel/{id}/{e}', 'must be a path'],
    ['/api/v2/public/funnel/{id}/submit', 'is in use for funnel/submit'],
    ['/api/v2/public/funnel/{id}/mfa', 'is in use for funnel/mfa-send'],
    ['/api/v2/public/funnel/{id}/analytics', 'is in use for funnel/ingest-analytics'],
  ])('%s is rejected', (ingestPath, says) => {
    expect(() => parseIngestPath(given({ ingestPath }))).toThrow(says);
  });
});

describe('the hostname of the API', () => {
  const own = { apiDomain: 'api.example.com', apiCertificateArn: CERTIFICATE };

  test('is read with its certificate and the region of the certificate, and is optional', () => {
    expect(parseDomainSettings(given(own))).toEqual({
      name: 'api.example.com',
      certificateArn: CERTIFICATE,
      certificateRegion: 'eu-central-1',
    });
    expect(parseDomainSettings(given({}))).toBeUndefined();
  });

  test.each([
    [{ apiDomain: 'api.example.com' }, 'needs apiCertificateArn'],
    [{ apiCertificateArn: CERTIFICATE }, 'needs apiDomain'],
    [{ hostedZoneId: 'Z0EXAMPLE' }, 'need apiDomain or webDomain'],
    [{ ...own, hostedZoneId: 'Z0EXAMPLE' }, 'both'],
    [{ ...own, hostedZoneId: 'zone', hostedZoneName: 'example.com' }, 'hostedZoneId: must be'],
    [{ ...own, hostedZoneId: 'Z0EXAMPLE', hostedZoneName: 'example.org' }, 'is not in the zone example.org'],
    [{ ...own, hostedZoneId: 'Z0EXAMPLE', hostedZoneName: 'ample.com' }, 'is not in the zone ample.com'],
    [{ ...own, apiDomain: 'https://api.example.com' }, 'apiDomain: must be'],
    [{ ...own, apiDomain: 'API.example.com' }, 'apiDomain: must be'],
    [{ ...own, apiCertificateArn: 'arn:aws:iam::111122223333:server-certificate/api' }, 'apiCertificateArn: must be'],
  ])('the settings %j are rejected', (settings, says) => {
    expect(() => parseDomainSettings(given(settings))).toThrow(says);
  });
});

describe('the hostname of the page client', () => {
  const webCertificateArn = CERTIFICATE.replace('eu-central-1', 'us-east-1');
  const own = { webDomain: 'cdn.example.com', webCertificateArn };
  const zone = { hostedZoneId: 'Z0EXAMPLE', hostedZoneName: 'example.com' };

  test('is optional; it is read with its certificate and zone, even without a hostname of the API', () => {
    const { webDomain, domain } = parseStage(given({ ...own, ...zone }));
    expect(webDomain).toEqual({
      name: 'cdn.example.com',
      certificateArn: webCertificateArn,
      certificateRegion: 'us-east-1',
      zone: { id: 'Z0EXAMPLE', name: 'example.com' },
    });
    expect(domain).toBeUndefined();
    expect(parseStage(given({}))).not.toHaveProperty('webDomain');
  });

  test.each([
    [
      { webDomain: 'cdn.example.com' },
      'webDomain needs webCertificateArn, the ARN of its ACM certificate in us-east-1',
    ],
    [{ webCertificateArn }, 'webCertificateArn needs webDomain, the hostname of the page client'],
    [{ ...own, webDomain: 'CDN.example.com' }, 'webDomain: must be a hostname in lower case'],
    [
      { ...own, webCertificateArn: CERTIFICATE },
      'webCertificateArn: the certificate is in eu-central-1, but CloudFront accepts only certificates in us-east-1. ' +
        'Request a certificate for cdn.example.com there.',
    ],
    [{ ...own, ...zone, hostedZoneName: 'example.org' }, 'webDomain: cdn.example.com is not in the zone example.org'],
  ])('the settings %j are rejected', (settings, says) => {
    expect(() => parseWebDomainSettings(given(settings))).toThrow(says);
  });
});

test('prod has the warnings no-alarms and no-budget if alarmMail and monthlyBudgetUsd are not set; dev never has them', () => {
  const warnings = ({ stacks }: Synthesized, id: string) =>
    Annotations.fromStack(stacks.data).findWarning('*', Match.stringLikeRegexp(`\\[ack: tributary:${id}\\]`));
  const watched = synthesize({ stage: 'prod', alarmMail: 'ops@example.com', monthlyBudgetUsd: '500' });
  for (const id of ['no-alarms', 'no-budget']) {
    expect(warnings(synthesizedStage('prod'), id)).toHaveLength(1);
    expect(warnings(watched, id)).toEqual([]);
    expect(warnings(synthesizedStage(), id)).toEqual([]);
  }
});

describe('settings of alarms and spending limits', () => {
  test('are read, with the spending limits as numbers', () => {
    const settings = {
      alarmMail: 'ops@example.com',
      monthlyBudgetUsd: '500',
      monthlySmsUsd: '50',
      smsSender: 'pool/p',
    };
    expect(parseWatchSettings(given(settings))).toEqual({
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
  ])('the settings %j are rejected', (settings, says) => {
    expect(() => parseWatchSettings(given(settings))).toThrow(says);
  });
});

describe('spending limits', () => {
  afterEach(() => vi.unstubAllEnvs());
  const data = (context: Record<string, string>) => synthesize(context).templates.data;

  test('alarmMail is notified at 80 % and 100 % of the budget, and if the forecast exceeds the budget', () => {
    data({ alarmMail: 'ops@example.com', monthlyBudgetUsd: '500' }).hasResourceProperties('AWS::Budgets::Budget', {
      Budget: { BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 500, Unit: 'USD' } },
      NotificationsWithSubscribers: [
        { Notification: { NotificationType: 'ACTUAL', Threshold: 80 }, Subscribers: [{ Address: 'ops@example.com' }] },
        { Notification: { NotificationType: 'ACTUAL', Threshold: 100 } },
        { Notification: { NotificationType: 'FORECASTED', Threshold: 100 } },
      ],
    });
    expect(synthesizedStage().templates.data.findResources('AWS::Budgets::Budget')).toEqual({});
  });

  test('in a region where CloudFormation cannot create budgets, an output has the command that creates the budget', () => {
    vi.stubEnv('CDK_DEFAULT_REGION', 'eu-north-1');
    const template = data({ alarmMail: 'ops@example.com', monthlyBudgetUsd: '500' });
    expect(template.findResources('AWS::Budgets::Budget')).toEqual({});
    const { 'Fn::Join': [, parts] = [] } = template.findOutputs('WatchSpending').WatchSpending?.Value ?? {};
    const [command = '', budget = '', , notifications = ''] = parts
      .map((part: unknown) => (typeof part === 'string' ? part : '111122223333'))
      .join('')
      .split("'");
    expect(command).toBe('aws budgets create-budget --region us-east-1 --account-id 111122223333 --budget ');
    expect(JSON.parse(budget)).toEqual({
      BudgetName: 'tributary-dev-eu-north-1',
      BudgetType: 'COST',
      TimeUnit: 'MONTHLY',
      BudgetLimit: { Amount: '500', Unit: 'USD' },
    });
    const notification = { ComparisonOperator: 'GREATER_THAN', ThresholdType: 'PERCENTAGE' };
    const Subscribers = [{ SubscriptionType: 'EMAIL', Address: 'ops@example.com' }];
    expect(JSON.parse(notifications)).toEqual([
      { Notification: { NotificationType: 'ACTUAL', Threshold: 80, ...notification }, Subscribers },
      { Notification: { NotificationType: 'ACTUAL', Threshold: 100, ...notification }, Subscribers },
      { Notification: { NotificationType: 'FORECASTED', Threshold: 100, ...notification }, Subscribers },
    ]);
    expect(data({}).findOutputs('WatchSpending')).toEqual({});
  });

  test("an output has the command that sets the account's limit for SMS", () => {
    const { LimitSmsSpending } = data({ smsSender: 'pool/pool-1', monthlySmsUsd: '50' }).findOutputs('*');
    expect(JSON.stringify(LimitSmsSpending?.Value)).toContain(
      'set-text-message-spend-limit-override --monthly-limit 50',
    );
  });
});

describe('a deployment', () => {
  const layerIn = (region: string) => Fact.find(region, FactName.paramsAndSecretsLambdaLayer('1.0.103', 'arm64'));
  const [known, unknown] = [true, false].map((isKnown) =>
    Fact.regions.filter((region) => (layerIn(region) !== undefined) === isKnown),
  );
  const arn = 'arn:aws:lambda:eu-central-2:111122223333:layer:AWS-Parameters-and-Secrets-Lambda-Extension-Arm64:1';
  afterEach(() => vi.unstubAllEnvs());

  test.each(known ?? [])('in %s needs no secretsLayerArn, because CDK knows the secrets extension', (region) => {
    expect(parseRegionSettings(given({}), region)).toEqual({ region });
  });

  test.each(unknown ?? [])('in %s needs secretsLayerArn, because CDK does not know the secrets extension', (region) => {
    vi.stubEnv('CDK_DEFAULT_REGION', region);
    expect(() => synthesize()).toThrow(`-c secretsLayerArn=arn:aws:lambda:${region}:`);
  });

  test('uses the layer of secretsLayerArn, if it is set', () => {
    vi.stubEnv('CDK_DEFAULT_REGION', 'eu-central-2');
    const { templates } = synthesize({ secretsLayerArn: arn });
    const layers = Object.values(templates.api.findResources('AWS::Lambda::Function')).flatMap(
      ({ Properties }) => Properties.Layers ?? [],
    );
    expect(layers).toContain(arn);
    expect(JSON.stringify([templates.api, templates.streaming].map((template) => template.toJSON()))).not.toContain(
      'Paramsandsecrets',
    );
  });

  test.each([
    ['layer', 'eu-central-2', 'must be the ARN of a layer version'],
    [arn.replace(/:1$/, ''), 'eu-central-2', 'must be the ARN of a layer version'],
    [arn, 'eu-south-2', 'the layer is in eu-central-2, but the deployment is in eu-south-2'],
  ])('is rejected with secretsLayerArn=%s in %s', (secretsLayerArn, region, sentence) => {
    expect(() => parseRegionSettings(given({ secretsLayerArn }), region)).toThrow(sentence);
  });
});
