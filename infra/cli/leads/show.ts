import type { Field } from '../../../shared/funnels/funnel.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import { UserError } from '../../common/user-error.ts';
import { printable, printableJson, printableLine } from '../terminal/printable.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { FunnelLeads } from './dependencies.ts';
import { formatSecond, formatValue } from './format.ts';
import { leadJson } from './lead-json.ts';

/** Everything that is kept of a lead. @throws FriendlyError when there is no such lead */
export async function showLead(of: FunnelLeads, leadId: string, options: { json?: true }, { write }: Terminal) {
  const { index, funnelId, fields } = of;
  const [lead] = await index.getLeads([{ funnelId, leadId }]);
  if (lead === undefined) throw new UserError(`The funnel has no lead ${leadId}.`);
  if (options.json) return write(`${leadJson(lead)}\n`);
  const sections: [string, string][] = [
    ['Lead', facts(lead)],
    ['Data', dataTable(lead, fields)],
    ['Steps', stepTable(lead)],
    ['Consents', consentTable(lead)],
  ];
  const texts = sections
    .filter(([, text]) => text !== '')
    .map(([title, text]) => `${title.toUpperCase()}\n${indented(text)}`);
  await write(`${texts.join('\n')}`);
}

const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ');

const UNBROKEN = { columns: undefined, widths: [] };

/** Label and value on each line, without those that the lead has not. */
function facts(lead: Lead): string {
  const { firstSubmittedAt, submittedAt, submits, expiresAt } = lead;
  const lines: [string, string | undefined][] = [
    ['id', lead.leadId],
    ['funnel', lead.funnelId],
    ['first submit', `${formatSecond(firstSubmittedAt)} UTC`],
    ['last submit', `${formatSecond(submittedAt)} UTC, ${submits === 1 ? '1 submit' : `${submits} submits`} in all`],
    ['kept until', expiresAt === undefined ? undefined : `${formatSecond(expiresAt)} UTC`],
    ['device', lead.deviceClass],
    ['page', lead.pageUrl === undefined ? undefined : printableLine(lead.pageUrl)],
    ['webcomponent', lead.webcomponentArgs === undefined ? undefined : printableJson(lead.webcomponentArgs)],
    ['cookies', lead.cookieConsent === undefined ? undefined : printableJson(lead.cookieConsent)],
  ];
  return lines.flatMap(([label, value]) => (value === undefined ? [] : [`${label.padEnd(14)}${value}\n`])).join('');
}

/** In the order of the declared fields, then the rest. */
function dataTable({ data, verified }: Lead, fields: readonly Field[]): string {
  const verifiedAt = new Map(verified.map(({ field, at }) => [field, at]));
  const order = new Map(fields.map(({ id }, at) => [id, at]));
  const typeOf = new Map(fields.map(({ id, type }) => [id, type]));
  const rank = ([key]: [string, string]): number => order.get(key) ?? fields.length;
  const rows = [...data]
    .sort((one, other) => rank(one) - rank(other))
    .map(([key, json]) => {
      const at = verifiedAt.get(key);
      const value = json.startsWith('"') ? printable(formatValue(json)) : printableJson(json);
      const mark = at === undefined ? '' : `\n✓ verified ${formatSecond(at)} UTC`;
      return [printableLine(key), typeOf.get(key) ?? 'undeclared', `${value}${mark}`];
    });
  return rows.length === 0 ? '' : formatTable({ ...UNBROKEN, head: ['FIELD', 'TYPE', 'VALUE'] }, rows);
}

function stepTable({ steps }: Lead): string {
  const rows = steps.map(({ id, firstAt, lastAt, count }) => [
    printableLine(id),
    formatSecond(firstAt),
    formatSecond(lastAt),
    String(count),
  ]);
  return rows.length === 0
    ? ''
    : formatTable({ ...UNBROKEN, head: ['STEP', 'FIRST, UTC', 'LAST, UTC', 'SUBMITS'] }, rows);
}

function consentTable({ consents }: Lead): string {
  const answers = consents.flatMap(({ field, given, withdrawn }) =>
    [
      { word: 'given', proof: given },
      { word: 'withdrawn', proof: withdrawn },
    ].flatMap(({ word, proof }) => (proof === null ? [] : [{ field, word, proof }])),
  );
  const rows = answers
    .sort((one, other) => (one.proof.at < other.proof.at ? -1 : 1))
    .map(({ field, word, proof: { at, text, versionId } }) => [
      printableLine(field),
      word,
      formatSecond(at),
      text === null ? `version ${versionId}` : printableLine(text),
    ]);
  return rows.length === 0 ? '' : formatTable({ ...UNBROKEN, head: ['CONSENT', 'LAST', 'AT, UTC', 'TEXT'] }, rows);
}
