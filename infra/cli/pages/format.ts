import type { LandingPage, PageAsset, PageBlock } from '../../../shared/landing-pages/landing-page.ts';
import type { PageParts } from '../../../shared/landing-pages/ports.ts';
import { formatSecond } from '../leads/format.ts';
import { formatFields } from '../terminal/format.ts';
import { printableLine } from '../terminal/printable.ts';

/** Everything that is kept of a page, but what its blocks hold. */
export function pageText(page: LandingPage, { blocks, assets }: PageParts): string {
  return formatFields([
    ['id', page.id],
    ['name', printableLine(page.name)],
    ['slug', printableLine(page.slug)],
    ['status', page.status],
    ['domain', page.domainId ?? 'none'],
    ['made', `${formatSecond(page.createdAt)} UTC`],
    ['changed', `${formatSecond(page.updatedAt)} UTC`],
    ...labelled('blocks', blocks.toSorted((one, other) => one.position - other.position).map(blockLine)),
    ...labelled('assets', assets.map(assetLine)),
  ]);
}

function labelled(label: string, lines: readonly string[]): [string, string][] {
  if (lines.length === 0) return [[label, 'none']];
  return lines.map((line, at) => [at === 0 ? label : '', line]);
}

const blockLine = ({ id, kind }: PageBlock): string => `${id}  ${printableLine(kind)}`;

const assetLine = ({ id, name, size }: PageAsset): string =>
  `${id}  ${size.toLocaleString('en')} bytes  ${printableLine(name)}`;
