import { createDynamoRateLimiter } from '../../shared/limits/aws/dynamo-rate-limiter.ts';
import { areRateLimitsDisabled, unlimitedRateLimiter } from '../../shared/limits/rate-limits-disabled.ts';
import type { RateLimiter } from '../../shared/platform/rate-limiter.ts';

export const createAwsRateLimiter = (options?: Parameters<typeof createDynamoRateLimiter>[0]): RateLimiter =>
  areRateLimitsDisabled() ? unlimitedRateLimiter : createDynamoRateLimiter(options);
