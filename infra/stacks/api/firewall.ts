import { Duration, type Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { type Operation, ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP } from '../../../shared/http/operation.ts';
import { toPascalCase } from '../../functions/lambda-function.ts';
import { serviceName } from '../../names.ts';
import type { Stage } from '../../settings/stages.ts';
import { ALL_REQUESTS_PER_MINUTE, wafRuleLimit } from './address-limits.ts';

/** The shortest that WAF counts over. It looks about every ten seconds, so these limits are soft. */
const WINDOW = Duration.minutes(1);

/**
 * What AWS knows as attacks is counted and never refused. Its rules look for holes of Java, PHP and file systems, which
 * nothing behind this API has; and they take for attacks what visitors send: bodies over 8 KB (a submit has up to 64, a
 * batch of events 1 MB), markup and addresses in texts and prompts. All that the gateway can say of a refusal is that
 * there were too many requests, which would be untrue.
 */
const WATCHED = ['AWSManagedRulesCommonRuleSet', 'AWSManagedRulesKnownBadInputsRuleSet'];

/** API Gateway decodes paths before it routes them, so what is decoded is compared. */
const DECODED: CfnWebACL.TextTransformationProperty[] = [
  { priority: 0, type: 'URL_DECODE' },
  { priority: 1, type: 'URL_DECODE_UNI' },
  { priority: 2, type: 'LOWERCASE' },
];

/** For a key: spellings of one path count together. */
const NORMALIZED: CfnWebACL.TextTransformationProperty[] = [
  { priority: 0, type: 'URL_DECODE' },
  { priority: 1, type: 'URL_DECODE_UNI' },
  { priority: 2, type: 'NORMALIZE_PATH' },
  { priority: 3, type: 'LOWERCASE' },
];

/**
 * Keeps the soft limits of one address before any function runs: what it refuses is answered 429, as an ApiError. Nothing
 * of it is logged or sampled, as both would keep addresses. A web ACL takes ten rate rules (AWS WAF quotas): one for
 * each public operation, one for all organization routes and one for all requests.
 */
export function firewall(stack: Stack, api: RestApi, stage: Stage, operations: readonly Operation[]): void {
  const rules = [...rateRules(operations), ...(stage.watchesForAttacks ? WATCHED.map(watchRule) : [])];
  const webAcl = new CfnWebACL(stack, 'Firewall', {
    name: serviceName(stage),
    description: 'Limits by address, before the API',
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    // Metrics know the firewall by this name alone.
    visibilityConfig: counted(serviceName(stage)),
    rules: rules.map((rule, priority) => ({ ...rule, priority })),
  });
  new CfnWebACLAssociation(stack, 'FirewallOfApi', {
    webAclArn: webAcl.attrArn,
    resourceArn: api.deploymentStage.stageArn,
  });
}

/** What the paths of all operations with a role begin with. A test checks that none is outside. */
const ORGANIZATION_ROUTES = '/api/v2/organizations';

type Rule = Omit<CfnWebACL.RuleProperty, 'priority'>;

function rateRules(operations: readonly Operation[]): Rule[] {
  const open = operations.filter(({ auth }) => auth === 'public');
  return [
    ...open.map((declared) => {
      const { id, path, limits } = declared;
      return rateRule(toPascalCase(id), wafRuleLimit(declared), {
        ...(limits.wafPerFunnel ? { aggregateKeyType: 'CUSTOM_KEYS', customKeys: PER_PATH } : BY_ADDRESS),
        scopeDownStatement: requestsTo(path),
      });
    }),
    rateRule('OrganizationRoutes', ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP, {
      ...BY_ADDRESS,
      scopeDownStatement: requestsTo(ORGANIZATION_ROUTES),
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

/** All but preflights, which the gateway answers by itself: another method is as much work for it as the right one. */
const requestsTo = (path: string): CfnWebACL.StatementProperty => ({
  andStatement: { statements: [{ notStatement: { statement: PREFLIGHT } }, ofPath(path)] },
});

const PREFLIGHT: CfnWebACL.StatementProperty = {
  byteMatchStatement: {
    fieldToMatch: { method: {} },
    positionalConstraint: 'EXACTLY',
    searchString: 'OPTIONS',
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
};

const ofPath = (path: string): CfnWebACL.StatementProperty => ({
  regexMatchStatement: {
    fieldToMatch: { uriPath: {} },
    regexString: pathPattern(path),
    textTransformations: DECODED,
  },
});

/**
 * The fixed segments of the path in their order, with anything before, between and after them: the stage's name, ids,
 * further slashes and dot segments. A spelling that the gateway takes for this path but that the firewall takes for
 * another one would have no limit, while a request that counts without need does no harm.
 */
const pathPattern = (path: string): string =>
  path
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '' && !segment.startsWith('{'))
    .map((segment) => `/${segment}`)
    .join('[\\s\\S]*');

const watchRule = (name: string): Rule => ({
  name,
  overrideAction: { count: {} },
  visibilityConfig: counted(name),
  statement: { managedRuleGroupStatement: { vendorName: 'AWS', name } },
});

const counted = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  // Samples show whole requests, with address and headers.
  sampledRequestsEnabled: false,
});
