import { Duration, type Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Operation } from '../../shared/http/operation.ts';
import { pascal } from '../functions/service-function.ts';
import { serviceName } from '../names.ts';
import type { Stage } from '../settings/stages.ts';

/** The shortest that WAF counts over; it looks every ten seconds or so, which is why these limits are soft. */
const WINDOW = Duration.minutes(1);

/**
 * What AWS knows as attacks is counted and never refused. Its rules look for holes of Java, PHP and file systems, which
 * nothing behind this API has; and they take for attacks what visitors send: bodies over 8 KB (a submit has up to 64, a
 * batch of events 1 MB), markup and addresses in texts and prompts. All that the gateway can say of a refusal is that
 * there were too many requests, which would be untrue.
 */
const WATCHED = ['AWSManagedRulesCommonRuleSet', 'AWSManagedRulesKnownBadInputsRuleSet'];

/** For a key: what differs only in its writing is the same path. */
const NORMALIZED: CfnWebACL.TextTransformationProperty[] = [
  { priority: 0, type: 'URL_DECODE' },
  { priority: 1, type: 'LOWERCASE' },
];

/**
 * Keeps the soft limits of one address before any function runs: what it refuses is answered 429, as an ApiError. Nothing
 * of it is logged or sampled, as both would keep addresses.
 */
export function firewall(stack: Stack, api: RestApi, stage: Stage, operations: readonly Operation[]): void {
  const rules = [...operations.flatMap(rateRule), ...(stage.watchesForAttacks ? WATCHED.map(watchRule) : [])];
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

type Rule = Omit<CfnWebACL.RuleProperty, 'priority'>;

/** Of the declared limit of one address, and of each funnel by itself where it says so. */
function rateRule({ id, method, path, limits }: Operation): Rule[] {
  const { perMinutePerIp, perFunnel = false } = limits;
  if (perMinutePerIp === undefined) return [];
  const keys = [{ ip: {} }, { uriPath: { textTransformations: NORMALIZED } }];
  return [
    {
      name: pascal(id),
      action: { block: {} },
      visibilityConfig: counted(pascal(id)),
      statement: {
        rateBasedStatement: {
          limit: perMinutePerIp,
          evaluationWindowSec: WINDOW.toSeconds(),
          ...(perFunnel ? { aggregateKeyType: 'CUSTOM_KEYS', customKeys: keys } : { aggregateKeyType: 'IP' }),
          scopeDownStatement: { andStatement: { statements: [ofMethod(method), ofPath(path)] } },
        },
      },
    },
  ];
}

/** Not the preflights, which the gateway answers by itself. */
const ofMethod = (method: string): CfnWebACL.StatementProperty => ({
  byteMatchStatement: {
    fieldToMatch: { method: {} },
    positionalConstraint: 'EXACTLY',
    searchString: method,
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
});

const ofPath = (path: string): CfnWebACL.StatementProperty => ({
  regexMatchStatement: {
    fieldToMatch: { uriPath: {} },
    regexString: pathPattern(path),
    textTransformations: NORMALIZED,
  },
});

/** As requests have it: behind the stage's name, or without it where the API has a hostname of its own. */
export const pathPattern = (path: string): string =>
  `^(?:/[a-z]+)?${path.toLowerCase().replace(/\{\w+\}/g, '[^/]+')}/?$`;

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
