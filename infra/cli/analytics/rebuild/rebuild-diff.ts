import { compareFirstEvents, type Fact } from '../../../../shared/analytics/facts/fact.ts';

/**
 * Counts the sessions in a funnel's fact files before and after a rebuild. Also counts the sessions that the rebuild
 * loses, finds or changes. Erased sessions are not counted.
 */
export type RebuildDiff = {
  before: number;
  after: number;
  /** Sessions that are in replaced files, but neither in the raw events nor in the files that stay listed. */
  lost: number;
  startsLost: number;
  completionsLost: number;
  /** Sessions that would lose their first event, so that a later event becomes the first event. */
  firstEventsLost: number;
  /** Replaced files that are missing or damaged. The rebuild loses sessions that are only in these files. */
  filesUnreadable: number;
  /** Sessions that are in raw events, but in no fact file. */
  found: number;
  startsFound: number;
  completionsFound: number;
  /** Sessions that would get an earlier first event. */
  firstEventsFound: number;
};

export const createEmptyDiff = (): RebuildDiff => ({
  before: 0,
  after: 0,
  lost: 0,
  startsLost: 0,
  completionsLost: 0,
  firstEventsLost: 0,
  filesUnreadable: 0,
  found: 0,
  startsFound: 0,
  completionsFound: 0,
  firstEventsFound: 0,
});

export const hasLosses = (of: RebuildDiff): boolean =>
  of.lost + of.startsLost + of.completionsLost + of.firstEventsLost + of.filesUnreadable > 0;

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
