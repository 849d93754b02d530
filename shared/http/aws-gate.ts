import { dynamoLimiter } from '../limits/dynamo-limiter.ts';
import { unlimited } from '../limits/limiter.ts';
import { createDynamoMembershipRepository } from '../organizations/aws/dynamo-membership-repository.ts';
import { config, rateLimitsLifted } from '../platform/config.ts';
import { type Gate, memberGate } from './gate.ts';
import { oidcTokens } from './tokens.ts';

/** The gate as deployed: tokens of the configured issuer, memberships and limits in DynamoDB. */
export const awsGate = (): Gate =>
  memberGate({
    tokens: oidcTokens(() => ({
      issuer: config('oidcIssuer'),
      audience: config('oidcAudience'),
      jwksUri: config('oidcJwksUri'),
    })),
    memberships: createDynamoMembershipRepository(),
    limiter: rateLimitsLifted() ? unlimited : dynamoLimiter(),
  });
