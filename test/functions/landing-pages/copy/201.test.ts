import { expect, test } from 'vitest';
import { createDynamoDomainRepository } from '../../../../shared/domains/aws/dynamo-domain-repository.ts';
import { storedDomain } from '../../../support/domains/domains.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aBlock, aPage, copied, itemsOf, setUpCopy, storedPage } from '../../../support/landing-pages/pages.ts';

useDynamo();

test('201: the copy is a draft of the target organization, without a domain', async () => {
  const { away, source, copy } = await setUpCopy();
  const response = await copy();
  expect(response.status).toBe(201);
  const { page, blocks } = await copied(away.orgId, response);
  expect(page).toMatchObject({ orgId: away.orgId, status: 'draft', domainId: null, name: source.page.name });
  expect(page.id).not.toBe(source.page.id);
  expect(blocks).toHaveLength(1);
});

test('201: copies blocks with new ids, and does not change the source', async () => {
  const { home, away, copy } = await setUpCopy();
  const [first, second] = [aBlock({ heading: 'One' }, 0), aBlock({ heading: 'Two' }, 1)];
  second.body = JSON.stringify({ after: first.id, page: { id: 'x' } });
  const source = await storedPage(aPage(home.orgId, { blocks: () => [first, second] }));
  const before = await itemsOf(source.page);
  const { page, blocks } = await copied(away.orgId, await copy(undefined, { pageId: source.page.id }));
  const [one, two] = [...blocks].sort((a, b) => a.position - b.position);
  expect(JSON.parse(two?.body ?? '')).toEqual({ after: one?.id, page: { id: 'x' } });
  expect([one?.id, two?.id]).not.toContain(first.id);
  expect(await itemsOf(source.page)).toEqual(before);
  expect(await itemsOf(page)).toHaveLength(3);
});

test('201: a copy for another organization loses ids and hostnames of deleted domains, except a hostname of the target', async () => {
  const { home, away, copy } = await setUpCopy();
  const [removed, moved] = [await storedDomain({ orgId: home.orgId }), await storedDomain({ orgId: home.orgId })];
  for (const domain of [removed, moved]) await createDynamoDomainRepository().delete(domain);
  await storedDomain({ orgId: away.orgId, hostname: moved.hostname });
  const body = {
    form: `https://${removed.hostname}/form`,
    domain: removed.id,
    formerDomain: moved.id,
    home: `https://${moved.hostname}/`,
  };
  const source = await storedPage(aPage(home.orgId, { blocks: () => [aBlock(body)] }));
  const copyInto = async (targetOrganizationId: string) => {
    const response = await copy({ targetOrganizationId }, { pageId: source.page.id });
    const { blocks } = await copied(targetOrganizationId, response);
    return JSON.parse(blocks[0]?.body ?? '');
  };
  expect(await copyInto(away.orgId)).toEqual({ form: null, domain: null, formerDomain: null, home: body.home });
  expect(await copyInto(home.orgId)).toEqual(body);
});
