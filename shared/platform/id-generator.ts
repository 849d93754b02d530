import { randomBytes, randomUUID } from 'node:crypto';

/** Where identifiers and secrets of chance come from. */
export type IdGenerator = {
  uuid(): string;
  /** `bytes` random bytes as base64url. */
  randomSecret(bytes: number): string;
};

export const systemIdGenerator: IdGenerator = {
  uuid: () => randomUUID(),
  randomSecret: (bytes) => randomBytes(bytes).toString('base64url'),
};
