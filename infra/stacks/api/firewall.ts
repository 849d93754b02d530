import { Duration, type Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { type Operation, ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP, pathsOf } from '../../../shared/http/operation.ts';
import { toPascalCase } from '../../functions/lambda-function.ts';
import { serviceName } from '../../names.ts';
import type { Stage } from '../../settings/stages.ts';
import { ALL_REQUESTS_PER_MINUTE, wafRuleLimit } from './address-limits.ts';

/** WAF's shortest evaluation window. WAF counts about every ten seconds, so an address can exceed a limit briefly. */
const WINDOW = Duration.minutes(1);

/**
 * AWS rule groups that count requests and do not block them. Some valid requests match the rules: bodies over 8 KB (a
 * submit has up to 64 KB, a batch of events up to 1 MB), and markup and URLs in texts and prompts.
 */
const WATCHED = ['AWSManagedRulesCommonRuleSet', 'AWSManagedRulesKnownBadInputsRuleSet'];

/** API Gateway decodes paths before it routes them, so rules compare decoded paths. */
const DECODED: CfnWebACL.TextTransformationProperty[] = [
  { priority: 0, type: 'URL_DECODE' },
  { priority: 1, type: 'URL_DECODE_UNI' },
  { priority: 2, type: 'LOWERCASE' },
];

/** Normalizes paths in aggregation keys, so that different spellings of one path count together. */
const NORMALIZED: CfnWebACL.TextTransformationProperty[] = [
  { priority: 0, type: 'URL_DECODE' },
  { priority: 1, type: 'URL_DECODE_UNI' },
  { priority: 2, type: 'NORMALIZE_PATH' },
  { priority: 3, type: 'LOWERCASE' },
];

/**
 * Applies soft limits per IP address before any function runs. Blocked requests get a 429 with an ApiError. Logging and
 * sampling are disabled, because they would store IP addresses.
 *
 * A web ACL supports at most ten rate-based rules (AWS WAF quotas). One rule counts all requests. Another rule counts
 * the requests to all organization routes together. Each public operation has one rule for all its paths. Public
 * operations with the same path share a rule.
 */
export function firewall(stack: Stack, api: RestApi, stage: Stage, operations: readonly Operation[]): void {
  const rules = [...rateRules(operations), ...(stage.watchesForAttacks ? WATCHED.map(watchRule) : [])];
  const webAcl = new CfnWebACL(stack, 'Firewall', {
    name: serviceName(stage),
    description: 'Rate limits per IP address, in front of the API',
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    // CloudWatch metrics of the firewall use this name.
    visibilityConfig: counted(serviceName(stage)),
    rules: rules.map((rule, priority) => ({ ...rule, priority })),
  });
  new CfnWebACLAssociation(stack, 'FirewallOfApi', {
    webAclArn: webAcl.attrArn,
    resourceArn: api.deploymentStage.stageArn,
  });
}

/** Path prefix of all operations that require a role. A test checks this. */
const ORGANIZATION_ROUTES = '/api/v2/organizations';

type Rule = Omit<CfnWebACL.RuleProperty, 'priority'>;

function rateRules(operations: readonly Operation[]): Rule[] {
  const open = operations.filter(({ auth }) => auth === 'public');
  const firstOfPaths = open.filter(({ path }, index) => open.findIndex((other) => other.path === path) === index);
  return [
    ...firstOfPaths.map((declared) => {
      const { id, limits } = declared;
      return rateRule(toPascalCase(id), wafRuleLimit(declared), {
        ...(limits.wafPerFunnel ? { aggregateKeyType: 'CUSTOM_KEYS', customKeys: PER_PATH } : BY_ADDRESS),
        scopeDownStatement: requestsTo(pathsOf(declared)),
      });
    }),
    rateRule('OrganizationRoutes', ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP, {
      ...BY_ADDRESS,
      scopeDownStatement: requestsTo([ORGANIZATION_ROUTES]),
    }),
    rateRule('AllRequests', ALL_REQUESTS_PER_MINUTE, BY_ADDRESS),
  ];
}

const BY_ADDRESS = { aggregateKeyType: 'IP' };
const PER_PATH = [{ ip: {} }, { uriPath: { textTransformations: NORMALIZED } }];

type Counted = Pick<CfnWebACL.RateBasedStatementProperty, 'aggregateKeyType' | 'customKeys' | 'scopeDownStatement'>;

const rateRule = (name: string, limit: number, rate: Counted): Rule => ({
  name,
  action: { block: {} },
  visibilityConfig: counted(name),
  statement: { rateBasedStatement: { limit, evaluationWindowSec: WINDOW.toSeconds(), ...rate } },
});

/**
 * Matches all requests to the paths, except preflight requests (OPTIONS), which the gateway handles itself. Requests
 * with a wrong method also count, because they cost as much as requests with the right method.
 */
const requestsTo = (paths: readonly string[]): CfnWebACL.StatementProperty => ({
  andStatement: { statements: [{ notStatement: { statement: PREFLIGHT } }, ofPaths(paths)] },
});

const PREFLIGHT: CfnWebACL.StatementProperty = {
  byteMatchStatement: {
    fieldToMatch: { method: {} },
    positionalConstraint: 'EXACTLY',
    searchString: 'OPTIONS',
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
};

const ofPaths = (paths: readonly string[]): CfnWebACL.StatementProperty => ({
  regexMatchStatement: {
    fieldToMatch: { uriPath: {} },
    regexString: paths.map(pathPattern).join('|'),
    textTransformations: DECODED,
  },
});

/**
 * Matches the fixed segments of the path in their order, with any text before, between and after them. The gateway may
 * accept other spellings of a path, with additional slashes or dot segments, and the firewall must count them. After
 * the last segment, the path ends, or a character follows that ids don't contain. Otherwise, a short last segment such
 * as `e` would also match the beginning of an id.
 */
const pathPattern = (path: string): string =>
  path
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '' && !segment.startsWith('{'))
    .map((segment) => `/${segment}`)
    .join('[\\s\\S]*')
    .concat('(?:[^a-z0-9-]|$)');

const watchRule = (name: string): Rule => ({
  name,
  overrideAction: { count: {} },
  visibilityConfig: counted(name),
  statement: { managedRuleGroupStatement: { vendorName: 'AWS', name } },
});

const counted = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  // Disabled, because samples contain whole requests, with the IP address and headers.
  sampledRequestsEnabled: false,
});
