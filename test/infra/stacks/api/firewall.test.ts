import { describe, expect, test } from 'vitest';
import { operations } from '../../../../functions/declarations.ts';
import { toPascalCase } from '../../../../infra/functions/lambda-function.ts';
import { pathsOf } from '../../../../shared/http/operation.ts';
import { type Synthesized, synthesize, synthesizedStage } from '../../../support/stacks.ts';

const prod = synthesizedStage('prod');
const dev = synthesizedStage();
const preview = synthesizedStage('pr-123');

const aclOf = ({ templates }: Synthesized) => {
  const [acl] = Object.values(templates.api.findResources('AWS::WAFv2::WebACL'));
  return acl?.Properties;
};
type Transformation = { Priority: number; Type: string };
type Statement = {
  RateBasedStatement?: Rate;
  AndStatement?: { Statements: Statement[] };
  NotStatement?: { Statement: Statement };
  ByteMatchStatement?: { SearchString: string; TextTransformations: Transformation[] };
  RegexMatchStatement?: { RegexString: string; TextTransformations: Transformation[] };
  ManagedRuleGroupStatement?: { Name: string };
};
type Rate = { Limit: number; ScopeDownStatement?: Statement; AggregateKeyType: string; CustomKeys?: object[] };
type Rule = { Name: string; Statement: Statement } & Record<string, unknown>;
type RequestLine = { method: string; path: string };
const rulesOf = (of: Synthesized): Rule[] => aclOf(of).Rules;

/**
 * The specified rate limits, in requests of one address per minute (for submit, to one funnel). All organization routes
 * share one limit.
 */
const LIMITS: Readonly<Record<string, number>> = {
  'funnel/submit': 600,
  'funnel/ingest-analytics': 600,
  'training/voice-webhook': 600,
  'funnel/ai-stream': 60,
  'funnel/upload': 60,
  'funnel/mfa-send': 60,
  'funnel/mfa-check': 60,
  'notifications/show-link': 60,
  'notifications/follow-link': 60,
  ...Object.fromEntries(operations.filter(({ auth }) => auth !== 'public').map(({ id }) => [id, 1_200])),
};
/** Maximum number of rate-based rules in a web ACL (quota of WAF). */
const RATE_RULES_MAX = 10;
/** Maximum burst of requests to all APIs of an account (quota of API Gateway). */
const ACCOUNT_BURST = 5_000;

const NORMALIZED: Transformation[] = [
  { Priority: 0, Type: 'URL_DECODE' },
  { Priority: 1, Type: 'URL_DECODE_UNI' },
  { Priority: 2, Type: 'NORMALIZE_PATH' },
  { Priority: 3, Type: 'LOWERCASE' },
];

/** Each path of each operation, with its method. */
const everyPath = operations.flatMap((declared) =>
  pathsOf(declared).map((path) => [declared.id, declared.method, path] as const),
);

const declaredBy = (id: string) => {
  const declared = operations.find((operation) => operation.id === id);
  if (declared === undefined) throw new Error(`There is no operation ${id}.`);
  return declared;
};

/** Operations with the same path and different methods share a rule. The rule has the name of the first operation. */
const firstWithPath = ({ path }: { path: string }) =>
  operations.find((operation) => operation.path === path) ?? fail(`No operation has the path ${path}.`);

const decoded = (text: string) =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
/** Applies WAF's text transformations. */
const TRANSFORM: Readonly<Record<string, (text: string) => string>> = {
  NONE: (text) => text,
  LOWERCASE: (text) => text.toLowerCase(),
  URL_DECODE: decoded,
  URL_DECODE_UNI: decoded,
};
const transformed = (text: string, transformations: readonly Transformation[]): string =>
  [...transformations]
    .sort((one, other) => one.Priority - other.Priority)
    .reduce((sum, { Type }) => TRANSFORM[Type]?.(sum) ?? fail(`The test does not implement ${Type}.`), text);
const fail = (message: string): never => {
  throw new Error(message);
};

