import * as z from 'zod';
import { doc } from '../../http/doc.ts';

/** A number of sessions, starts or completions. */
export const count = z.number().int().nonnegative();

export const percentage = z
  .number()
  .min(0)
  .max(100)
  .describe(doc('Percent, 2 decimals: completions of starts; 0 without starts.'));

/** Percent with 2 decimals; 0 without starts. */
export const conversionRate = (starts: number, completions: number): number =>
  starts === 0 ? 0 : Math.round((10_000 * completions) / starts) / 100;
