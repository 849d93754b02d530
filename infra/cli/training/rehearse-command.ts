import { UserError } from '../../common/user-error.ts';
import { argument, command, flag, option } from '../program/command.ts';
import { parseUuid } from '../program/parameters.ts';
import { runRehearsal } from './rehearse.ts';
import { scoreTranscript } from './rehearse-transcript.ts';

export const rehearse = command({
  name: 'rehearse',
  description: 'Rehearses a case of the demo with the rehearsal agent of this machine, up to the score.',
  args: { caseId: argument('<case>', 'case id, of organization A or of --organization', parseUuid('case')) },
  options: {
    good: flag('--good', 'the trainee asks, listens and follows the case (default)', ['poor']),
    poor: flag('--poor', 'the trainee talks about prices and interrupts', ['unreachable']),
    unreachable: flag('--unreachable', 'the customer does not answer', ['good']),
    persona: option(
      '--persona <id>',
      'the customer (default: one of the demo who speaks the language of the case)',
      parseUuid('persona'),
    ),
    transcript: option(
      '--transcript <file>',
      'score your own words without a language model, and store nothing: lines such as "trainee: ..." and "customer: ...", optionally after a time such as [01:05]',
      undefined,
      { conflicts: ['good', 'poor', 'unreachable', 'persona'] },
    ),
    organization: option(
      '--organization <id>',
      'with --transcript: organization of the case',
      parseUuid('organization'),
    ),
  },
  json: 'one JSON object: `script`, and `call` as the API returns it; or `transcript`, `analysis` and `score`',
  check: ({ organization, transcript }, { stage }) => {
    if (organization !== undefined && transcript === undefined) return '--organization needs --transcript';
    if (stage !== undefined) {
      throw new UserError(
        'Rehearsals work on a laptop only: a deployment has no rehearsal agent, the voice provider holds its sessions.',
      );
    }
    return undefined;
  },
  run: ({ caseId, transcript, organization, ...options }, context) =>
    transcript === undefined
      ? runRehearsal(caseId, options, context)
      : scoreTranscript(caseId, { transcript, organization }, context),
});
