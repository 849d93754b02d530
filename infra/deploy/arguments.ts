import { parseArgs } from 'node:util';

/** The arguments that `npm run deploy` reads. It passes these and all other arguments on to the CDK CLI. */
export type DeployArguments = {
  context: Readonly<Record<string, string>>;
  profile?: string;
};

/** @param args all arguments; the CDK CLI validates those that are not read here */
export function deployArgumentsOf(args: readonly string[]): DeployArguments {
  const { values } = parseArgs({
    args: [...args],
    options: { context: { type: 'string', short: 'c', multiple: true }, profile: { type: 'string' } },
    strict: false,
  });
  const given = (values.context ?? []).map((pair) => String(pair).replace(/^=/, ''));
  const context = Object.fromEntries(given.map((pair) => splitAtFirst(pair)));
  return { context, ...(typeof values.profile === 'string' && { profile: values.profile }) };
}

function splitAtFirst(pair: string): [name: string, value: string] {
  const at = pair.indexOf('=');
  return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
}
