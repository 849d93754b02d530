import { command } from '../program/command.ts';
import { organizationArgument } from '../program/parameters.ts';
import { type Column, table } from '../terminal/output.ts';
import { requireOrganization } from './dynamo-organization-admin-repository.ts';

type OrganizationList<Row> = {
  /** Name of the JSON property with the records. */
  name: string;
  description: string;
  list(orgId: string): AsyncIterable<Row>;
  compare(one: Row, other: Row): number;
  columns: readonly Column<Row>[];
  /** Text that is shown instead of an empty table. */
  empty: string;
};

/** Creates the command `list` for one kind of records of an organization, such as its members. */
export const listOfOrganization = <Row>({ name, description, list, compare, columns, empty }: OrganizationList<Row>) =>
  command({
    name: 'list',
    description,
    args: { orgId: organizationArgument },
    json: `one JSON object: \`${name}\``,
    run: async ({ orgId }) => {
      await requireOrganization(orgId);
      const records = (await Array.fromAsync(list(orgId))).sort(compare);
      return { json: { [name]: records }, text: table(records, columns, empty) };
    },
  });
