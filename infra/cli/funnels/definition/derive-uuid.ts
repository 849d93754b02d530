import { createHash } from 'node:crypto';

/**
 * A UUID of what it stands for (RFC 9562, version 8: of SHA-256), so that a repeated command means the same thing again.
 *
 * @param parts texts without NUL
 */
export function deriveUuid(...parts: string[]): string {
  const bytes = createHash('sha256').update(parts.join('\0')).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
