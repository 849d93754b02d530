import { createHash } from 'node:crypto';

/** The namespace of user ids. Changing it would give every user a new id. */
const NAMESPACE = Buffer.from('6a1f0b2e9c4d4f0e8a57c3d2b1e0f9a8', 'hex');

/**
 * The id of a user in this service: the UUIDv5 (RFC 9562, 5.5) of issuer and subject. Not every `sub` is a UUID, and
 * two issuers can use the same `sub`. NUL separates the two parts, because no issuer URL contains NUL.
 */
export function deriveUserId(issuer: string, subject: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(`${issuer}\0${subject}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
