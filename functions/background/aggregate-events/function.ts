import { declareBackgroundFunction } from '../../declare-background-function.ts';

export const aggregateEventsFunction = declareBackgroundFunction('background/aggregate-events', {
  summary: 'Reduces analytics events from the stream to fresh facts',
  // `parallelBatchesPerShard` applies only to prod. Other stages process one batch of a shard at a time
  // (`streaming-stack.ts`).
  trigger: { stream: 'events', batchRecords: 100, parallelBatchesPerShard: 2 },
  grants: ['events:consume', 'fresh-facts:write', 'dead-letters:write'],
  limits: { timeoutSeconds: 60, memoryMb: 512 },
});
