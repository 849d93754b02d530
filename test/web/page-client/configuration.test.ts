import { expect, test } from 'vitest';
import { configure, optionsOf } from '../../../web/page-client/configuration.ts';

const OPTIONS = { funnelId: 'f-1', apiUrl: 'https://api.example' };

test('by default, the URLs are derived from the id of the funnel, and consent is pending', () => {
  expect(configure(OPTIONS)).toMatchObject({
    funnelId: 'f-1',
    ingestUrl: 'https://api.example/api/v2/public/funnel/f-1/e',
    submitUrl: 'https://api.example/api/v2/public/funnel/f-1/submit',
    consent: 'pending',
  });
});

test('the ingest path can be configured', () => {
  const { ingestUrl } = configure({ ...OPTIONS, ingestPath: '/api/v2/public/funnel/{id}/progress' });
  expect(ingestUrl).toBe('https://api.example/api/v2/public/funnel/f-1/progress');
});

test('reads the attributes of the script element', () => {
  const dataset = { funnel: 'f-1', api: 'https://api.example', ingestPath: '/{id}', consent: 'granted', debug: '' };
  const options = optionsOf({ dataset, src: 'https://cdn.example/client/funnel.js' });
  expect(configure(options)).toMatchObject({ ingestUrl: 'https://api.example/f-1', consent: 'granted', debug: true });
});

test('data-visitor-id and data-auto-steps need no value', () => {
  const options = optionsOf({ dataset: { funnel: 'f-1', visitorId: '', autoSteps: '' }, src: 'https://cdn.example/' });
  expect(configure(options)).toMatchObject({ visitorId: true, autoSteps: true, debug: false });
});

test('the value false turns off data-visitor-id, data-auto-steps and data-debug', () => {
  const dataset = { funnel: 'f-1', visitorId: 'false', autoSteps: 'false', debug: 'false' };
  expect(optionsOf({ dataset, src: '' })).toMatchObject({ visitorId: false, autoSteps: false, debug: false });
});

test('without data-api, the API has the origin of the script', () => {
  const options = optionsOf({ dataset: { funnel: 'f-1' }, src: 'https://cdn.example/client/funnel.js' });
  expect(configure(options).submitUrl).toBe('https://cdn.example/api/v2/public/funnel/f-1/submit');
});

test('a misspelt consent does not count as granted', () => {
  const options = optionsOf({ dataset: { funnel: 'f-1', consent: 'Granted' }, src: 'https://cdn.example/' });
  expect(configure(options).consent).toBe('pending');
});

test('throws a TypeError without the id of a funnel', () => {
  const options = { ...OPTIONS, funnelId: '' };
  expect(() => configure(options)).toThrow(TypeError);
  expect(() => configure(options)).toThrow('funnelId (or data-funnel)');
});

test.each(['', 'api.example', 'localhost:3000'])('throws a TypeError that names the invalid apiUrl "%s"', (apiUrl) => {
  const options = { ...OPTIONS, apiUrl };
  expect(() => configure(options)).toThrow(TypeError);
  expect(() => configure(options)).toThrow(`apiUrl (or data-api), not "${apiUrl}"`);
});
