import type { Operation } from '../shared/http/operation.ts';
import type { BackgroundFunction } from '../shared/platform/background.ts';
import { overview } from './analytics/overview/operation.ts';
import { aggregateEvents } from './background/aggregate-events/function.ts';
import { compactFacts } from './background/compact-facts/function.ts';
import { ingestAnalytics } from './funnel/ingest-analytics/operation.ts';
import { submit } from './funnel/submit/operation.ts';
import { createCase } from './training/create-case/operation.ts';

/** Every operation that callers see. */
export const operations: readonly Operation[] = [overview, ingestAnalytics, submit, createCase];

/** Every function that no caller waits for. */
export const backgroundFunctions: readonly BackgroundFunction[] = [aggregateEvents, compactFacts];
