import type { LaneKey } from './lane.ts';

/**
 * The lanes that a run of `dispatchMessages` has raised and not served yet. The indexes are eventually consistent, so
 * without this list, the run would find most of these lanes too late.
 */
export type RaisedLanes = {
  add(lane: LaneKey): void;
  endpointIds(): string[];
  /** Removes the lanes of an endpoint from the list, and returns them. */
  take(endpointId: string): LaneKey[];
};

export function createRaisedLanes(): RaisedLanes {
  const byEndpoint = new Map<string, LaneKey[]>();
  return {
    add: (lane) => {
      const lanes = byEndpoint.get(lane.endpointId);
      if (lanes === undefined) byEndpoint.set(lane.endpointId, [lane]);
      else lanes.push(lane);
    },
    endpointIds: () => [...byEndpoint.keys()],
    take: (endpointId) => {
      const lanes = byEndpoint.get(endpointId) ?? [];
      byEndpoint.delete(endpointId);
      return lanes;
    },
  };
}
