import { expect, test } from 'vitest';
import { parseSubmit } from '../../../shared/leads/parse-submit.ts';
import { SubmitBody } from '../../../shared/leads/submit-body.ts';
import type { Logger } from '../../../shared/platform/logger.ts';

/** Parses a body as the operation does, and lists the recorded metrics. */
function read(rawBody: string) {
  const counted: string[] = [];
  const silent = () => undefined;
  const log: Logger = {
    info: silent,
    warn: silent,
    error: silent,
    recordMetric: (metric) => void counted.push(metric),
  };
  return { ...parseSubmit(SubmitBody.parse(JSON.parse(rawBody)), rawBody, log), counted };
}

test('the JSON text of valid metadata objects of a submit is kept, with all digits of numbers', () => {
  const { metadata: side, counted } = read(
    '{"data":{},"webcomponent_args":{"n":12345678901234567890},"cookie_consent":{"cmp":"c","createdAt":1.0}}',
  );
  expect(side.webcomponent_args).toBe('{"n":12345678901234567890}');
  expect(side.cookie_consent).toBe('{"cmp":"c","createdAt":1.0}');
  expect(counted).toEqual([]);
});

test('dropped metadata of a submit is counted by name; absent, null or empty metadata is not counted', () => {
  const malformed = '"page_url":"x","step_id":7,"webcomponent_args":1,"cookie_consent":{},"funnel_version_id":"v"';
  expect(read(`{"data":{},${malformed}}`).counted).toEqual([
    'SubmitDropped_step_id',
    'SubmitDropped_page_url',
    'SubmitDropped_webcomponent_args',
    'SubmitDropped_cookie_consent',
    'SubmitDropped_funnel_version_id',
  ]);
  expect(read('{"data":{},"page_url":null,"step_id":"","cookie_consent":null}').counted).toEqual([]);
});

test('webcomponent_args of up to 16 KB and cookie_consent of up to 32 KB are kept, and larger values are dropped', () => {
  const args = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
  const consent = (bytes: number) => `{"cmp":"c","x":"${'x'.repeat(bytes - 18)}"}`;
  const both = (argsBytes: number, consentBytes: number) =>
    read(`{"data":{},"webcomponent_args":${args(argsBytes)},"cookie_consent":${consent(consentBytes)}}`);
  expect(both(16_384, 32_768).counted).toEqual([]);
  expect(both(16_385, 32_769).counted).toHaveLength(2);
});

test('the `data` of a submit is read only from the outermost object', () => {
  const { data: members } = read('{"other":{"data":{"a":1}},"x":"\\"data\\":{\\"b\\":2}","data":{"c":3}}');
  expect([...members]).toEqual([['c', '3']]);
});
