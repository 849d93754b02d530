import { expect, test } from 'vitest';
import { acceptsEventStream } from '../../../../shared/http/middleware/accept-event-stream.ts';

test.each([
  'text/event-stream',
  'TEXT/Event-Stream',
  'text/event-stream; charset=utf-8',
  'text/event-stream, */*',
  'text/event-stream, text/*',
  'application/json, text/event-stream',
  'text/plain;q=0.5, text/event-stream',
  'text/plain;q=0.8, text/event-stream;q=0.9',
  'text/event-stream;q=0.001',
  'text/plain;q=0, */*',
])('the Accept header “%s” selects the event stream', (accept) => {
  expect(acceptsEventStream(accept)).toBe(true);
});

test.each([
  undefined,
  '',
  '*/*',
  'text/*',
  'text/plain',
  'application/json',
  'text/plain, text/event-stream',
  'text/event-stream;q=0',
  'text/event-stream;q=0.0, */*',
  'text/event-stream;q=0.4, text/*;q=0.5',
  'text/event-stream;q=0.4, */*',
  'text/event-stream;q=2',
  'text/event-stream;q=x',
  'text/event-streams',
  ',,;;q=,',
])('the Accept header “%s” selects plain text', (accept) => {
  expect(acceptsEventStream(accept)).toBe(false);
});
