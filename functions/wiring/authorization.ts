import type { Authorization } from '../../shared/http/authorizer.ts';
import { createDynamoMembershipRepository } from '../../shared/organizations/aws/dynamo-membership-repository.ts';
import type { Role } from '../../shared/organizations/membership.ts';
import { createMembershipAuthorizer } from '../../shared/organizations/membership-authorizer.ts';
import { createOidcAuthenticator } from '../../shared/organizations/oidc/oidc-authenticator.ts';
import { requireSetting } from '../../shared/platform/settings.ts';
import { createAwsRateLimiter } from './rate-limiter.ts';

/** Accepts access tokens of the configured OIDC issuer. Memberships and rate limits are stored in DynamoDB. */
export const createAwsAuthorization = (): Authorization<Role> => ({
  authenticator: createOidcAuthenticator(() => ({
    issuer: requireSetting('oidcIssuer'),
    audience: requireSetting('oidcAudience'),
    jwksUri: requireSetting('oidcJwksUri'),
  })),
  authorizer: createMembershipAuthorizer(createDynamoMembershipRepository()),
  rateLimiter: createAwsRateLimiter(),
});
