import fc from 'fast-check';
import type { FieldDefinition, FunnelDefinition } from '../../../infra/cli/funnels/definition/funnel-definition.ts';
import { FIELD_TYPES } from '../../../shared/funnels/funnel.ts';

const word = (maxLength: number) =>
  fc.string({ unit: 'grapheme', minLength: 1, maxLength }).filter((text) => text.trim() !== '' && !text.includes('\0'));
const idOf = fc.oneof(word(20), fc.constantFrom('__proto__', 'constructor', 'toString', '😀', '"\\'));
const tidied = (text: string) => text.normalize('NFC').trim();
const optional = <T extends Record<string, fc.Arbitrary<unknown>>>(model: T) => fc.record(model, { requiredKeys: [] });
const bounds = (least: number, most: number) =>
  fc
    .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
    .map(([one, other]) => ({ min: Math.min(one, other), max: Math.max(one, other) }));
const distinct = (most: number, minLength = 0) =>
  fc.uniqueArray(word(20), { selector: tidied, minLength, maxLength: most });
const countries = fc.constantFrom('DE', 'AT', 'CH', 'US', 'JP');

/** The rules that a field of a type may have. */
const RULES: Partial<Record<FieldDefinition['type'], fc.Arbitrary<Partial<FieldDefinition>>>> = {
  text: fc.oneof(bounds(0, 100), fc.constant({})),
  number: fc.oneof(bounds(-1_000, 1_000), fc.constant({ min: 0.25 })),
  integer: bounds(-1_000, 1_000),
  rating: bounds(1, 5),
  choice: distinct(5, 1).map((choices) => ({ choices })),
  choices: distinct(5, 1).map((choices) => ({ choices, max: choices.length })),
  phone: optional({ country: countries, verifiable: fc.boolean() }) as fc.Arbitrary<Partial<FieldDefinition>>,
  email: fc.constant({ verifiable: true }),
  consent: optional({ textVersion: word(20) }) as fc.Arbitrary<Partial<FieldDefinition>>,
};

const settings = optional({
  country: countries,
  language: fc.constantFrom('de', 'en', 'pt-BR'),
  allowedOrigins: fc.constantFrom([], ['https://www.example.com', 'http://localhost:5173']),
  leadRetentionDays: fc.integer({ min: 1, max: 3_650 }),
  limits: optional({ aiTokensPerDay: fc.integer({ min: 1, max: 1e6 }) }),
  verification: optional({
    sender: word(50),
    smsCountries: fc.uniqueArray(countries),
    messages: fc.constant({ fr: { subject: 'Code', text: '{{code}}', sms: '{{code}} {{sender}}' } }),
  }),
  ai: fc.record({ systemPrompt: word(100), texts: fc.array(word(50), { maxLength: 3 }) }),
  $schema: fc.constant('./funnel.schema.json'),
});

export const funnelFiles: fc.Arbitrary<FunnelDefinition> = fc
  .record({
    name: word(50),
    settings,
    steps: fc.uniqueArray(idOf, { selector: tidied, maxLength: 4 }),
    blocks: distinct(3),
  })
  .chain(({ name, settings: said, steps, blocks }) => {
    const field = fc.record({ id: idOf, type: fc.constantFrom(...FIELD_TYPES) }).chain(({ id, type }) => {
      const block = blocks.length > 0 && type === 'file' ? { uploadBlock: fc.constantFrom(...blocks) } : {};
      const step = steps.length > 0 ? { step: fc.constantFrom(...steps), required: fc.boolean() } : {};
      const placed = fc.record({ ...step, ...block }) as fc.Arbitrary<Partial<FieldDefinition>>;
      return fc
        .tuple(RULES[type] ?? fc.constant({}), placed)
        .map(([rules, at]): FieldDefinition => ({ id, type, ...rules, ...at }));
    });
    const fields = fc.uniqueArray(field, { selector: ({ id }) => tidied(id), maxLength: 8 });
    return fields.map((declared): FunnelDefinition => {
      const file = {
        ...(said as Partial<FunnelDefinition>),
        name,
        steps: steps.map((id) => ({ id })),
        fields: declared,
        uploadBlocks: blocks.map((block) => ({ name: block, acceptedTypes: ['image/*'] })),
      };
      // Replaces -0 by 0, as storing the file as JSON does.
      return JSON.parse(JSON.stringify(file));
    });
  });
