import type { Method, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { explain } from '../../nag/acknowledge-findings.ts';
import type { Stage } from '../../settings/stages.ts';

const TOKENS =
  'Its function verifies the token, of whatever OIDC issuer is configured, before anything else, and checks the membership of the organization in the path: an authorizer would decide without that, and answer in an order that tells what exists.';
const PUBLIC =
  'Whoever calls it has no account: visitors of pages, who are limited by address and prove a lead by its update token, and the voice provider, which signs what it sends.';

/** Explains why a method has no authorizer of the gateway. */
export const acknowledgeMethodFindings = (method: Method, isPublic: boolean): Method => {
  const reason = isPublic ? PUBLIC : TOKENS;
  return explain(method, { APIG4: reason, COG4: reason });
};

/** Explains why the gateway neither validates bodies nor logs requests. */
export function acknowledgeGatewayFindings(api: RestApi, stage: Stage): void {
  explain(api, {
    APIG2:
      'Each function parses path, query, headers and body by its declared schemas before it uses them; models of the gateway can not say the same, and would answer in another order than the interface promises.',
  });
  explain(api.deploymentStage, {
    APIG6:
      'Its execution log would keep paths, headers and bodies, so tokens and what visitors write; the access log of prod and the log of each function tell of every request without them.',
    ...(!stage.accessLogs && {
      APIG1:
        'Access logs need a role that an administrator sets once per account and region, which a new account lacks: in dev the logs of functions tell of requests, and prod has access logs.',
    }),
  });
}
