import * as z from 'zod';
import { Field, type FunnelVersion } from '../../../shared/directory/funnel.ts';
import { DEMO_IDS } from './demo-ids.ts';

const DeclaredFields = z.array(Field);

/** What the demo page asks for. Together the fields have every type; the page itself offers no upload yet. */
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
  { id: 'roof_photo', type: 'file', stepId: 'details' },
  { id: 'notes', type: 'long_text', stepId: 'details', max: 2_000 },
  { id: 'name', type: 'text', required: true, stepId: 'contact', min: 2, max: 120 },
  { id: 'email', type: 'email', required: true, stepId: 'contact', verifiable: true },
  { id: 'phone', type: 'phone', stepId: 'contact', country: 'DE', verifiable: true },
  { id: 'consent', type: 'consent', required: true, stepId: 'contact' },
];

/** The published version of the demo's funnel. */
export const demoVersion = (): FunnelVersion => ({
  id: DEMO_IDS.version,
  funnelId: DEMO_IDS.funnel,
  fields: DeclaredFields.parse(FIELDS),
  country: 'DE',
});
