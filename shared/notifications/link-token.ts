import { createHmac } from 'node:crypto';
import { isEqualConstantTime } from '../platform/constant-time.ts';
import type { AddressIds } from './notification-address.ts';

export type LinkPurpose = 'confirm' | 'unsubscribe';
export type Link = AddressIds & { purpose: LinkPurpose };

/** How long the link in a confirmation mail is valid. Links that unsubscribe do not expire. */
export const CONFIRMATION_DAYS = 7;
const DAY_SECONDS = 86_400;

/** Purpose, expiry in epoch seconds (0: never), organization and address: 1 + 4 + 16 + 16 bytes. */
const PAYLOAD_BYTES = 37;
const PURPOSE_CODES = { confirm: 1, unsubscribe: 2 } as const;
/** Path of the operations that show and follow a link, without the token. */
export const LINK_PATH = '/api/v2/public/notifications/';
/** The payload and 32 bytes of its HMAC, in base64url. */
export const LINK_TOKEN = /^[A-Za-z0-9_-]{92}$/;

/**
 * Returns the token of a link in a mail. The token proves that the sender of a request has received the mail. It allows
 * only what `purpose` names.
 */
export function createLinkToken(secret: string, { orgId, addressId, purpose }: Link, nowMs: number): string {
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  payload.writeUInt8(PURPOSE_CODES[purpose], 0);
  payload.writeUInt32BE(purpose === 'confirm' ? Math.ceil(nowMs / 1_000) + CONFIRMATION_DAYS * DAY_SECONDS : 0, 1);
  payload.write(orgId.replaceAll('-', ''), 5, 'hex');
  payload.write(addressId.replaceAll('-', ''), 21, 'hex');
  return Buffer.concat([payload, macOf(secret, payload)]).toString('base64url');
}

/**
 * Returns what a token allows; `invalid` if this service did not create the token; `expired` if the token has expired.
 */
export function verifyLinkToken(secret: string, token: string, nowMs: number): Link | 'invalid' | 'expired' {
  const bytes = Buffer.from(token, 'base64url');
  const [payload, mac] = [bytes.subarray(0, PAYLOAD_BYTES), bytes.subarray(PAYLOAD_BYTES)];
  if (!isEqualConstantTime(mac.toString('hex'), macOf(secret, payload).toString('hex'))) return 'invalid';
  const expiresAt = payload.readUInt32BE(1);
  if (expiresAt !== 0 && nowMs >= expiresAt * 1_000) return 'expired';
  return {
    purpose: payload.readUInt8(0) === PURPOSE_CODES.confirm ? 'confirm' : 'unsubscribe',
    orgId: uuidOf(payload.subarray(5, 21)),
    addressId: uuidOf(payload.subarray(21, 37)),
  };
}

const macOf = (secret: string, payload: Buffer): Buffer => createHmac('sha256', secret).update(payload).digest();

const uuidOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
