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
  ['a name that is not a string', file({ name: 3 }), 'name: Must be a string.'],
  [
    'a misspelt property',
    file({ allowedOrigin: [] }),
    'allowedOrigin: "allowedOrigin" is not a known property here; did you mean "allowedOrigins"?',
  ],
  ['a property that is not similar to a known one', file({ zebra: 1 }), 'zebra: "zebra" is not a known property here.'],
  ['a property whose name contains a space', file({ 'a b': 1 }), '["a b"]: "a b" is not a known property here.'],
  [
    'an unknown type',
    field({ type: 'emial' }),
    /^fields\[0\]\.type: Must be one of text, .*json; did you mean "email"\?$/,
  ],
  ['another spelling of a type', field({ type: 'LongText' }), /did you mean "long_text"\?$/],
  [
    'a repeated field id',
    fields({ id: 'a', type: 'text' }, { id: 'a', type: 'date' }),
    'fields[1].id: Must be unique: fields[0] has the same id.',
  ],
  ['an id that is too long for a lead', field({ id: 'x'.repeat(129) }), 'fields[0].id: Must have 1 to 128 characters.'],
  ['an empty id', field({ id: '' }), 'fields[0].id: Must have 1 to 128 characters.'],
  ['an id with the character NUL', field({ id: 'a\0b' }), 'fields[0].id: Must not contain the character NUL.'],
  [
    'an id with half of a surrogate pair',
    field({ id: 'a\ud83d' }),
    'fields[0].id: Must not contain half of a surrogate pair.',
  ],
  [
    'more fields than a lead can have keys',
    fields(...times(201).map((at) => ({ id: `${at}`, type: 'text' }))),
    'fields: Must have at most 200 elements.',
  ],
  [
    'a repeated step id',
    aFunnelDefinition({ steps: [{ id: 'contact' }, { id: 'contact' }] }),
    'steps[1].id: Must be unique: steps[0] has the same id.',
  ],
  [
    'a step that does not exist',
    field({ step: 'contcat' }),
    'fields[0].step: No step has the id "contcat"; did you mean "contact"?',
  ],
  [
    'a step id that is too long',
    aFunnelDefinition({ steps: [{ id: 'contact' }, { id: 's'.repeat(129) }] }),
    'steps[1].id: Must have 1 to 128 characters.',
  ],
  ['a required field with no step', field({ required: true }), /^fields\[0\]\.required: Has no effect without a step/],
  ['a choice field without choices', field({ type: 'choice' }), /^fields\[0\]\.choices: This property is required/],
  [
    'an empty list of choices',
    field({ type: 'choice', choices: [] }),
    'fields[0].choices: Must have at least 1 element.',
  ],
  [
    'choices in a text field',
    field({ choices: ['a'] }),
    'fields[0].choices: Has no effect for the type text: use it only for choice and choices.',
  ],
  [
    'a repeated choice',
    field({ type: 'choice', choices: ['a', 'b', 'a '] }),
    'fields[0].choices[2]: Must be unique: choices[0] is the same.',
  ],
  [
    'a `min` above `max`',
    field({ min: 3, max: 2 }),
    'fields[0].min: Is more than the maximum of 2: no value would be valid.',
  ],
  [
    'a `min` above the maximum of the type',
    field({ type: 'rating', min: 6 }),
    /^fields\[0\]\.min: Is more than the maximum of 5/,
  ],
  [
    'a `max` below the minimum of the type',
    field({ type: 'rating', max: 0 }),
    /^fields\[0\]\.max: Is less than the minimum of 1/,
  ],
  [
    'a `min` above the number of choices',
    field({ type: 'choices', choices: ['a'], min: 2, max: 3 }),
    /^fields\[0\]\.min: Is more than the number of choices, 1/,
  ],
  ['a fractional `min` of a text', field({ min: 0.5 }), 'fields[0].min: Must be a whole number for the type text.'],
  ['a negative `min` of a text', field({ min: -1 }), 'fields[0].min: Must be at least 0.'],
  [
    'a `min` of a type without bounds',
    field({ type: 'date', min: 3 }),
    /^fields\[0\]\.min: Has no effect for the type date/,
  ],
  [
    'a text field that is `verifiable`',
    field({ verifiable: true }),
    'fields[0].verifiable: Has no effect for the type text: use it only for email and phone.',
  ],
  [
    'a `textVersion` in a field other than a consent',
    field({ textVersion: '1' }),
    /^fields\[0\]\.textVersion: Has no effect for the type text/,
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
    'a block id in upper case',
    field({ type: 'file', blockId: 'F5B1C3DE-0000-4000-8000-000000000000' }),
    'fields[0].blockId: Must be a UUID in lower case.',
  ],
  [
    'an upload block in a text field',
    { ...field({ uploadBlock: 'P' }), uploadBlocks: [{ name: 'P' }] },
    /uploadBlock: Has no effect for the type text: use it only for file/,
  ],
  [
    'a repeated block name',
    file({ uploadBlocks: [{ name: 'P' }, { name: 'P' }] }),
    'uploadBlocks[1].name: Must be unique: uploadBlocks[0] has the same name.',
  ],
  [
    'a media type that the service does not accept',
    file({ uploadBlocks: [{ name: 'P', acceptedTypes: ['image/svg+xml'] }] }),
    /^uploadBlocks\[0\]\.acceptedTypes\[0\]: The service does not accept files/,
  ],
  [
    'a file extension instead of a media type',
    file({ uploadBlocks: [{ name: 'P', acceptedTypes: ['.pdf'] }] }),
    /did you mean "application\/pdf"\?$/,
  ],
  [
    'a `maxBytes` above the maximum of the service',
    file({ uploadBlocks: [{ name: 'P', maxBytes: 104_857_601 }] }),
    'uploadBlocks[0].maxBytes: Must be at most 104,857,600.',
  ],
  ['a country that does not exist', file({ country: 'XX' }), /^country: "XX" is not a country/],
  [
    'a country in lower case',
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
  ['the origin *', file({ allowedOrigins: ['*'] }), /^allowedOrigins\[0\]: Is not an origin: .* remove allowedOrigins/],
  [
    'a repeated origin in another spelling',
    file({ allowedOrigins: ['https://example.com', 'HTTPS://EXAMPLE.COM:443'] }),
    'allowedOrigins[1]: Must be unique: allowedOrigins[0] is the same.',
  ],
  [
    'more consents than a lead can keep',
    fields(...times(51).map((at) => ({ id: `${at}`, type: 'consent' }))),
    'fields[50]: A funnel can have at most 50 consents: this consent is number 51 of 51.',
  ],
  [
    'a value that is not a language tag',
    file({ language: 'de_DE' }),
    'language: "de_DE" is not a language tag such as de or pt-BR.',
  ],
  [
    'a preferred language without messages',
    file({ verification: { language: 'fr' } }),
    /^verification\.language: There are no messages in "fr"/,
  ],
  [
    'a message whose key is not a language tag',
    messages('__proto__'),
    /^verification\.messages\.__proto__: "__proto__" is not a language tag/,
  ],
  [
    'a message without the code',
    messages('fr', { sms: 'Bonjour' }),
    'verification.messages.fr.sms: Cannot be sent: The text does not contain the code.',
  ],
  [
    'a message with an invalid template',
    messages('fr', { text: '{{#code}}' }),
    /^verification\.messages\.fr\.text: Cannot be sent: Unclosed section/,
  ],
  [
    'a message without a text for SMS',
    file({ verification: { messages: { fr: { subject: 'S', text: '{{code}}' } } } }),
    'verification.messages.fr.sms: This property is required.',
  ],
  ['an AI block without a prompt', file({ ai: {} }), 'ai.systemPrompt: This property is required.'],
  [
    'an `outputTokensMax` above the maximum',
    file({ ai: { systemPrompt: 'x', outputTokensMax: 5_000 } }),
    'ai.outputTokensMax: Must be at most 4,096.',
  ],
  ['a limit of zero', file({ limits: { aiTokensPerDay: 0 } }), 'limits.aiTokensPerDay: Must be at least 1.'],
  ['a fraction of a day', file({ leadRetentionDays: 0.5 }), 'leadRetentionDays: Must be a whole number.'],
  [
    'a file that is too large for a version',
    file({ ai: { systemPrompt: 'x', texts: times(20).map(() => 'é'.repeat(10_000)) } }),
    /^: Without white space the file has 400,\d+ bytes, but a version can have at most 350,000: shorten ai\.$/,
  ],
])('one issue, with its path, is reported for %s', (_, refused, fault) => {
  const [first, ...others] = issuesIn(refused);
  expect(others).toEqual([]);
  if (typeof fault === 'string') expect(first).toBe(fault);
  else expect(first).toMatch(fault);
});

test('a text field without a step accepts `false` for `verifiable` and `required`, although it rejects `true`', () => {
  expect(issuesIn(field({ verifiable: false, required: false }))).toEqual([]);
});

test('a field may refer to its block by `blockId` or by `uploadBlock`, but not by both', () => {
  const id = 'f5b1c3de-0000-4000-8000-000000000000';
  const blocks = { uploadBlocks: [{ id, name: 'P' }] };
  expect(issuesIn({ ...field({ type: 'file', blockId: id }), ...blocks })).toEqual([]);
  expect(issuesIn({ ...field({ type: 'file', uploadBlock: 'P' }), ...blocks })).toEqual([]);
  expect(issuesIn({ ...field({ type: 'file', uploadBlock: 'P', blockId: id }), ...blocks })).toEqual([
    'fields[0].blockId: Give blockId or uploadBlock, not both.',
  ]);
});

test('all six issues of a file are reported, in its fields and in other parts', () => {
  const faulty = { ...fields({ id: 3, type: 'choice', choices: ['a', 'a', 4], step: 'no' }), nmae: 'x', country: 'XX' };
  expect(issuesIn(faulty)).toHaveLength(6);
});
