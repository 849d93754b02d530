import { EVENTS } from './events-view.ts';
import { FUNNEL_DAILY } from './funnel-daily-view.ts';
import { FUNNEL_STEPS } from './funnel-steps-view.ts';
import type { LakeView } from './lake-view.ts';
import { SESSIONS } from './sessions-view.ts';

/** The views for analysts, in the order of their creation. A view comes after the views that it reads. */
export const LAKE_VIEWS: readonly LakeView[] = [SESSIONS, EVENTS, FUNNEL_DAILY, FUNNEL_STEPS];
