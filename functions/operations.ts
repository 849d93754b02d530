import type { Operation } from '../shared/http/operation.ts';
import type { BackgroundFunction } from '../shared/platform/background.ts';
import { createCase } from './training/create-case/operation.ts';

/** Every operation that callers see. */
export const operations: readonly Operation[] = [createCase];

/** Every function that no caller waits for. */
export const backgroundFunctions: readonly BackgroundFunction[] = [];
