import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CliContext } from '../../../infra/cli/cli-context.ts';
import { runCli } from '../../../infra/cli/program/program.ts';
import { createDirectoryWriter } from '../../../infra/local/seed/directory-writer.ts';
import { type Field, Funnel } from '../../../shared/funnels/funnel.ts';

export type CliResult = { code: number; out: string; err: string };

type Setting = {
  /** The width of the terminal in characters. If undefined, the output is not a terminal. */
  columns?: number;
  connect?: CliContext['connect'];
};

/** A state folder that does not exist, so that no test uses the developer's state. */
const STATE = join(tmpdir(), `tributary-state-${randomUUID()}`);

/** Runs an operator command in this process, with the stores of the tests. */
export async function admin(
  args: readonly string[],
  { columns, connect = async () => ({ indexDelayMs: 0 }) }: Setting = {},
): Promise<CliResult> {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    columns,
    write: async (text: string) => void out.push(text),
    note: (line: string) => void err.push(`${line}\n`),
  };
  const own = args.includes('--state') ? [] : ['--state', STATE];
  const code = await runCli([...own, ...args], { terminal, connect });
  return { code, out: out.join(''), err: err.join('') };
}

export async function aPublishedFunnel(fields: Field[] = []): Promise<Funnel> {
  const [id, versionId] = [randomUUID(), randomUUID()];
  const funnel = Funnel.parse({ id, orgId: randomUUID(), publishedVersionId: versionId });
  await createDirectoryWriter().publishFunnel(funnel, { id: versionId, funnelId: id, fields });
  return funnel;
}
