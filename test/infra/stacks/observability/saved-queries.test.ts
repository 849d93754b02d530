import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backgroundFunctions, operations } from '../../../../functions/declarations.ts';
import { CUSTOM_METRICS } from '../../../../infra/stacks/observability/custom-metrics.ts';
import { createJsonLogger } from '../../../../shared/platform/logger.ts';
import { synthesizedStage } from '../../../support/stacks.ts';

// If a query uses an unknown field, CloudWatch returns no results, which looks as if there were no errors. Therefore,
// these tests check the fields of the queries.

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const { templates } = synthesizedStage('prod');
const resources = (type: string): { properties: Record<string, unknown> }[] =>
  Object.values(templates).flatMap((template) =>
    Object.values(template.findResources(type)).map(({ Properties }) => ({ properties: Properties })),
  );

const runbook = readFileSync(join(ROOT, 'docs', 'runbook.md'), 'utf8');
const queries = [
  ...[...runbook.matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap(([, language, query = '']) =>
    language === '' ? [query] : [],
  ),
  ...resources('AWS::Logs::QueryDefinition').map(({ properties }) => String(properties.QueryString)),
];

const code = ['shared', 'functions']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(ROOT, folder, name)),
  )
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(name, 'utf8'))
  .join('\n');

/** Returns the paths of the fields in the log line of an error. */
function fieldsOfErrorLine(): string[] {
  const lines: string[] = [];
  const log = createJsonLogger({ function: 'funnel/submit', requestId: 'r' }, (line) => void lines.push(line));
  log.error('it failed', new Error('why', { cause: new Error('and why that') }));
  const paths = (value: unknown, at: string): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => paths(inner, at === '' ? name : `${at}.${name}`))
      : [at];
  return lines.flatMap((line) => paths(JSON.parse(line), ''));
}

const accessLog = resources('AWS::ApiGateway::Stage').flatMap(({ properties }) => {
  const { Format = '{}' } = (properties.AccessLogSetting ?? {}) as { Format?: string };
  return [...Format.matchAll(/"(\w+)":/g)].map(([, name = '']) => name);
});
/** Fields that Logs Insights finds in every line, and fields that it finds in lines of Lambda itself. */
const DISCOVERED = ['@timestamp', '@message', '@log', '@type', '@duration', '@initDuration', '@maxMemoryUsed'];
const OWN = Object.values(CUSTOM_METRICS).flatMap((shown) => shown.flatMap(({ names }) => [...names]));
/** Whether log lines can have the field: the code logs the field, or the field is one of the listed ids. */
const written = (name: string): boolean =>
  new RegExp(`log\\.(?:info|warn|error)\\([^;]*\\{[^;]*\\b${name}\\b`).test(code) ||
  /^(?:orgId|callId|funnelId|leadId|domainId)$/.test(name);

const WORDS = new Set(
  'fields filter stats sort limit by as and or not in like asc desc count latest sum max min pct bin ispresent'.split(
    ' ',
  ),
);

/** Returns the field names in a query, without keywords, strings and aliases. */
function fieldsOf(query: string): string[] {
  const plain = query.replaceAll(/"[^"]*"|\/[^/\n]+\/|\b\d+\w*\b/g, ' ');
  const called = new Set([...plain.matchAll(/\bas (\w+)/g)].map(([, name = '']) => name));
  return [...plain.matchAll(/@?[A-Za-z_][\w.]*/g)]
    .map(([name]) => name)
    .filter((name) => !WORDS.has(name) && !called.has(name));
}

test('the runbook and the stacks contain more than 15 queries', () => expect(queries.length).toBeGreaterThan(15));

test.each(queries.map((query, at) => [at + 1, query] as const))(
  'query %i uses only fields that log lines have',
  (_, query) => {
    const known = [...fieldsOfErrorLine(), ...accessLog, ...DISCOVERED, ...OWN];
    expect(fieldsOf(query).filter((name) => !known.includes(name) && !written(name))).toEqual([]);
  },
);

test.each(queries.map((query, at) => [at + 1, query] as const))(
  'query %i names only existing log messages and functions',
  (_, query) => {
    const texts = (pattern: RegExp) => [...query.matchAll(pattern)].map(([, text = '']) => text);
    for (const message of texts(/\bmessage = "([^"]+)"/g)) expect(code).toContain(`'${message}'`);
    const ids: string[] = [...operations, ...backgroundFunctions].map(({ id }) => id);
    const named = texts(/\bfunction (?:in|=) \[?([^\]\n|]+?)\]?(?: and |\n|$)/g).flatMap((list) =>
      [...list.matchAll(/"([^"]+)"/g)].map(([, id = '']) => id),
    );
    expect(named.filter((id) => !ids.includes(id))).toEqual([]);
  },
);

test('fieldsOf returns the fields that a query uses, even if they are misspelt', () => {
  expect(fieldsOf('filter requestID = "x" | stats count(*) as n by functoin')).toEqual(['requestID', 'functoin']);
});