function matches(statement: Statement | undefined, request: RequestLine): boolean {
  const { AndStatement, NotStatement, ByteMatchStatement: bytes, RegexMatchStatement: regex } = statement ?? {};
  if (statement === undefined) return true;
  if (AndStatement) return AndStatement.Statements.every((one) => matches(one, request));
  if (NotStatement) return !matches(NotStatement.Statement, request);
  if (bytes) return transformed(request.method, bytes.TextTransformations) === bytes.SearchString;
  if (regex) return new RegExp(regex.RegexString).test(transformed(request.path, regex.TextTransformations));
  throw new Error(`The test does not implement ${Object.keys(statement)}.`);
}

/** Returns the rate-based rules that count a request. */
const rateRulesOf = (stage: Synthesized, request: RequestLine): Rule[] =>
  rulesOf(stage).filter(
    ({ Statement: { RateBasedStatement: rate } }) => rate !== undefined && matches(rate.ScopeDownStatement, request),
  );

const rateOf = (stage: Synthesized, request: RequestLine): Rate =>
  rateRulesOf(stage, request)[0]?.Statement.RateBasedStatement ?? fail(`No rule counts ${request.path}.`);

/**
 * Returns how many requests per minute one address may send to an operation, for all funnels together. Ignores rules
 * that count each funnel separately.
 */
const oneAddress = (stage: Synthesized, request: RequestLine) => ({
  perMinute: Math.min(
    ...rateRulesOf(stage, request).flatMap(({ Statement: { RateBasedStatement: rate } }) =>
      rate?.AggregateKeyType === 'IP' ? [rate.Limit] : [],
    ),
  ),
});

/** Web ACL capacity units, as listed per statement in the AWS WAF developer guide. */
function capacityOf(statement: Statement): number {
  const { RateBasedStatement: rate, AndStatement, NotStatement, ManagedRuleGroupStatement } = statement;
  const transformations = (of: readonly Transformation[]) => 10 * of.filter(({ Type }) => Type !== 'NONE').length;
  if (rate) {
    const keys = (rate.CustomKeys ?? []).length * 30 + (rate.CustomKeys ? transformations(NORMALIZED) : 0);
    return 2 + keys + (rate.ScopeDownStatement ? capacityOf(rate.ScopeDownStatement) : 0);
  }
  if (AndStatement) return AndStatement.Statements.reduce((sum, one) => sum + capacityOf(one), 1);
  if (NotStatement) return 1 + capacityOf(NotStatement.Statement);
  if (statement.ByteMatchStatement) return 2 + transformations(statement.ByteMatchStatement.TextTransformations);
  if (statement.RegexMatchStatement) return 3 + transformations(statement.RegexMatchStatement.TextTransformations);
  return { AWSManagedRulesCommonRuleSet: 700, AWSManagedRulesKnownBadInputsRuleSet: 200 }[
    ManagedRuleGroupStatement?.Name ?? ''
  ] as number;
}

