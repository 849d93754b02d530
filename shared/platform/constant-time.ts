import { timingSafeEqual } from 'node:crypto';

/** Compares two texts. The duration does not depend on where they differ, so that it reveals nothing about a secret. */
export function isEqualConstantTime(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
