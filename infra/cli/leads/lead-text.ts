import type { Field } from '../../../shared/funnels/funnel.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import { formatCount, formatSecond, formatUtc } from '../terminal/format.ts';
import { Fields, type Table, table } from '../terminal/output.ts';
import { printableLine } from '../terminal/printable.ts';

export type { Lead };

/** Formats a stored value: a text without quotes, and any other value as JSON. */
function valueText(json: string): string {
  const value: unknown = json.startsWith('"') ? JSON.parse(json) : undefined;
  return typeof value === 'string' ? value : json;
}

const LINES_MAX = 4;
const CHARACTERS_MAX = 80;
const NAME_KEY = /name|company|firma/i;
const CONTACT_KEY = /mail|phone/i;

/** Returns at most `LINES_MAX` values that identify a person, names before contact data. ✓ marks verified values. */
export function identityOf({ data, verified }: Lead, fields: readonly Field[]): string[] {
  const typeOf = new Map(fields.map(({ id, type }) => [id, type]));
  const isVerified = new Set(verified.map(({ field }) => field));
  const rank = (key: string): number => {
    const type = typeOf.get(key);
    if (type === 'email' || type === 'phone') return 1;
    if (type !== undefined && type !== 'text') return 9;
    if (NAME_KEY.test(key)) return 0;
    return type === undefined && CONTACT_KEY.test(key) ? 1 : 9;
  };
  return [...data]
    .map(([key, json]) => ({ rank: rank(key), text: shorten(valueText(json)), verified: isVerified.has(key) }))
    .filter((one) => one.rank < 9)
    .sort((one, other) => one.rank - other.rank)
    .slice(0, LINES_MAX)
    .map(({ text, verified: mark }) => (mark ? `${text} ✓` : text));
}

function shorten(text: string): string {
  const characters = [...printableLine(text)];
  return characters.length > CHARACTERS_MAX ? `${characters.slice(0, CHARACTERS_MAX).join('')}…` : characters.join('');
}

export function leadText(lead: Lead, fields: readonly Field[]): string {
  const sections: [title: string, text: Fields | Table][] = [
    ['LEAD', overview(lead)],
    ['DATA', dataTable(lead, fields)],
    ['STEPS', stepTable(lead)],
    ['CONSENTS', consentTable(lead)],
  ];
  const indented = (text: string) => text.replace(/^(?=.)/gm, '  ');
  return sections
    .filter(([, text]) => text instanceof Fields || !text.isEmpty)
    .map(([title, text]) => `${title}\n${indented(text instanceof Fields ? `${text}` : text.render(undefined))}`)
    .join('\n');
}

const overview = (lead: Lead): Fields =>
  new Fields(
    ['id', lead.leadId],
    ['funnel', lead.funnelId],
    ['first submit', formatUtc(lead.firstSubmittedAt)],
    ['last submit', `${formatUtc(lead.submittedAt)}, ${formatCount(lead.submits, 'submit')} in total`],
    ['completed', formatUtc(lead.completedAt)],
    ['kept until', formatUtc(lead.retainedUntil)],
    ['device', lead.deviceClass],
    ['page', lead.pageUrl],
    ['webcomponent', lead.webcomponentArgs?.replace(/[\n\r\t]/g, ' ')],
    ['cookies', lead.cookieConsent?.replace(/[\n\r\t]/g, ' ')],
  );

/** Shows the declared fields in the order of their declaration, and then all other values. */
function dataTable({ data, verified }: Lead, fields: readonly Field[]): Table {
  const verifiedAt = new Map(verified.map(({ field, at }) => [field, at]));
  const order = new Map(fields.map(({ id }, at) => [id, at]));
  const typeOf = new Map(fields.map(({ id, type }) => [id, type]));
  const rank = ([key]: [string, string]): number => order.get(key) ?? fields.length;
  const valueLines = ([key, json]: [string, string]) => {
    const at = verifiedAt.get(key);
    const lines = json.startsWith('"') ? valueText(json).split(/\r\n|\r|\n/) : [json.replace(/[\n\r\t]/g, ' ')];
    return at === undefined ? lines : [...lines, `✓ verified ${formatUtc(at)}`];
  };
  return table(
    [...data].sort((one, other) => rank(one) - rank(other)),
    [
      { head: 'FIELD', value: ([key]) => key },
      { head: 'TYPE', value: ([key]) => typeOf.get(key) ?? 'undeclared' },
      { head: 'VALUE', value: valueLines },
    ],
  );
}

const stepTable = ({ steps }: Lead): Table =>
  table(steps, [
    { head: 'STEP', value: ({ id }) => id },
    { head: 'FIRST, UTC', value: ({ firstAt }) => formatSecond(firstAt) },
    { head: 'LAST, UTC', value: ({ lastAt }) => formatSecond(lastAt) },
    { head: 'SUBMITS', value: ({ count }) => `${count}` },
  ]);

function consentTable({ consents }: Lead): Table {
  const proofs = consents.flatMap(({ field, given, withdrawn }) =>
    Object.entries({ given, withdrawn }).flatMap(([change, proof]) =>
      proof === null ? [] : [{ field, change, proof }],
    ),
  );
  return table(
    proofs.sort((one, other) => (one.proof.at < other.proof.at ? -1 : 1)),
    [
      { head: 'CONSENT', value: ({ field }) => field },
      { head: 'LAST', value: ({ change }) => change },
      { head: 'AT, UTC', value: ({ proof }) => formatSecond(proof.at) },
      { head: 'TEXT', value: ({ proof: { text, versionId } }) => text ?? `version ${versionId}` },
    ],
  );
}
