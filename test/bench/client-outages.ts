import { runChaos } from '../support/browser/chaos.ts';
import { launchChromium } from '../support/browser/chromium.ts';
import { startLocalRuntime } from '../support/local/runtime.ts';
import { figure, type Row, row } from './table.ts';

const SESSIONS = 1_000;
const CONCURRENCY = 8;

/**
 * Simulates visitors of a page with the page client, while the API, connections, browsers and tabs fail. Each device's
 * clock is ten minutes behind at first, and right in the last visit. An outage of seconds thus seems to last minutes.
 */
export async function clientOutages(print: (line: string) => void): Promise<Row[]> {
  const seed = Math.floor(Math.random() * 1e6);
  print(`client outages: seed ${seed}`);
  const runtime = await startLocalRuntime({ args: ['--empty'], env: { LOCAL_RATE_LIMITS: 'off' } });
  const browser = await launchChromium();
  try {
    const result = await runChaos({ browser, demo: runtime.demo, sessions: SESSIONS, concurrency: CONCURRENCY, seed });
    const { expected, counted } = result;
    const wrongCounts = Object.keys(expected).filter(
      (name) => expected[name as keyof typeof expected] !== counted[name as keyof typeof counted],
    );
    print(JSON.stringify(result));
    const none = (what: string, items: readonly string[]) =>
      row(`client outages: ${what}`, items.length, 0, '', 'at most');
    return [
      figure('client outages: sessions', SESSIONS, ''),
      figure('client outages: events with consent', result.consented, ''),
      row(
        'client outages: events delivered after the visitors returned',
        100 - (100 * result.lostEvents.length) / result.consented,
        99,
        '%',
        'at least',
      ),
      figure('client outages: submits that were tried', result.submits, ''),
      none('submits that are in no lead', result.missingSubmits),
      none('visitors with two leads', result.duplicateLeads),
      none('leads with an older value', result.overtaken),
      none('events without consent', result.forbidden),
      none('devices that could not send everything', result.unfinished),
      none('wrong counts of sessions, starts and completions', wrongCounts),
    ];
  } finally {
    await browser.close();
    await runtime.stop();
  }
}
