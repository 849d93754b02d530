import type { Server } from 'node:http';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Time without requests before a collection. */
const IDLE_MS = 40;
/** A collection takes about 80 ms. Requests with bodies of a megabyte leave this much garbage after about a dozen. */
const GARBAGE_BYTES_MIN = 48 * 1_024 * 1_024;

export type Heap = { /** Bytes of objects and of the buffers that they hold. */ bytes(): number; collect(): void };

/**
 * Collects garbage while no request is running. V8 would collect in the middle of a request, and its threads would
 * compete with the request for the two processors.
 */
export function collectGarbageWhenIdle(server: Server, heap: Heap = createV8Heap()): void {
  let [runningRequests, liveBytes] = [0, heap.bytes()];
  const idleTimer = setTimeout(() => {
    if (runningRequests > 0 || heap.bytes() - liveBytes < GARBAGE_BYTES_MIN) return;
    heap.collect();
    liveBytes = heap.bytes();
  }, IDLE_MS).unref();
  server.on('request', (_, response) => {
    runningRequests++;
    response.once('close', () => {
      runningRequests--;
      idleTimer.refresh();
    });
  });
}

function createV8Heap(): Heap {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const bytes = () => {
    const { used_heap_size: objectBytes, external_memory: bufferBytes } = getHeapStatistics();
    return objectBytes + bufferBytes;
  };
  return { bytes, collect };
}
