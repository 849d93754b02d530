import { formatPath, issueMessage, type ReportedIssue } from '../../json-document/issues.ts';
import { createLocator, type IssueAtOffset } from '../../json-document/locate.ts';
import { type JsonDocument, parseJsonDocument } from '../../json-document/parse.ts';
import { indexPositions, type Positions } from '../../json-document/positions.ts';
import { checkFields } from './check-fields.ts';
import { checkMessages } from './check-messages.ts';
import { checkOtherParts } from './check-other-parts.ts';
import { checkShape } from './check-shape.ts';
import { FunnelDefinition } from './funnel-definition.ts';

const ISSUES_MAX = 50;

/** Either a funnel file that can be published, or the first issues of the file and the number of further issues. */
export type ParsedDefinition = { file: FunnelDefinition } | { issues: ReportedIssue[]; more: number };

/** Parses a funnel file. Invalid bytes result in `issues`, never in an exception. */
export function parseFunnelDefinition(bytes: Uint8Array): ParsedDefinition {
  const read = parseJsonDocument(bytes);
  const findings = read.json === undefined ? [] : findingsIn(read.json);
  const positions = indexPositions(read.text);
  const issues = [...onePerLine(read, positions), ...onePerPlace(findings)].sort((a, b) => a.offset - b.offset);
  if (issues.length === 0) return { file: FunnelDefinition.parse(read.json?.value) };
  const shown = issues.slice(0, ISSUES_MAX).map((found) => toReportedIssue(found, positions));
  return { issues: shown, more: issues.length - shown.length };
}

const toReportedIssue = (found: IssueAtOffset, { lineOf, columnOf }: Positions): ReportedIssue => ({
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

/** Keeps the first syntax error of each line. Further errors on the line are mostly consequences of the first error. */
function onePerLine({ issues }: JsonDocument, { lineOf }: Positions): IssueAtOffset[] {
  const lines = new Set<number>();
  return issues.flatMap(({ offset, message }) => {
    const line = lineOf(offset);
    if (lines.has(line)) return [];
    lines.add(line);
    return [{ at: [], offset, message }];
  });
}

/** Keeps only the first of several issues that have the same path and position. */
function onePerPlace(findings: readonly IssueAtOffset[]): IssueAtOffset[] {
  const places = new Set<string>();
  return findings.filter(({ at, offset }) => {
    const place = `${offset} ${JSON.stringify(at)}`;
    return places.has(place) ? false : places.add(place);
  });
}
