import { timingSafeEqual } from 'node:crypto';

/** Compares two texts. The duration can reveal the length of a secret, but not where the texts differ. */
export function isEqualConstantTime(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
