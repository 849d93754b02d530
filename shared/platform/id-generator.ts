import { randomBytes, randomUUID } from 'node:crypto';

export type IdGenerator = {
  uuid(): string;
  /** `bytes` random bytes in base64url. */
  randomSecret(bytes: number): string;
};

export const systemIdGenerator: IdGenerator = {
  uuid: () => randomUUID(),
  randomSecret: (bytes) => randomBytes(bytes).toString('base64url'),
};
