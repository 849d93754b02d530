import { randomBytes, randomUUID } from 'node:crypto';

/** Where identifiers and secrets of chance come from. */
export type Ids = {
  uuid(): string;
  /** `bytes` random bytes as base64url. */
  token(bytes: number): string;
};

export const systemIds: Ids = {
  uuid: () => randomUUID(),
  token: (bytes) => randomBytes(bytes).toString('base64url'),
};
