import * as z from 'zod/mini';
import { docText, withDocs } from '../../http/schema-docs.ts';

export const countSchema = z.int().check(z.nonnegative());

export const percentageSchema = withDocs(
  z.number().check(z.minimum(0), z.maximum(100)),
  docText('Completions as a percentage of starts, with 2 decimals. 0 without starts.'),
);

export const conversionRate = (starts: number, completions: number): number =>
  starts === 0 ? 0 : Math.round((10_000 * completions) / starts) / 100;
