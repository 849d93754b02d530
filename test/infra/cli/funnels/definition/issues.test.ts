import { expect, test } from 'vitest';
import { aFunnelDefinition, issuesIn } from '../../../../support/cli/funnel-definition.ts';

const field = (said: object) => aFunnelDefinition({ fields: [{ id: 'x', type: 'text', ...said }] });
const fields = (...said: object[]) => ({ ...aFunnelDefinition(), fields: said });
const file = (said: object) => ({ ...aFunnelDefinition(), ...said });
const messages = (language: string, said: object = {}) =>
  file({ verification: { messages: { [language]: { subject: 'S', text: '{{code}}', sms: '{{code}}', ...said } } } });
const times = (count: number) => Array.from({ length: count }, (_, at) => at);

test('a valid file has no issues', () => {
  expect(issuesIn(aFunnelDefinition())).toEqual([]);
  expect(issuesIn({ name: 'No fields', fields: [] })).toEqual([]);
});

test.each<[string, unknown, string | RegExp]>([
  ['a value that is not an object', [], ': Must be an object in { }.'],
  ['a missing property', { fields: [] }, 'name: This property is required.'],
  ['a blank name', file({ name: ' ' }), 'name: Must not be blank.'],
  ['a name that is not a text', file({ name: 3 }), 'name: Must be a string.'],
  [
    'a typo in a name',
    file({ allowedOrigin: [] }),
    'allowedOrigin: "allowedOrigin" is not a known property here; did you mean "allowedOrigins"?',
  ],
  ['a property without a similar known one', file({ zebra: 1 }), 'zebra: "zebra" is not a known property here.'],
  ['a property with a blank', file({ 'a b': 1 }), '["a b"]: "a b" is not a known property here.'],
  [
    'an unknown type',
    field({ type: 'emial' }),
    /^fields\[0\]\.type: Must be one of text, .*json; did you mean "email"\?$/,
  ],
  ['another spelling of a type', field({ type: 'LongText' }), /did you mean "long_text"\?$/],
  [
    'an id twice',
    fields({ id: 'a', type: 'text' }, { id: 'a', type: 'date' }),
    'fields[1].id: Must be unique: fields[0] has the same id.',
  ],
  ['an id that is too long for a lead', field({ id: 'x'.repeat(129) }), 'fields[0].id: Must have 1 to 128 characters.'],
  ['an empty id', field({ id: '' }), 'fields[0].id: Must have 1 to 128 characters.'],
  ['NUL', field({ id: 'a\0b' }), 'fields[0].id: Must not contain the character NUL.'],
  ['half of an emoji', field({ id: 'a\ud83d' }), 'fields[0].id: Must not contain half of a surrogate pair.'],
  [
    'more fields than a lead has keys',
    fields(...times(201).map((at) => ({ id: `${at}`, type: 'text' }))),
    'fields: Must have at most 200 elements.',
  ],
  [
    'a step twice',
    aFunnelDefinition({ steps: [{ id: 'contact' }, { id: 'contact' }] }),
    'steps[1].id: Must be unique: steps[0] has the same id.',
  ],
  [
    'a step that does not exist',
    field({ step: 'contcat' }),
    'fields[0].step: No step has the id "contcat"; did you mean "contact"?',
  ],
  [
    'a long step id',
    aFunnelDefinition({ steps: [{ id: 'contact' }, { id: 's'.repeat(129) }] }),
    'steps[1].id: Must have 1 to 128 characters.',
  ],
  ['required without a step', field({ required: true }), /^fields\[0\]\.required: Has no effect without a step/],
  ['no choices', field({ type: 'choice' }), /^fields\[0\]\.choices: This property is required/],
  [
    'an empty list of choices',
    field({ type: 'choice', choices: [] }),
    'fields[0].choices: Must have at least 1 element.',
  ],
  [
    'choices of a text',
    field({ choices: ['a'] }),
    'fields[0].choices: Has no effect for text: it is for choice and choices.',
  ],
  [
    'a choice twice',
    field({ type: 'choice', choices: ['a', 'b', 'a '] }),
    'fields[0].choices[2]: Must be unique: choices[0] is the same.',
  ],
  ['min over max', field({ min: 3, max: 2 }), 'fields[0].min: Is more than the maximum of 2: no value would be valid.'],
  [
    'min over the maximum of the type',
    field({ type: 'rating', min: 6 }),
    /^fields\[0\]\.min: Is more than the maximum of 5/,
  ],
  [
    'max under the minimum of the type',
    field({ type: 'rating', max: 0 }),
    /^fields\[0\]\.max: Is less than the minimum of 1/,
  ],
  [
    'more choices than there are',
    field({ type: 'choices', choices: ['a'], min: 2, max: 3 }),
    /^fields\[0\]\.min: Is more than the number of choices, 1/,
  ],
  ['half a character', field({ min: 0.5 }), 'fields[0].min: Must be a whole number for text.'],
  ['less than no characters', field({ min: -1 }), 'fields[0].min: Must be at least 0.'],
  ['min of a type without a size', field({ type: 'date', min: 3 }), /^fields\[0\]\.min: Has no effect for date/],
  [
    'a verifiable text',
    field({ verifiable: true }),
    'fields[0].verifiable: Has no effect for text: it is for email and phone.',
  ],
  [
    'a text version of a field other than consent',
    field({ textVersion: '1' }),
    /^fields\[0\]\.textVersion: Has no effect for text/,
  ],
  [
    'an unknown upload block',
    field({ type: 'file', uploadBlock: 'Photo' }),
    'fields[0].uploadBlock: No upload block has the name "Photo".',
  ],
  [
    'an unknown block id',
    field({ type: 'file', blockId: 'f5b1c3de-0000-4000-8000-000000000000' }),
    /^fields\[0\]\.blockId: No upload block has the id/,
  ],
  [
    'a block id in capitals',
    field({ type: 'file', blockId: 'F5B1C3DE-0000-4000-8000-000000000000' }),
    'fields[0].blockId: Must be a UUID in lower case.',
  ],
  [
    'an upload block of a text',
    { ...field({ uploadBlock: 'P' }), uploadBlocks: [{ name: 'P' }] },
    /uploadBlock: Has no effect for text: it is for file/,
  ],
  [
    'a block name twice',
    file({ uploadBlocks: [{ name: 'P' }, { name: 'P' }] }),
    'uploadBlocks[1].name: Must be unique: uploadBlocks[0] has the same name.',
  ],
  [
    'a type of files that is not taken',
    file({ uploadBlocks: [{ name: 'P', acceptedTypes: ['image/svg+xml'] }] }),
    /^uploadBlocks\[0\]\.acceptedTypes\[0\]: The service does not accept files/,
  ],
  [
    'an extension as a type',
    file({ uploadBlocks: [{ name: 'P', acceptedTypes: ['.pdf'] }] }),
    /did you mean "application\/pdf"\?$/,
  ],
  [
    'a block of too large files',
    file({ uploadBlocks: [{ name: 'P', maxBytes: 104_857_601 }] }),
    'uploadBlocks[0].maxBytes: Must be at most 104,857,600.',
  ],
  ['a country that does not exist', file({ country: 'XX' }), /^country: "XX" is not a country/],
  [
    'a country in small letters',
    field({ type: 'phone', country: 'de' }),
    /^fields\[0\]\.country: Must be a country code of two capital letters/,
  ],
  [
    'a country for SMS that does not exist',
    file({ verification: { smsCountries: ['DE', 'ZZ'] } }),
    /^verification\.smsCountries\[1\]: "ZZ"/,
  ],
  ['an invalid origin', file({ allowedOrigins: ['example.com'] }), /^allowedOrigins\[0\]: Must be an origin/],
  [
    'an origin with a path',
    file({ allowedOrigins: ['https://example.com/'] }),
    'allowedOrigins[0]: Is more than an origin: write https://example.com.',
  ],
  ['any origin', file({ allowedOrigins: ['*'] }), /^allowedOrigins\[0\]: Remove allowedOrigins/],
  [
    'an origin twice',
    file({ allowedOrigins: ['https://example.com', 'HTTPS://EXAMPLE.COM:443'] }),
    'allowedOrigins[1]: Must be unique: allowedOrigins[0] is the same.',
  ],
  [
    'more consents than a lead keeps',
    fields(...times(51).map((at) => ({ id: `${at}`, type: 'consent' }))),
    'fields[50]: A funnel can have at most 50 consents: this is number 51 of 51.',
  ],
  [
    'a language that is none',
    file({ language: 'de_DE' }),
    'language: "de_DE" is not a language tag such as de or pt-BR.',
  ],
  [
    'a preferred language without words',
    file({ verification: { language: 'fr' } }),
    /^verification\.language: There are no messages in "fr"/,
  ],
  [
    'a message in no language',
    messages('__proto__'),
    /^verification\.messages\.__proto__: "__proto__" is not a language tag/,
  ],
  [
    'a message without the code',
    messages('fr', { sms: 'Bonjour' }),
    'verification.messages.fr.sms: Cannot be sent: The text does not contain the code.',
  ],
  [
    'a message that is no template',
    messages('fr', { text: '{{#code}}' }),
    /^verification\.messages\.fr\.text: Cannot be sent: Unclosed section/,
  ],
  [
    'half a message',
    file({ verification: { messages: { fr: { subject: 'S', text: '{{code}}' } } } }),
    'verification.messages.fr.sms: This property is required.',
  ],
  ['an AI block without a prompt', file({ ai: {} }), 'ai.systemPrompt: This property is required.'],
  [
    'too long answers',
    file({ ai: { systemPrompt: 'x', outputTokensMax: 5_000 } }),
    'ai.outputTokensMax: Must be at most 4,096.',
  ],
  ['a limit of zero', file({ limits: { aiTokensPerDay: 0 } }), 'limits.aiTokensPerDay: Must be at least 1.'],
  ['half a day', file({ leadRetentionDays: 0.5 }), 'leadRetentionDays: Must be a whole number.'],
  [
    'more than a version holds',
    file({ ai: { systemPrompt: 'x', texts: times(20).map(() => 'é'.repeat(10_000)) } }),
    /^: Without white space the file has 400,\d+ bytes, but a version can have at most 350,000: shorten ai\.$/,
  ],
])('reports %s at its position', (_, refused, fault) => {
  const [first, ...others] = issuesIn(refused);
  expect(others).toEqual([]);
  if (typeof fault === 'string') expect(first).toBe(fault);
  else expect(first).toMatch(fault);
});

test('accepts false and absent values where a rule does not apply', () => {
  expect(issuesIn(field({ verifiable: false, required: false }))).toEqual([]);
});

test('a field refers to its block by exactly one of two properties', () => {
  const id = 'f5b1c3de-0000-4000-8000-000000000000';
  const blocks = { uploadBlocks: [{ id, name: 'P' }] };
  expect(issuesIn({ ...field({ type: 'file', blockId: id }), ...blocks })).toEqual([]);
  expect(issuesIn({ ...field({ type: 'file', uploadBlock: 'P' }), ...blocks })).toEqual([]);
  expect(issuesIn({ ...field({ type: 'file', uploadBlock: 'P', blockId: id }), ...blocks })).toEqual([
    'fields[0].blockId: Give blockId or uploadBlock, not both.',
  ]);
});

test('reports all issues, wherever they are', () => {
  const faulty = { ...fields({ id: 3, type: 'choice', choices: ['a', 'a', 4], step: 'no' }), nmae: 'x', country: 'XX' };
  expect(issuesIn(faulty)).toHaveLength(6);
});
