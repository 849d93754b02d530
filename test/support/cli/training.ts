import { randomUUID } from 'node:crypto';
import { createDirectoryWriter } from '../../../infra/local/seed/directory-writer.ts';
import { Organization } from '../../../shared/organizations/organization.ts';
import { admin } from './admin.ts';

export async function anOrganization(): Promise<string> {
  const id = randomUUID();
  await createDirectoryWriter().putOrganization(Organization.parse({ id, name: 'Northlight' }));
  return id;
}

export const training = (...args: string[]) => admin(['training', ...args]);

/** Runs a training command and parses its JSON output. @throws Error with its error output if it prints no JSON */
export async function trainingJson(...args: string[]) {
  const { out, err } = await training(...args, '--json');
  if (out === '') throw new Error(err);
  return JSON.parse(out);
}
