import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followSteps } from '../../../web/page-client/navigation-steps.ts';

// A browser without the Navigation API. `page-client.test.ts` tests a browser that has it.

let location: URL;
let listeners: Map<string, () => void>;
const go = (path: string) => {
  location = new URL(path, location);
  vi.stubGlobal('location', location);
};
beforeEach(() => {
  listeners = new Map();
  location = new URL('https://shop.example/start?email=kim');
  vi.stubGlobal('location', location);
  const navigate = (_state: unknown, _unused: string, url?: string) => go(url ?? '');
  vi.stubGlobal('history', { pushState: vi.fn(navigate), replaceState: vi.fn(navigate) });
  vi.stubGlobal('addEventListener', (type: string, listener: () => void) => listeners.set(type, listener));
  vi.stubGlobal('window', {});
});
afterEach(() => vi.unstubAllGlobals());

function follow(): string[] {
  const steps: string[] = [];
  followSteps((path) => steps.push(path));
  return steps;
}

test('the first path and each change of the path are steps, without query and fragment', () => {
  const steps = follow();
  history.pushState(null, '', '/contact?email=kim#kim');
  history.replaceState(null, '', '/contact?email=kim%40example.com');
  history.replaceState({ scroll: 1 }, '');
  history.pushState(null, '', '/done');
  go('/contact');
  listeners.get('popstate')?.();
  expect(steps).toEqual(['/start', '/contact', '/done', '/contact']);
});

test('the original history.pushState gets the arguments and `this` of the page’s call', () => {
  const { pushState } = history;
  follow();
  history.pushState({ id: 1 }, 'unused', '/contact');
  expect(pushState).toHaveBeenCalledExactlyOnceWith({ id: 1 }, 'unused', '/contact');
  expect(vi.mocked(pushState).mock.contexts).toEqual([history]);
});

test.each(['before', 'after'])(
  'if a page replaces pushState %s the client, its navigations are still steps',
  (when) => {
    const seen: string[] = [];
    const patch = () => {
      const { pushState } = history;
      history.pushState = function (...args) {
        seen.push(`${args[2]}`);
        pushState.apply(this, args);
      };
    };
    if (when === 'before') patch();
    const steps = follow();
    if (when === 'after') patch();
    history.pushState(null, '', '/contact');
    expect([seen, steps]).toEqual([['/contact'], ['/start', '/contact']]);
  },
);
