import type { Persona } from '../../../shared/training/persona.ts';
import type { TrainingCase } from '../../../shared/training/training-case.ts';
import { DEMO_IDS } from './demo-ids.ts';

export const DEMO_CASE: TrainingCase = {
  id: DEMO_IDS.trainingCase,
  name: 'The sceptical homeowner',
  description: 'A first call with someone who was disappointed by another company.',
  situation:
    'Alex asked for an offer online. A year ago another company cancelled the installation at the last moment.',
  objective: 'Understand what went wrong before, and agree on a visit to the house.',
  successCriteria: 'Alex has named the main worry and agreed to a date for the visit.',
  difficulty: 'medium',
  dos: [
    { id: 'ask-before-offering', label: 'Ask what happened before offering anything' },
    { id: 'name-next-step', label: 'Name the next step and a date' },
  ],
  archivedAt: null,
};

export const GERMAN_CASE: TrainingCase = {
  id: DEMO_IDS.germanCase,
  name: 'Das zu teure Angebot',
  description: 'Ein Interessent hat ein günstigeres Angebot der Konkurrenz auf dem Tisch.',
  situation: 'Robin hat zwei Angebote für eine Solaranlage verglichen. Unseres ist um ein Fünftel teurer.',
  objective: 'Herausfinden, was Robin am Preis stört, und einen Termin für die Unterschrift vereinbaren.',
  successCriteria: 'Robin hat den Unterschied der Angebote verstanden und einem Termin zugestimmt.',
  difficulty: 'hard',
  dos: [
    { id: 'bedarf', label: 'Nach dem Bedarf fragen, bevor der Preis zur Sprache kommt' },
    { id: 'nutzen', label: 'Den Unterschied zum anderen Angebot erklären' },
    { id: 'termin', label: 'Den nächsten Schritt mit einem Datum vereinbaren' },
  ],
  archivedAt: null,
};

export const ARCHIVED_CASE: TrainingCase = {
  ...DEMO_CASE,
  id: DEMO_IDS.archivedCase,
  name: 'The hurried tenant',
  archivedAt: '2026-01-15T09:00:00.000Z',
};

/** Creates the demo's personas. Locally, the rehearsal agent plays them. */
export function demoPersonas(createdAt: string): [english: Persona, german: Persona] {
  const [english, german] = DEMO_IDS.personas;
  return [
    {
      id: english,
      name: 'Alex Example',
      language: 'en',
      character: 'A careful homeowner who answers in short sentences and asks for proof of every promise.',
      mood: 'friendly, but cautious since the last company broke its word',
      objections: ['You will cancel at the last moment too', 'I cannot take another week off for nothing'],
      agentId: 'agent_demo_1',
      createdAt,
    },
    {
      id: german,
      name: 'Robin Muster',
      language: 'de',
      character: 'Eilig und direkt; vergleicht jedes Angebot und will nach einer Minute einen Preis hören.',
      mood: 'ungeduldig, aber für gute Argumente offen',
      objections: ['Das andere Angebot ist viel günstiger', 'Ich muss das erst mit meiner Partnerin besprechen'],
      agentId: 'agent_demo_2',
      createdAt,
    },
  ];
}
