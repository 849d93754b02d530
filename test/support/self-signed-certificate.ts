import { generateKeyPairSync, sign } from 'node:crypto';

/** DER of an ASN.1 value. `tag` is in hexadecimal. */
function der(tag: string, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const length =
    content.length < 0x80
      ? Buffer.from([content.length])
      : Buffer.from([0x82, content.length >> 8, content.length & 0xff]);
  return Buffer.concat([Buffer.from(tag, 'hex'), length, content]);
}

const SEQUENCE = '30';
const ECDSA_WITH_SHA256 = der(SEQUENCE, Buffer.from('06082a8648ce3d040302', 'hex'));
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SUBJECT_ALTERNATIVE_NAME = Buffer.from('0603551d11', 'hex');
const VERSION_3 = Buffer.from('a003020102', 'hex');

const pem = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64')}\n-----END ${label}-----\n`;

/** UTCTime, for example `261123180000Z`. */
const utcTime = (atMs: number): Buffer =>
  der('17', Buffer.from(`${new Date(atMs).toISOString().slice(2, 19).replaceAll(/\D/g, '')}Z`));

const DAY_MS = 86_400_000;

/** Creates a certificate (RFC 5280) for a hostname. It is valid for two days that end at `expiresAtMs`. */
export function selfSignedCertificate(hostname: string, expiresAtMs = Date.now() + DAY_MS) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = der(SEQUENCE, der('31', der(SEQUENCE, COMMON_NAME, der('0c', Buffer.from('test')))));
  const dnsNames = der(SEQUENCE, der('82', Buffer.from(hostname)));
  const signed = der(
    SEQUENCE,
    VERSION_3,
    der('02', Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name,
    der(SEQUENCE, utcTime(expiresAtMs - 2 * DAY_MS), utcTime(expiresAtMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der('a3', der(SEQUENCE, der(SEQUENCE, SUBJECT_ALTERNATIVE_NAME, der('04', dnsNames)))),
  );
  const signature = der('03', Buffer.from([0]), sign('sha256', signed, privateKey));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: pem('CERTIFICATE', der(SEQUENCE, signed, ECDSA_WITH_SHA256, signature)),
  };
}
