import {
  formatAssetKey,
  LandingPage,
  type PageAsset,
  type PageBlock,
} from '../../../shared/landing-pages/landing-page.ts';
import { DEMO_IDS, demoId } from './demo-ids.ts';

/** The hostname in the texts of the demo page. A copy in another organization must not contain the hostname. */
export const DEMO_HOSTNAME = 'roofs.northlight.example';

const ASSETS = 20;
const { organizationA: orgId, landingPage: pageId, funnel, uploadBlock, domainAssets } = DEMO_IDS;

const blockId = (index: number): string => demoId(`page block ${index}`);
const assetId = (index: number): string => demoId(`asset ${index}`);
const address = (index: number): string => `/assets/${formatAssetKey(orgId, pageId, assetId(index), 'png')}`;

/** A style sheet. It refers to assets by their addresses, and to a block by its id. */
const CSS = `.hero { background: url("${address(0)}") center / cover; }
.hero:hover { background: #14342b url(${address(1)}); }
@media (min-width: 60rem) { .band { background-image: url('https://cdn.example${address(2)}?w=1600'); } }
[data-block="${blockId(4)}"] { border-top: 2px solid; }
`;

export function demoPage(createdAt: string): LandingPage {
  return LandingPage.parse({
    id: pageId,
    orgId,
    name: 'Solar for your roof',
    slug: 'solar',
    status: 'published',
    css: CSS,
    settings: JSON.stringify({
      canonical: `https://${DEMO_HOSTNAME}/solar`,
      preview: { image: `https://${DEMO_HOSTNAME}${address(3)}`, title: 'Solar for your roof' },
      tracking: { pageId, funnelId: funnel },
    }),
    domainId: domainAssets[0],
    createdAt,
    updatedAt: createdAt,
  });
}

export const demoAssets = (size: number, createdAt: string): PageAsset[] =>
  Array.from({ length: ASSETS }, (_, index) => ({
    id: assetId(index),
    key: formatAssetKey(orgId, pageId, assetId(index), 'png'),
    name: `roof-${index + 1}.png`,
    mimeType: 'image/png',
    size,
    createdAt,
  }));

type Part = [kind: string, body: object];

/** Twelve blocks with references in many forms, to show what a copy rewrites. */
const PARTS: readonly Part[] = [
  ['hero', { heading: 'Solar for your roof', image: { assetId: assetId(0), url: address(0) }, next: blockId(1) }],
  [
    'rich-text',
    {
      html:
        `<p>See <a href="https://${DEMO_HOSTNAME}/offer">our offer</a>, or <a href="#${blockId(3)}">ask us</a>.</p>` +
        `<img src="${address(4)}" srcset="${address(4)} 1x, ${address(5)} 2x" alt="A roof with panels">`,
    },
  ],
  ['gallery', { slides: [6, 7, 8].map((index) => ({ layers: [{ source: { assetId: assetId(index) } }] })) }],
  ['funnel', { funnelId: funnel, upload: { blockId: uploadBlock }, afterwards: { goTo: blockId(11) } }],
  [
    'section',
    { css: `.roof { background: url('${address(9)}') }`, tabs: [{ opens: blockId(5) }, { opens: blockId(6) }] },
  ],
  ['image', { sources: `${address(10)} 480w, ${address(11)} 960w`, alternative: 'Panels from above' }],
  ['embed', { settings: JSON.stringify({ funnel: { id: funnel }, poster: address(12), block: blockId(6) }) }],
  ['quote', { text: 'We paid less from the first winter on.', portrait: address(13), by: 'Alex Example' }],
  [
    'video',
    {
      poster: encodeURIComponent(address(14)),
      share: `https://share.example/?image=${encodeURIComponent(address(15))}`,
    },
  ],
  ['map', { byRegion: { [blockId(7)]: { icon: assetId(16) }, [blockId(8)]: { icon: assetId(17) } } }],
  ['columns', { children: [blockId(1), blockId(7)], parent: blockId(11), background: `url(${address(18)})` }],
  ['footer', { domainId: domainAssets[0], hostname: DEMO_HOSTNAME, logo: address(19), top: blockId(0) }],
];

export const demoBlocks = (): PageBlock[] =>
  PARTS.map(([kind, body], position) => ({ id: blockId(position), position, kind, body: JSON.stringify(body) }));
