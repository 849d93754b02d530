import { EVENTS } from './events-view.ts';
import { FUNNEL_DAILY } from './funnel-daily-view.ts';
import { FUNNEL_STEPS } from './funnel-steps-view.ts';
import type { LakeView } from './lake-view.ts';
import { SESSIONS } from './sessions-view.ts';

/** The analysts' views, in the order in which they can be made. */
export const LAKE_VIEWS: readonly LakeView[] = [SESSIONS, EVENTS, FUNNEL_DAILY, FUNNEL_STEPS];
