import type { Method, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { explain } from '../../nag/acknowledge-findings.ts';
import type { Stage } from '../../settings/stages.ts';

const TOKENS =
  'Its function first verifies the token of the configured OIDC issuer, and then the membership in the organization of ' +
  'the path. An authorizer would decide without the membership, and its responses could reveal which resources exist.';
const PUBLIC =
  'Its callers have no account: visitors of pages, who are limited by address and prove access to a lead with its update ' +
  'token, recipients of mails, whose links contain a signed token, and the voice provider, which signs its requests.';

/** Explains to the security review why a method has no authorizer of the gateway. */
export const acknowledgeMethodFindings = (method: Method, isPublic: boolean): Method => {
  const reason = isPublic ? PUBLIC : TOKENS;
  return explain(method, { APIG4: reason, COG4: reason });
};

/** Explains why the gateway validates no bodies, has no execution log, and has an access log only in prod. */
export function acknowledgeGatewayFindings(api: RestApi, stage: Stage): void {
  explain(api, {
    APIG2:
      'Each function parses path, query, headers and body with its declared schemas before it uses them. Models of the ' +
      'gateway cannot express these schemas, and would validate in another order than the API promises.',
  });
  explain(api.deploymentStage, {
    APIG6:
      'An execution log would keep paths, headers and bodies, and with them tokens and texts of visitors. The access log of ' +
      'prod and the logs of functions record every request without tokens and texts.',
    ...(!stage.accessLogs && {
      APIG1:
        'Access logs need a role that an administrator sets once per account and region. A new account lacks this role. In ' +
        'dev and previews, the logs of functions contain every request. Prod has access logs.',
    }),
  });
}
