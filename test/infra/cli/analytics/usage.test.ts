import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { confirm, createTerminal } from '../../../../infra/cli/terminal/terminal.ts';
import { admin } from '../../../support/cli/admin.ts';

const FUNNEL = '00000000-0000-4000-8000-000000000000';

describe('help and usage errors', () => {
  test('0: "analytics --help" lists the commands, and --help after a command lists its options', async () => {
    for (const [command, shown] of [
      [[], /status .*dead-letters .*redrive .*rebuild .*erase /s],
      [['rebuild'], /--accept-loss.*--dry-run.*--yes/s],
      [['erase'], /--session <id>.*--lead <id>.*35 days/s],
    ] as const) {
      const { code, out } = await admin(['analytics', ...command, '--help']);
      expect([code, out]).toEqual([0, expect.stringMatching(shown)]);
    }
  });

  test.each([
    [['analytics', 'dead-letter'], 'Did you mean dead-letters?'],
    [['analytics', 'rebuild'], "missing required argument 'funnel'"],
    [['analytics', 'status', 'abc'], 'Give the funnel id, a UUID: see "funnels list".'],
    [['analytics', 'erase', FUNNEL, '--lead', '1'], 'Give the lead id, a UUID: see "leads list".'],
    [['analytics', 'erase', FUNNEL, '--session'], 'argument missing'],
    [['analytics', 'erase', FUNNEL, '--session', '', '--yes'], 'Give a session id that is not empty.'],
    [
      ['analytics', 'erase', FUNNEL, '--session', 'a', '--session', '', '--yes'],
      'Give a session id that is not empty.',
    ],
    [['analytics', 'redrive', '--dryrun'], 'Did you mean --dry-run?'],
    [['analytics', 'erase', FUNNEL, randomUUID()], 'too many arguments'],
  ])('2: the arguments %j are rejected with a message, before the command connects', async (args, sentence) => {
    let connected = false;
    const connect = async () => {
      connected = true;
      return { indexDelayMs: 0 };
    };
    const { code, out, err } = await admin(args, { connect });
    expect([code, out, connected]).toEqual([2, '', false]);
    expect(err).toContain(sentence);
  });
});

describe('confirmation', () => {
  /** A terminal at which a user types an answer, and the text that the terminal shows. */
  function person(answer: string) {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const terminal = createTerminal({ stdin: Object.assign(stdin, { isTTY: true }), stdout, stderr });
    const shown = () => String(stderr.read());
    stdin.write(`${answer}\n`);
    return { terminal, shown };
  }

  test.each(['y', 'Y', 'yes', ' yes '])('the answer %j is accepted', async (answer) => {
    const { terminal, shown } = person(answer);
    await confirm(terminal, 'Erase this?', undefined);
    expect(shown()).toContain('Erase this? [y/N] ');
  });

  test.each(['', 'n', 'no', 'yess', 'ja'])(
    'after the answer %j, the error "Nothing was changed." is thrown',
    async (answer) => {
      await expect(confirm(person(answer).terminal, 'Erase this?', undefined)).rejects.toThrow('Nothing was changed.');
    },
  );

  test('is not requested with --yes', async () => {
    const { terminal, shown } = person('n');
    await confirm(terminal, 'Erase this?', true);
    expect(shown()).toBe('null');
  });

  test('fails without a terminal, with a message that names --yes', async () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    for (const stdin of [undefined, new PassThrough()]) {
      const terminal = createTerminal({ ...(stdin && { stdin }), stdout, stderr });
      await expect(confirm(terminal, 'Erase this?', undefined)).rejects.toThrow('--yes');
    }
  });
});
