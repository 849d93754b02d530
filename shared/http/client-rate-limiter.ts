import type { Logger } from '../platform/logger.ts';
import type { AddressSource } from './client-address.ts';
import type { Operation } from './operation.ts';

export type ClientRateLimiter = {
  /**
   * Counts a request of a public operation against its `perClient` limits.
   *
   * @throws HttpError 429 when a limit is exceeded; UnavailableError when requests can't be counted
   */
  check(operation: Pick<Operation, 'id' | 'limits'>, source: AddressSource & { log: Logger }): Promise<void>;
};
