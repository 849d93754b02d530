import type { Operation } from '../shared/http/operation.ts';
import type { BackgroundFunction } from '../shared/platform/background.ts';
import { aggregateEvents } from './background/aggregate-events/function.ts';
import { ingestAnalytics } from './funnel/ingest-analytics/operation.ts';
import { createCase } from './training/create-case/operation.ts';

/** Every operation that callers see. */
export const operations: readonly Operation[] = [createCase, ingestAnalytics];

/** Every function that no caller waits for. */
export const backgroundFunctions: readonly BackgroundFunction[] = [aggregateEvents];
