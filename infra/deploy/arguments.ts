import { parseArgs } from 'node:util';
import { UserError } from '../common/user-error.ts';

export type DeployArguments = {
  context: Readonly<Record<string, string>>;
  profile?: string;
  /** Whether to deploy without checking the account first. */
  skipsDoctor: boolean;
  /**
   * The arguments for the CDK CLI. `-c stage=…` replaces `--stage …`, and `-c expires=…` replaces `--expires …`.
   * `--skip-doctor` is removed.
   */
  cdk: readonly string[];
};

/** Settings that have an option of their own, each with an example. */
const OWN_OPTIONS = { stage: '--stage pr-123', expires: '--expires 3d' } as const;

const isOwnOption = (name: string): name is keyof typeof OWN_OPTIONS => Object.hasOwn(OWN_OPTIONS, name);

/**
 * @param args all arguments; the CDK CLI validates the arguments that are not read here
 * @throws UserError if `--stage` or `--expires` has no value, or differs from the same setting in `--context`
 */
export function deployArgumentsOf(args: readonly string[]): DeployArguments {
  const { values, tokens } = parseArgs({
    args: [...args],
    options: {
      context: { type: 'string', short: 'c', multiple: true },
      profile: { type: 'string' },
      stage: { type: 'string' },
      expires: { type: 'string' },
      'skip-doctor': { type: 'boolean' },
    },
    strict: false,
    tokens: true,
  });
  const given = (values.context ?? []).map((pair) => String(pair).replace(/^=/, ''));
  const context = new Map(given.map((pair) => splitAtFirst(pair)));
  const kept = new Set(args.keys());
  const added: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'option' && token.name === 'skip-doctor') kept.delete(token.index);
    if (token.kind !== 'option' || !isOwnOption(token.name)) continue;
    const { name, value, index, inlineValue } = token;
    if (value === undefined) throw new UserError(`--${name} needs a value, such as ${OWN_OPTIONS[name]}.`);
    const other = context.get(name);
    if (other !== undefined && other !== value)
      throw new UserError(`The setting ${name} is given twice, as "${other}" and as "${value}". Remove one of them.`);
    context.set(name, value);
    kept.delete(index);
    if (!inlineValue) kept.delete(index + 1);
    added.push('-c', `${name}=${value}`);
  }
  return {
    context: Object.fromEntries(context),
    ...(typeof values.profile === 'string' && { profile: values.profile }),
    skipsDoctor: values['skip-doctor'] === true,
    cdk: [...args.filter((_, at) => kept.has(at)), ...added],
  };
}

function splitAtFirst(pair: string): [name: string, value: string] {
  const at = pair.indexOf('=');
  return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
}
