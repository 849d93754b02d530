import { createHash } from 'node:crypto';

/** Namespace of user ids. Changing it would change every user id. */
const NAMESPACE = Buffer.from('6a1f0b2e9c4d4f0e8a57c3d2b1e0f9a8', 'hex');

/**
 * Derives a user's id: UUIDv5 (RFC 9562, 5.5) of issuer and subject, because a `sub` need not be a UUID and two issuers
 * may use the same `sub`. The separator NUL cannot occur in an issuer URL.
 */
export function deriveUserId(issuer: string, subject: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(`${issuer}\0${subject}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
