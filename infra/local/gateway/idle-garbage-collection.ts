import type { Server } from 'node:http';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Time without requests before a collection. */
const IDLE_MS = 40;
/**
 * If there is less garbage, it is not collected, because a collection takes about 80 ms. A dozen requests with bodies
 * of a megabyte leave about this much garbage.
 */
const GARBAGE_BYTES_MIN = 48 * 1_024 * 1_024;

export type Heap = { /** Bytes of objects and of the buffers that they hold. */ bytes(): number; collect(): void };

/**
 * Collects garbage while no request is running. Otherwise, V8 would collect during a request, and the threads of V8
 * would compete with the request for the processors.
 */
export function collectGarbageWhenIdle(server: Server, heap: Heap = createV8Heap()): void {
  let [runningRequests, liveBytes] = [0, heap.bytes()];
  const idleTimer = setTimeout(() => {
    if (runningRequests > 0) return;
    const bytes = heap.bytes();
    // V8 frees some buffers only after a collection, and also collects by itself. Therefore, the heap can be smaller
    // than `liveBytes`.
    liveBytes = Math.min(liveBytes, bytes);
    if (bytes - liveBytes < GARBAGE_BYTES_MIN) return;
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
