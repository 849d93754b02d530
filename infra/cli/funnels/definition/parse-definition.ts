import { formatPath, issueMessage, type ReportedIssue } from '../../json-document/issues.ts';
import { createLocator, type IssueAtOffset } from '../../json-document/locate.ts';
import { type JsonDocument, parseJsonDocument } from '../../json-document/parse.ts';
import { indexPositions, type Positions } from '../../json-document/positions.ts';
import { checkFields } from './check-fields.ts';
import { checkMessages } from './check-messages.ts';
import { checkOtherParts } from './check-other-parts.ts';
import { checkShape } from './check-shape.ts';
import { FunnelDefinition } from './funnel-definition.ts';

/** So many faults are told at once. */
const FAULTS_MAX = 50;

/** A funnel file that can be published, or all that is wrong with it: the first ones in the file, and how many more. */
export type ParsedDefinition = { file: FunnelDefinition } | { faults: ReportedIssue[]; more: number };

/** Reads a funnel file. Never throws, whatever the bytes are. */
export function parseFunnelDefinition(bytes: Uint8Array): ParsedDefinition {
  const read = parseJsonDocument(bytes);
  const findings = read.json === undefined ? [] : findingsIn(read.json);
  const positions = indexPositions(read.text);
  const faults = [...onePerLine(read, positions), ...onePerPlace(findings)].sort((a, b) => a.offset - b.offset);
  if (faults.length === 0) return { file: FunnelDefinition.parse(read.json?.value) };
  const shown = faults.slice(0, FAULTS_MAX).map((found) => faultOf(found, positions));
  return { faults: shown, more: faults.length - shown.length };
}

const faultOf = (found: IssueAtOffset, { lineOf, columnOf }: Positions): ReportedIssue => ({
  path: formatPath(found.at),
  line: lineOf(found.offset),
  column: columnOf(found.offset),
  message: issueMessage(found),
});

function findingsIn({ tree, value }: NonNullable<JsonDocument['json']>): IssueAtOffset[] {
  const locate = createLocator(tree);
  const beyond = [...checkFields(value), ...checkOtherParts(value), ...checkMessages(value)];
  return [
    ...checkShape({ tree, value }, locate),
    ...beyond.map((finding) => ({ ...finding, offset: locate(finding.at) })),
  ];
}

/** After a fault of the text, further ones in its line mostly follow from it. */
function onePerLine({ faults }: JsonDocument, { lineOf }: Positions): IssueAtOffset[] {
  const lines = new Set<number>();
  return faults.flatMap(({ offset, message }) => {
    const line = lineOf(offset);
    if (lines.has(line)) return [];
    lines.add(line);
    return [{ at: [], offset, message }];
  });
}

/** Of faults at one place the first says it. */
function onePerPlace(findings: readonly IssueAtOffset[]): IssueAtOffset[] {
  const places = new Set<string>();
  return findings.filter(({ at, offset }) => {
    const place = `${offset} ${JSON.stringify(at)}`;
    return places.has(place) ? false : places.add(place);
  });
}
