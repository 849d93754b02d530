import { createHash } from 'node:crypto';

/**
 * Derives a UUID from texts (RFC 9562, version 8, with SHA-256), so that a repeated command uses the same id.
 *
 * @param parts texts without NUL
 */
export function deriveUuid(...parts: string[]): string {
  const bytes = createHash('sha256').update(parts.join('\0')).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
