import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach } from 'vitest';
import { createDuckDbFactReader } from '../../../shared/analytics/facts/duckdb/duckdb-fact-reader.ts';
import { createDuckDbFactWriter } from '../../../shared/analytics/facts/duckdb/duckdb-fact-writer.ts';
import type { Fact } from '../../../shared/analytics/facts/fact.ts';
import { DAY_MS, MAY_31 } from './analytics.ts';
import { createMemoryFactObjects } from './memory-fact-objects.ts';

/**
 * Fact files that are objects in memory. DuckDB reads and writes them through temporary folders. Each test gets new
 * objects and folders.
 */

export const FUNNEL = '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a01';
const root = mkdtempSync(join(tmpdir(), 'fact-files-'));
afterAll(() => rmSync(root, { recursive: true }));

export let folder = root;
export let drafts = root;
export let objects = createMemoryFactObjects();
let writer = createDuckDbFactWriter(objects, { folder: drafts });
beforeEach(() => {
  folder = mkdtempSync(join(root, 'cache-'));
  drafts = mkdtempSync(join(root, 'drafts-'));
  objects = createMemoryFactObjects();
  counted = [];
  writer = createDuckDbFactWriter(objects, { folder: drafts });
});

/** The names of the metrics that the readers have recorded. */
export let counted: string[] = [];
/** Creates a reader, as a newly started process does. */
export const factFiles = (cacheBytesMax?: number) =>
  createDuckDbFactReader(
    objects,
    { recordMetric: (metric) => void counted.push(metric) },
    { folder, ...(cacheBytesMax !== undefined && { cacheBytesMax }) },
  );
export const write = (facts: readonly Fact[]) => writer.write(FUNNEL, facts, 0);
export const copies = () => readdirSync(folder).filter((name) => name.endsWith('.parquet'));
export const always = { sinceMs: 0, untilMs: MAY_31 + 10 * DAY_MS, filters: {} };
