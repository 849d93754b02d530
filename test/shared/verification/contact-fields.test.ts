import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeRecipient } from '../../../shared/verification/contact-fields.ts';

const recipient = (destination: string) => normalizeRecipient({ channel: 'email', destination });

const aName = fc.stringMatching(/^[a-z0-9]{1,12}$/);
const aTag = fc.option(fc.stringMatching(/^[a-z0-9+._-]{0,10}$/), { nil: undefined });

/**
 * For each mail provider, its domains and the characters that it ignores in the local part of an address. All domains
 * of a provider have the same mailboxes.
 */
const PROVIDERS = [
  { domains: ['shop.example'], ignored: [''] },
  { domains: ['bücher.example', 'xn--bcher-kva.example'], ignored: [''] },
  { domains: ['gmail.com', 'googlemail.com'], ignored: ['', '.'] },
  { domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'], ignored: ['', '.', '-', '_'] },
] as const;

/** Any spelling of the mailbox. Spellings differ in case, ignored characters, tag and domain of the provider. */
const spellingOf = (name: string, { domains, ignored }: (typeof PROVIDERS)[number]): fc.Arbitrary<string> =>
  fc
    .record({
      marks: fc.array(fc.constantFrom<string>(...ignored), { minLength: name.length, maxLength: name.length }),
      upper: fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length }),
      tag: aTag,
      domain: fc.constantFrom<string>(...domains),
      isLoud: fc.boolean(),
    })
    .map(({ marks, upper, tag, domain, isLoud }) => {
      const letters = [...name].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter));
      const local = letters.map((letter, at) => (at === 0 ? letter : `${marks[at]}${letter}`)).join('');
      return `${local}${tag === undefined ? '' : `+${tag}`}@${isLoud ? domain.toUpperCase() : domain}`;
    });

const aMailbox = fc.record({ name: aName, provider: fc.constantFrom(...PROVIDERS) });

test('all spellings of one mailbox are normalized to the same recipient', () => {
  const twoSpellings = aMailbox.chain(({ name, provider }) =>
    fc.tuple(spellingOf(name, provider), spellingOf(name, provider)),
  );
  fc.assert(fc.property(twoSpellings, ([one, other]) => void expect(recipient(one)).toBe(recipient(other))));
});

test('different mailboxes are normalized to different recipients', () => {
  const twoMailboxes = fc
    .tuple(aMailbox, aMailbox)
    .filter(([one, other]) => one.name !== other.name || one.provider !== other.provider)
    .chain(([one, other]) => fc.tuple(spellingOf(one.name, one.provider), spellingOf(other.name, other.provider)));
  fc.assert(fc.property(twoMailboxes, ([one, other]) => void expect(recipient(one)).not.toBe(recipient(other))));
});

test.each([
  ['a.da@shop.example', 'ada@shop.example'],
  ['a-da@gmail.com', 'ada@gmail.com'],
  ['a.da@mail.gmail.com', 'ada@mail.gmail.com'],
  ['ada@outlook.com', 'a.da@outlook.com'],
  ['+one@shop.example', '+two@shop.example'],
])('%s and %s are different recipients', (one, other) => expect(recipient(one)).not.toBe(recipient(other)));

test('normalizeRecipient does not change a phone number', () => {
  expect(normalizeRecipient({ channel: 'sms', destination: '+4930901820' })).toBe('+4930901820');
});
