import { type Authorization, createMembershipAuthorization } from '../../shared/http/authorizer.ts';
import { createDynamoRateLimiter } from '../../shared/limits/aws/dynamo-rate-limiter.ts';
import { createDynamoMembershipRepository } from '../../shared/organizations/aws/dynamo-membership-repository.ts';
import { createOidcAuthenticator } from '../../shared/organizations/oidc/oidc-authenticator.ts';
import { unlimitedRateLimiter } from '../../shared/platform/rate-limiter.ts';
import { areRateLimitsDisabled, requireSetting } from '../../shared/platform/settings.ts';

/** The gate as deployed: tokens of the configured issuer, memberships and limits in DynamoDB. */
export const createAwsAuthorization = (): Authorization =>
  createMembershipAuthorization({
    tokens: createOidcAuthenticator(() => ({
      issuer: requireSetting('oidcIssuer'),
      audience: requireSetting('oidcAudience'),
      jwksUri: requireSetting('oidcJwksUri'),
    })),
    memberships: createDynamoMembershipRepository(),
    limiter: areRateLimitsDisabled() ? unlimitedRateLimiter : createDynamoRateLimiter(),
  });
