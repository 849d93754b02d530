import type { TrainingCall } from '../../../shared/training/call.ts';
import { Fields } from '../terminal/output.ts';
import { printableLine } from '../terminal/printable.ts';
import { formatTable } from '../terminal/table.ts';
import { hangingIndent } from '../terminal/wrap-text.ts';
import type { Conversation } from './rehearse-api.ts';

/** Formats a time in a call, such as `02:05`. */
export const clockOf = (seconds: number): string =>
  [Math.floor(seconds / 60), Math.floor(seconds % 60)].map((part) => String(part).padStart(2, '0')).join(':');

const WHO: Record<string, string> = { user: 'trainee', agent: 'customer' };

type Turn = Conversation['transcript'][number];
type Columns = number | undefined;

export const turnLine = ({ role, message, time_in_call_secs: at }: Turn, columns: Columns): string =>
  hangingIndent(`${clockOf(at)}  ${(WHO[role] ?? role).padEnd(8)}  `, printableLine(message), columns);

/**
 * Formats the outcome of a call: its status, the score with reasons, the dos and success criteria with quotes, the
 * metrics and the summary.
 *
 * @param about fields to print first
 */
export function outcomeText(call: TrainingCall, columns: Columns, about: Fields['fields'] = []): string {
  const { analysis } = call;
  const facts = new Fields(
    ...about,
    ['call', call.id],
    ['status', call.failureReason === null ? call.status : `${call.status}: ${call.failureReason}`],
    ['duration', call.durationSeconds === null ? 'not known' : clockOf(call.durationSeconds)],
    ['recording', call.recordingKey ?? (MAY_COME.has(call.status) ? 'none yet' : 'none')],
    ['judged by', analysis && (analysis.judgedBy === 'rules' ? RULES : 'a language model')],
  ).toString();
  return [facts, resultText(call, columns)].filter((text) => text !== '').join('\n');
}

/** Formats the score and the analysis of a call. Returns an empty text if the call has neither. */
export function resultText({ score, analysis }: Pick<TrainingCall, 'score' | 'analysis'>, columns: Columns): string {
  const isProvisional = analysis?.judgedBy === 'rules';
  return [score ? scoreText(score, isProvisional, columns) : '', analysis ? analysisText(analysis, columns) : '']
    .filter((text) => text !== '')
    .join('\n');
}

/** The statuses in which a call without a recording may still get a recording. */
const MAY_COME: ReadonlySet<TrainingCall['status']> = new Set(['pending', 'processing', 'ready']);

const RULES = 'provisional: no language model judged it';

type Score = NonNullable<TrainingCall['score']>;

function scoreText({ total, criteria }: Score, isProvisional: boolean, columns: Columns): string {
  const rows = criteria.map(({ label, score, max, reason }) => [
    printableLine(label),
    `${score}/${max}`,
    printableLine(reason),
  ]);
  const width = Math.max(9, ...rows.map(([label = '']) => label.length));
  const layout = { head: ['CRITERION', 'POINTS', 'REASON'], widths: [width, 7], columns };
  return `SCORE ${total} of 100${isProvisional ? ' (provisional)' : ''}\n${formatTable(layout, rows)}`;
}

type Analysis = NonNullable<TrainingCall['analysis']>;

function analysisText({ dos, judgedBy, successCriteria, metrics, summary }: Analysis, columns: Columns): string {
  const { met } = successCriteria;
  const verdict = met === null ? 'not judged' : met ? 'met' : 'not met';
  return [
    judgedBy === 'rules' ? 'DOS MENTIONED\n' : 'DOS COVERED\n',
    ...dos.map(
      ({ label, covered, evidence }) => `${covered ? '✓' : '✗'} ${printableLine(label)}\n${quotes(evidence, columns)}`,
    ),
    `\nSUCCESS CRITERIA  ${verdict}\n${quotes(successCriteria.evidence, columns)}`,
    `\nMETRICS\n${metricsText(metrics)}`,
    `\nSUMMARY\n${hangingIndent('', printableLine(summary), columns)}`,
  ].join('');
}

const quotes = (evidence: Analysis['dos'][number]['evidence'], columns: Columns): string =>
  evidence
    .map(({ quote, timeInCallSecs: at }) => hangingIndent(`    ${clockOf(at)}  `, `“${printableLine(quote)}”`, columns))
    .join('');

const metricsText = (metrics: Analysis['metrics']): string =>
  new Fields(
    ['trainee speaks', `${Math.round(metrics.talkRatio * 100)} % of the time`],
    ['longest monologue', `${metrics.longestMonologueSecs} s`],
    ['questions asked', String(metrics.questionsAsked)],
    ['pace', `${metrics.wordsPerMinute} words a minute`],
    ['interruptions', metrics.interruptions === null ? 'not known' : String(metrics.interruptions)],
    ['filler words', String(metrics.fillerWords)],
    ['turns', String(metrics.turns)],
  ).toString();
