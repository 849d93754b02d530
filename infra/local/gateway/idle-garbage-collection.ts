import type { Server } from 'node:http';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A pause between two requests in which nobody waits. */
const IDLE_MS = 40;
/** Worth a collection, which takes some 80 ms: a dozen requests of a megabyte leave it behind. */
const GARBAGE_BYTES = 48 * 1_024 * 1_024;

export type Heap = { /** Of objects and of the bytes that they hold. */ bytes(): number; collect(): void };

/**
 * Collects garbage while nobody waits. V8 would begin to when enough has piled up, in the midst of a request, and share
 * two processors with it for as long as it takes.
 */
export function collectGarbageWhenIdle(server: Server, heap: Heap = ownHeap()): void {
  let [underWay, live] = [0, heap.bytes()];
  const idle = setTimeout(() => {
    if (underWay > 0 || heap.bytes() - live < GARBAGE_BYTES) return;
    heap.collect();
    live = heap.bytes();
  }, IDLE_MS).unref();
  server.on('request', (_, response) => {
    underWay++;
    response.once('close', () => {
      underWay--;
      idle.refresh();
    });
  });
}

function ownHeap(): Heap {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const bytes = () => {
    const { used_heap_size: objects, external_memory: held } = getHeapStatistics();
    return objects + held;
  };
  return { bytes, collect };
}