describe.each([
  ['prod', prod],
  ['dev', dev],
  ['the preview pr-123', preview],
] as const)('in %s', (_, stage) => {
  test('the web ACL is associated with the stage of the API, and allows requests by default', () => {
    expect(aclOf(stage)).toMatchObject({ Scope: 'REGIONAL', DefaultAction: { Allow: {} } });
    const [association] = Object.values(stage.templates.api.findResources('AWS::WAFv2::WebACLAssociation'));
    expect(JSON.stringify(association?.Properties.ResourceArn)).toContain('/stages/');
  });

  test.each(Object.entries(LIMITS))('429: the rule that counts %s blocks above %i requests a minute', (id, limit) => {
    const { method, path } = declaredBy(id);
    const [rule, ...others] = rateRulesOf(stage, { method, path }).filter(({ Name }) => Name !== 'AllRequests');
    expect(others).toEqual([]);
    expect(rule).toMatchObject({
      Action: { Block: {} },
      Statement: { RateBasedStatement: { Limit: limit, EvaluationWindowSec: 60 } },
    });
  });

  test('LIMITS contains every operation', () => {
    expect(Object.keys(LIMITS).sort()).toEqual(operations.map(({ id }) => id).sort());
  });

  test('429: above 2,400 requests a minute, an address is blocked, even for preflights and unknown paths', () => {
    const [rule, ...others] = rateRulesOf(stage, { method: 'OPTIONS', path: '/unknown' });
    expect(others).toEqual([]);
    expect(rule).toMatchObject({ Name: 'AllRequests', Action: { Block: {} } });
    expect(rule?.Statement.RateBasedStatement).toEqual({
      AggregateKeyType: 'IP',
      EvaluationWindowSec: 60,
      Limit: 2_400,
    });
  });

  test('organization routes share a rule; public operations share one if they share a path; submit counts per funnel', () => {
    for (const declared of operations) {
      const rules = rateRulesOf(stage, declared).map(({ Name }) => Name);
      expect(rules).toEqual([
        declared.auth === 'public' ? toPascalCase(firstWithPath(declared).id) : 'OrganizationRoutes',
        'AllRequests',
      ]);
      const rate = rateOf(stage, declared);
      const isPerFunnel = declared.id === 'funnel/submit';
      expect(rate.AggregateKeyType).toBe(isPerFunnel ? 'CUSTOM_KEYS' : 'IP');
      expect(rate.CustomKeys).toEqual(
        isPerFunnel ? [{ IP: {} }, { UriPath: { TextTransformations: NORMALIZED } }] : undefined,
      );
    }
  });

  test.each(everyPath)(
    '%s: the rate and the burst of the throttle for %s %s are more than twice the rate limit of an address',
    (id, method, path) => {
      const { perMinute } = oneAddress(stage, declaredBy(id));
      const deployed = Object.values(stage.templates.api.findResources('AWS::ApiGateway::Stage'));
      const settings = deployed.flatMap(({ Properties }) => Properties.MethodSettings);
      const { ThrottlingRateLimit, ThrottlingBurstLimit } = settings.find(
        (one: { ResourcePath: string; HttpMethod: string }) =>
          one.ResourcePath.replaceAll('~1', '/') === `/${path}` && one.HttpMethod === method,
      );
      expect(ThrottlingRateLimit).toBeGreaterThan((2 * perMinute) / 60);
      expect(ThrottlingBurstLimit).toBeGreaterThan(2 * perMinute);
      expect(ThrottlingBurstLimit).toBeLessThanOrEqual(ACCOUNT_BURST);
    },
  );

  test.each(everyPath)('%s: %s %s counts for its limit, also with other spellings of the path', (_, method, path) => {
    const known = rateRulesOf(stage, { method, path }).map(({ Name }) => Name);
    const plain = path.replaceAll(/\{\w+\}/g, '6b9c1ab2-0b1f-4f7e-9d33-0f6e1a7f8f01');
    const last = plain.slice(plain.lastIndexOf('/') + 1);
    const spellings = [
      plain,
      ...['prod', 'dev', 'pr-123', 'eu-2', 'v2', 'a1b2c3', '%70rod', 'pr%2d123'].map((name) => `/${name}${plain}`),
      plain.replaceAll('/', '//'),
      plain.replaceAll('/', '/./'),
      plain.replaceAll('/', '/x/../'),
      `/..${plain}`,
      `${plain}/`,
      `${plain}/.`,
      `${plain}/x/..`,
      plain.toUpperCase(),
      plain.replace('api', '%61%70i'),
      plain.replace('api', '%2561pi'),
      plain.replace(last, [...last].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')),
      plain.replaceAll('/', '%2F').replace('%2F', '/'),
      path.replaceAll(/\{\w+\}/g, '%2e%2e%2f%2e%2e%2fx'),
      path.replaceAll(/\{\w+\}/g, '%0a'),
      path.replaceAll(/\{\w+\}/g, '%00%3f%23;'),
    ];
    for (const spelling of spellings) {
      for (const said of [method, method.toLowerCase(), 'HEAD']) {
        const rules = rateRulesOf(stage, { method: said, path: spelling }).map(({ Name }) => Name);
        expect(rules, `${said} ${spelling}`).toEqual(expect.arrayContaining(known));
      }
    }
  });

  test('WAF accepts the patterns: at most 512 characters, no capturing group, lookaround or back-reference', () => {
    const patterns = [...JSON.stringify(rulesOf(stage)).matchAll(/"RegexString":("(?:[^"\\]|\\.)*")/g)].map(
      ([, pattern = '']): string => JSON.parse(pattern),
    );
    expect(patterns).not.toEqual([]);
    expect(patterns.filter((pattern) => pattern.length > 512 || /\((?!\?:)|\\[1-9]/.test(pattern))).toEqual([]);
  });

  test('the rate-based rules are within the quota of WAF, and the capacity is included in the base price', () => {
    const rules = rulesOf(stage);
    const rates = rules.filter(({ Statement }) => Statement.RateBasedStatement);
    expect(rates.length).toBeLessThanOrEqual(RATE_RULES_MAX);
    expect(rules.reduce((sum, { Statement }) => sum + capacityOf(Statement), 0)).toBeLessThanOrEqual(1_500);
  });

  test('the web ACL keeps no samples and no logs, because they would contain addresses', () => {
    const shown = [aclOf(stage), ...rulesOf(stage)].map(({ VisibilityConfig }) => VisibilityConfig);
    for (const config of shown) expect(config).toMatchObject({ SampledRequestsEnabled: false });
    expect(stage.templates.api.findResources('AWS::WAFv2::LoggingConfiguration')).toEqual({});
  });
});

test('one rule counts the requests of an address to both paths of ingest together', () => {
  const rules = pathsOf(declaredBy('funnel/ingest-analytics')).map((path) =>
    rateRulesOf(prod, { method: 'POST', path }),
  );
  expect(rules).toHaveLength(2);
  expect(rules[0]).toEqual(rules[1]);
  expect(rules[0]?.map(({ Name }) => Name)).toEqual(['FunnelIngestAnalytics', 'AllRequests']);
  expect(rules[0]?.[0]?.Statement.RateBasedStatement?.AggregateKeyType).toBe('IP');
});

test('the throttle of ingest allows 100 addresses at their full limit; each of the two paths gets half of the throttle', () => {
  const settings = Object.values(prod.templates.api.findResources('AWS::ApiGateway::Stage'))
    .flatMap(({ Properties }) => Properties.MethodSettings)
    .filter(({ ResourcePath }) => /~1(?:e|analytics)$/.test(ResourcePath));
  expect(settings.map(({ ThrottlingRateLimit }) => ThrottlingRateLimit)).toEqual([500, 500]);
});

test('with the setting ingestPath, the rule of ingest counts requests to that path instead of the default path', () => {
  const path = '/api/v2/public/funnel/{id}/progress';
  const stage = synthesize({ ingestPath: path });
  const names = (of: string) => rateRulesOf(stage, { method: 'POST', path: of }).map(({ Name }) => Name);
  expect(names(path)).toEqual(['FunnelIngestAnalytics', 'AllRequests']);
  expect(names('/api/v2/public/funnel/{id}/e')).toEqual(['AllRequests']);
});

test.each(operations.filter(({ id }) => id !== 'funnel/ingest-analytics'))(
  '$id: a request does not count for ingest (/e), even if an id in its path begins with e',
  ({ method, path }) => {
    const id = 'e0c1ab2e-0b1f-4f7e-9d33-0f6e1a7f8f01';
    const rules = rateRulesOf(prod, { method, path: path.replaceAll(/\{\w+\}/g, id) }).map(({ Name }) => Name);
    expect(rules).not.toContain('FunnelIngestAnalytics');
  },
);

test('managed rules exist only in prod, and count requests without blocking them', () => {
  const groups = rulesOf(prod).filter(({ Statement }) => Statement.ManagedRuleGroupStatement);
  expect(groups).toHaveLength(2);
  for (const group of groups) {
    expect(group.OverrideAction).toEqual({ Count: {} });
    expect(group.Action).toBeUndefined();
  }
  for (const stage of [dev, preview])
    expect(rulesOf(stage).every(({ Statement }) => Statement.RateBasedStatement)).toBe(true);
});

test('no two rules have the same priority', () => {
  const priorities = rulesOf(prod).map(({ Priority }) => Priority);
  expect(new Set(priorities).size).toBe(priorities.length);
});

test.each([
  ['POST', '/api/v2/public/funnel/a/submi'],
  ['POST', '/api/v2/public/funnel/a'],
  ['OPTIONS', '/api/v2/public/funnel/a/submit'],
  ['POST', '/'],
])('%s %s counts only for the limit of all requests', (method, path) => {
  expect(rateRulesOf(prod, { method, path }).map(({ Name }) => Name)).toEqual(['AllRequests']);
});
