import { compareFirstEvents, type Fact } from '../../../../shared/analytics/facts/fact.ts';

/** How the sessions of a funnel differ before and after a rebuild; numbers of sessions. */
export type RebuildDiff = {
  before: number;
  after: number;
  /** Only in the facts so far: the raw events know nothing of them. */
  lost: number;
  startsLost: number;
  completionsLost: number;
  /** Whose earliest known event would be a later one. */
  firstEventsLost: number;
  /** Only in the raw events. */
  found: number;
  startsFound: number;
  completionsFound: number;
  /** Whose first event turns out to be an earlier one. */
  firstEventsFound: number;
};

export const createEmptyDiff = (): RebuildDiff => ({
  ...{ before: 0, after: 0 },
  ...{ lost: 0, startsLost: 0, completionsLost: 0, firstEventsLost: 0 },
  ...{ found: 0, startsFound: 0, completionsFound: 0, firstEventsFound: 0 },
});

/** Whether anything that is counted now would be forgotten. */
export const hasLosses = (of: RebuildDiff): boolean =>
  of.lost + of.startsLost + of.completionsLost + of.firstEventsLost > 0;

/** Counts one session. */
export function addSessionToDiff(counted: RebuildDiff, before: Fact | undefined, after: Fact | undefined): void {
  if (before !== undefined) counted.before++;
  if (after !== undefined) counted.after++;
  if (before === undefined) counted.found += after === undefined ? 0 : 1;
  else if (after === undefined) counted.lost++;
  else compareBoth(counted, before, after);
}

function compareBoth(counted: RebuildDiff, before: Fact, after: Fact): void {
  if (before.started && !after.started) counted.startsLost++;
  if (after.started && !before.started) counted.startsFound++;
  if (before.completed && !after.completed) counted.completionsLost++;
  if (after.completed && !before.completed) counted.completionsFound++;
  const order = compareFirstEvents(before, after);
  if (order < 0) counted.firstEventsLost++;
  if (order > 0) counted.firstEventsFound++;
}
