import * as z from 'zod/mini';
import { AiBlock, Field, type FunnelVersion } from '../../../shared/funnels/funnel.ts';
import { DEMO_IDS } from './demo-ids.ts';

const DeclaredFields = z.array(Field);

/** The fields of the demo funnel, with at least one field of each type. */
const FIELDS: z.input<typeof DeclaredFields> = [
  {
    id: 'building',
    type: 'choice',
    required: true,
    stepId: 'project',
    choices: ['detached', 'terraced', 'apartments', 'business'],
  },
  {
    id: 'interests',
    type: 'choices',
    required: true,
    stepId: 'project',
    choices: ['panels', 'battery', 'charger', 'heat_pump'],
  },
  { id: 'roof_area', type: 'number', stepId: 'project', min: 5, max: 5_000 },
  { id: 'owner', type: 'boolean', stepId: 'project' },
  { id: 'estimate', type: 'json', stepId: 'project' },
  { id: 'residents', type: 'integer', required: true, stepId: 'details', min: 1, max: 20 },
  { id: 'start_date', type: 'date', stepId: 'details' },
  { id: 'address', type: 'address', stepId: 'details' },
  { id: 'urgency', type: 'rating', stepId: 'details', min: 1, max: 5 },
  { id: 'plan_url', type: 'url', stepId: 'details' },
  { id: 'roof_photo', type: 'file', stepId: 'details', blockId: DEMO_IDS.uploadBlock },
  { id: 'notes', type: 'long_text', stepId: 'details', max: 2_000 },
  { id: 'name', type: 'text', required: true, stepId: 'contact', min: 2, max: 120 },
  { id: 'email', type: 'email', required: true, stepId: 'contact', verifiable: true },
  { id: 'phone', type: 'phone', stepId: 'contact', country: 'DE', verifiable: true },
  { id: 'consent', type: 'consent', required: true, stepId: 'contact' },
];

const AI: z.input<typeof AiBlock> = {
  id: DEMO_IDS.aiBlock,
  systemPrompt:
    'You advise homeowners on solar power on the page of Northlight Solar, in two or three sentences. You never name a price.',
  texts: [
    'Northlight Solar plans, installs and maintains solar systems for homes and small businesses, from the ' +
      'first sketch to the day it feeds the grid.',
    'A roof that faces south, east or west is fit for panels; a slope of 20 to 40 degrees is best, and little shade. ' +
      'A photo of the roof is enough for a first estimate.',
    'With a battery you use the power of the day in the evening: ' +
      'a household then covers about 70 percent of its needs itself, without one about 30 percent.',
    'From the first call to the finished system it takes eight to twelve weeks; the installation itself takes two to three days.',
    'We take care of the papers: registration with the grid operator, the tax form and, where there is one, the subsidy.',
    'The panels have a warranty of 25 years, the battery one of 10, and our own work one of 5.',
    'A charger for an electric car and a heat pump can be added at once or later; both are paid back faster with power from your own roof.',
    'Northlight Solar plant, montiert und betreut Solaranlagen für Wohnhäuser und kleine Betriebe, von der ' +
      'ersten Skizze bis zur Einspeisung.',
    'Ein Dach nach Süden, Osten oder Westen eignet sich für Module, am besten mit 20 bis 40 Grad Neigung und wenig ' +
      'Schatten. Für eine erste Schätzung genügt ein Foto vom Dach.',
    'Mit einem Batteriespeicher nutzen Sie den Strom des Tages am Abend: Ein Haushalt deckt dann etwa 70 ' +
      'Prozent seines Bedarfs selbst, ohne Speicher etwa 30 Prozent.',
    'Vom ersten Gespräch bis zur fertigen Anlage dauert es acht bis zwölf Wochen, die Montage selbst zwei bis drei Tage.',
    'Um die Formalitäten kümmern wir uns: die Anmeldung beim Netzbetreiber, das Steuerformular und, wo es sie gibt, die Förderung.',
    'Auf die Module gibt es 25 Jahre Garantie, auf den Speicher 10 und auf unsere Arbeit 5.',
    'Eine Wallbox für das Elektroauto und eine Wärmepumpe lassen sich gleich oder später ergänzen; beides ' +
      'rechnet sich mit Strom vom eigenen Dach schneller.',
  ],
};

/** The published version of the demo's funnel. */
export const demoVersion = (): FunnelVersion => ({
  id: DEMO_IDS.version,
  funnelId: DEMO_IDS.funnel,
  fields: DeclaredFields.parse(FIELDS),
  steps: [
    { id: 'project', title: 'Your home' },
    { id: 'details', title: 'Your plans' },
    { id: 'contact', title: 'Your offer' },
  ],
  country: 'DE',
  ai: AiBlock.parse(AI),
});
