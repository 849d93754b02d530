import { describe, expect, test } from 'vitest';
import { TABLES } from '../../../../infra/stacks/data/tables.ts';
import { synthesize, synthesizedStage } from '../../../support/stacks.ts';

const prod = synthesizedStage('prod');
const dev = synthesizedStage();

const resourcesOf = (template: typeof prod.templates.data, type: string) =>
  Object.entries(template.findResources(type));

describe.each(TABLES)('the table $name', ({ constructId, indexes }) => {
  const table = (template: typeof prod.templates.data) => {
    const found = resourcesOf(template, 'AWS::DynamoDB::GlobalTable').find(
      ([id]) => id.slice(0, -8) === constructId,
    )?.[1];
    return found?.Properties;
  };

  test('has the key and the indexes that the code expects', () => {
    const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes = [] } = table(prod.templates.data);
    const key = (hash: string, range: string) => [
      { AttributeName: hash, KeyType: 'HASH' },
      { AttributeName: range, KeyType: 'RANGE' },
    ];
    expect(KeySchema).toEqual(key('pk', 'sk'));
    expect(GlobalSecondaryIndexes).toEqual(
      indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: key(index.hash.name, index.range.name),
        Projection: { ProjectionType: index.projection === 'keys' ? 'KEYS_ONLY' : 'ALL' },
      })),
    );
    for (const { hash, range } of indexes) {
      expect(AttributeDefinitions).toContainEqual({ AttributeName: hash.name, AttributeType: hash.type });
      expect(AttributeDefinitions).toContainEqual({ AttributeName: range.name, AttributeType: range.type });
    }
  });
});

describe('buckets', () => {
  const buckets = resourcesOf(prod.templates.data, 'AWS::S3::Bucket');

  test('exist for facts, raw events, dead letters, uploads, and calls', () => {
    expect(buckets.map(([id]) => id.slice(0, -8))).toEqual(['Facts', 'Lake', 'SetAside', 'Uploads', 'Calls']);
  });

  test('uploads: pages of any origin may use POST and no other method, and old versions are not kept', () => {
    const uploads = buckets.find(([id]) => id.startsWith('Uploads'))?.[1].Properties;
    expect(uploads.CorsConfiguration.CorsRules).toMatchObject([{ AllowedMethods: ['POST'], AllowedOrigins: ['*'] }]);
    expect(uploads.VersioningConfiguration).toBeUndefined();
  });

  test('uploads: only objects below incoming/ expire, after 8 days', () => {
    const uploads = buckets.find(([id]) => id.startsWith('Uploads'))?.[1].Properties;
    const expiring = uploads.LifecycleConfiguration.Rules.filter((rule: object) => 'ExpirationInDays' in rule);
    expect(expiring).toMatchObject([{ Prefix: 'incoming/', ExpirationInDays: 8, Status: 'Enabled' }]);
  });

  test('facts: old versions of files are kept for 35 days, and current versions do not expire', () => {
    const facts = buckets.find(([id]) => id.startsWith('Facts'))?.[1].Properties;
    expect(facts.VersioningConfiguration).toEqual({ Status: 'Enabled' });
    expect(facts.LifecycleConfiguration.Rules).toMatchObject([
      { Status: 'Enabled', NoncurrentVersionExpiration: { NoncurrentDays: 35 } },
      { Status: 'Enabled', AbortIncompleteMultipartUpload: {} },
    ]);
    for (const rule of facts.LifecycleConfiguration.Rules) expect(rule.ExpirationInDays).toBeUndefined();
  });
});

describe('secrets', () => {
  const secrets = resourcesOf(prod.templates.data, 'AWS::SecretsManager::Secret');
  const named = (names: string[]) => secrets.filter(([id]) => names.includes(id.slice(0, -8)));

  test('exist for eight purposes', () => expect(secrets).toHaveLength(8));

  test('for lead handles, hashes, the CDN, webhooks and notifications are generated with 64 characters', () => {
    const own = named(['LeadSecret', 'HashSecret', 'CdnSecret', 'WebhookSecret', 'NotificationSecret']);
    expect(own).toHaveLength(5);
    for (const [, { Properties }] of own) expect(Properties.GenerateSecretString).toMatchObject({ PasswordLength: 64 });
  });

  test.each(['VoiceSecret', 'VoiceWebhookSecret', 'AiSecret'])('%s is empty until an operator fills it', (name) => {
    const [[id, { Properties }] = ['', { Properties: {} }]] = named([name]);
    expect(Object.keys(Properties)).toEqual(['Description']);
    const output = prod.templates.data.findOutputs(`Fill${name}`)[`Fill${name}`];
    expect(JSON.stringify(output?.Value)).toMatch(
      new RegExp(`put-secret-value --secret-id .*"${id}".* --secret-string file://`),
    );
  });
});

