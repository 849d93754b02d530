import { AGREEMENTS } from './agreement-concepts.ts';
import type { Concept } from './concept.ts';
import { NEEDS } from './needs-concepts.ts';
import { OFFERS } from './offer-concepts.ts';

/**
 * Dos name subjects, trainees speak of them in other words; this is the bridge, in German and English at once, because
 * a case may be written in one language and spoken in the other. Our own lists, measured by `coverage.test.ts`.
 */
export const CONCEPTS: readonly (() => Concept)[] = [...NEEDS, ...OFFERS, ...AGREEMENTS];
