import { hash } from 'node:crypto';

/** A session's key in facts and files: the first 8 bytes of SHA-256(funnelId, 0, sessionId), as a signed integer. */
export function sessionKey(funnelId: string, sessionId: string): bigint {
  return hash('sha256', `${funnelId}\0${sessionId}`, 'buffer').readBigInt64BE();
}