describe('sign-in', () => {
  const own = {
    oidcIssuer: 'https://id.example.com',
    oidcAudience: 'tributary',
    oidcJwksUri: 'https://id.example.com/jwks',
  };

  test('uses by default a user pool in which only administrators create accounts', () => {
    expect(resourcesOf(prod.templates.data, 'AWS::Cognito::UserPool').map(([, pool]) => pool)).toMatchObject([
      { Properties: { AdminCreateUserConfig: { AllowAdminCreateUserOnly: true } } },
    ]);
  });

  test('by SRP is allowed in dev and prod; sign-in by password with AWS credentials is allowed in dev, but not in prod', () => {
    const flows = (template: typeof dev.templates.data) =>
      resourcesOf(template, 'AWS::Cognito::UserPoolClient').map(([, { Properties }]) => Properties.ExplicitAuthFlows);
    const [ofDev, ofProd] = [dev, prod].map(({ templates }) => flows(templates.data).map((one) => one.toSorted()));
    expect(ofDev).toEqual([['ALLOW_ADMIN_USER_PASSWORD_AUTH', 'ALLOW_REFRESH_TOKEN_AUTH', 'ALLOW_USER_SRP_AUTH']]);
    expect(ofProd).toEqual([['ALLOW_REFRESH_TOKEN_AUTH', 'ALLOW_USER_SRP_AUTH']]);
  });

  test('uses no user pool if an external issuer is set, and functions get this issuer', () => {
    const { templates } = synthesize(own);
    expect(resourcesOf(templates.data, 'AWS::Cognito::UserPool')).toEqual([]);
    templates.api.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: {
          OIDC_ISSUER: 'https://id.example.com',
          OIDC_AUDIENCE: 'tributary',
          OIDC_JWKS_URI: 'https://id.example.com/jwks',
        },
      },
    });
  });

  test.each(['oidcIssuer', 'oidcAudience', 'oidcJwksUri'])('with an external issuer requires %s', (name) => {
    const others = Object.fromEntries(Object.entries(own).filter(([setting]) => setting !== name));
    expect(() => synthesize(others)).toThrow('all three');
  });

  test.each(['oidcIssuer', 'oidcJwksUri'])('with an external issuer requires https:// in %s', (name) => {
    expect(() => synthesize({ ...own, [name]: 'http://id.example.com' })).toThrow(
      `${name}: must be a URL that begins with https://`,
    );
    expect(() => synthesize({ ...own, [name]: 'id.example.com' })).toThrow(
      `${name}: must be a URL that begins with https://`,
    );
  });
});

test.each([
  { context: { stage: 'production' }, says: 'The stage "production" does not exist' },
  { context: { corsOrigins: 'https://app.example.com/path' }, says: 'is not an origin' },
  { context: { corsOrigins: '*' }, says: 'is not an origin' },
  { context: { corsOrigins: 'https://*.example.com' }, says: 'is not an origin' },
  { context: { corsOrigins: '' }, says: 'corsOrigins: is empty' },
  { context: { aiModels: ' ' }, says: 'aiModels: is empty' },
  { context: { corsOrigins: "https://a'+b.example.com" }, says: 'is not an origin' },
  { context: { corsOrigins: Array(105).fill('https://app.example.com').join() }, says: 'longer than 2500' },
  { context: { aiModels: Array(41).fill('model').join(',') }, says: 'at most 40' },
  { context: { leadTokenDays: '0' }, says: 'must be a number of days' },
  { context: { leadTokenDays: 'a month' }, says: 'must be a number of days' },
  { context: { leadTokenDays: '366' }, says: 'must be a number of days, 1 to 365' },
])('synthesis rejects the invalid setting $context', ({ context, says }) => {
  expect(() => synthesize(context)).toThrow(says);
});
