import { expect, test } from 'vitest';
import { aSource, HOST } from '../../../support/landing-pages/rewriting.ts';

const foreign = aSource();
const copied = aSource({ copyAssets: true });
const within = aSource({ within: true });
const [key = ''] = foreign.keys;

test('copy to another organization without files: a value that is only a reference to the source becomes null', () => {
  const { funnelId, uploadBlockId, domainId } = foreign.ids;
  const assetId = foreign.whole.assets[0]?.id ?? '';
  const values = [
    ...[funnelId, uploadBlockId, domainId, assetId, key, HOST, ` ${funnelId.toUpperCase()} `],
    ...[`https://${HOST}/solar?x=1#top`, `//${HOST}`, `/f/${funnelId}`, `https://forms.example/?funnel=${funnelId}`],
    ...[`/assets/${key}`, `https://cdn.example/assets/${key}?w=200`, encodeURIComponent(`/assets/${key}`)],
    ...[`https://cdn.example/cdn-cgi/image/width=80,quality=75/assets/${key}`, 'https://dächer.example/'],
    ...[`https://other.example/?to=${encodeURIComponent(`https://${HOST}/x`)}`, `/assets/${key} 1x, /assets/${key} 2x`],
  ];
  for (const value of values) expect([value, foreign.text(value)]).toEqual([value, null]);
});

test('a cleared property name becomes empty, and a cleared list item becomes null', () => {
  const { funnelId } = foreign.ids;
  expect(foreign.body(`{"${funnelId}": 1, "a": ["${funnelId}", "b"]}`)).toBe('{"": 1, "a": [null, "b"]}');
});

test('a cleared URL in a CSS url() becomes empty, in any quotes, and the text around the URL stays', () => {
  const { css } = foreign;
  expect(css(`a{background:url("/assets/${key}")}`)).toBe('a{background:url("")}');
  expect(css(`a{background:url('/assets/${key}') no-repeat, red}`)).toBe("a{background:url('') no-repeat, red}");
  expect(css(`a{background:URL( /assets/${key} )}b{c:d}`)).toBe('a{background:URL(  )}b{c:d}');
  expect(css(`@font-face{src:url(//${HOST}/f.woff2) format("woff2")}`)).toBe('@font-face{src:url() format("woff2")}');
  expect(css(`[data-funnel="${foreign.ids.funnelId}"]{color:red}`)).toBe('[data-funnel=""]{color:red}');
});

test('an HTML attribute with a cleared reference becomes empty, except style and srcset; other attributes stay', () => {
  const { text } = foreign;
  const { funnelId } = foreign.ids;
  expect(text(`<p>Hi <a class="x" href="https://${HOST}/a?b">there</a></p>`)).toBe(
    '<p>Hi <a class="x" href="">there</a></p>',
  );
  expect(text(`<div data-f='${funnelId}' id=a>`)).toBe("<div data-f='' id=a>");
  expect(text(`<div data-f=${funnelId} id=a>`)).toBe('<div data-f="" id=a>');
  expect(text(`<i data-p="{&quot;f&quot;:&quot;${funnelId}&quot;}">`)).toBe('<i data-p="">');
  expect(text(`<img src="/assets/${key}" alt="A roof">`)).toBe('<img src="" alt="A roof">');
});

test('a style sheet in an attribute or a style element is rewritten like any other style sheet', () => {
  const { text } = foreign;
  expect(text(`<p style="color:red;background:url('/assets/${key}')">`)).toBe(
    `<p style="color:red;background:url('')">`,
  );
  expect(text(`<style>a{background:url(/assets/${key})}</style>`)).toBe('<style>a{background:url()}</style>');
});

test('a srcset loses the candidates with cleared references, and keeps the other candidates', () => {
  const kept = '/assets/logo.png';
  expect(foreign.text(`<img srcset="/assets/${key} 1x, ${kept} 2x">`)).toBe(`<img srcset="${kept} 2x">`);
  expect(foreign.text(`<img srcset="${kept} 480w, /assets/${key} 800w">`)).toBe(`<img srcset="${kept} 480w, ">`);
  expect(foreign.text(`${kept} 1x, /assets/${key} 2x`)).toBe(`${kept} 1x, `);
});

test('copy to another organization without files: references to the source are removed from plain text', () => {
  const { text } = foreign;
  expect(text(`See https://${HOST}/a/b?c=d, or call.`)).toBe('See , or call.');
  expect(text(`Funnel ${foreign.ids.funnelId} is ours.`)).toBe('Funnel  is ours.');
  expect(text(`funnel-${foreign.ids.funnelId}`)).toBe('funnel-');
  expect(text(`Write to info@${HOST}.`)).toBe('Write to info@.');
});

test('an asset URL with a hostname of the source becomes the path of the copied asset', () => {
  const { text, css, keys, copiedKeys } = copied;
  const [from, to] = [`/assets/${keys[0]}`, `/assets/${copiedKeys[0]}`];
  for (const origin of [`https://${HOST}`, `//${HOST}`, `http://${HOST}:8443`, `HTTPS://${HOST.toUpperCase()}.`]) {
    expect([origin, text(`${origin}${from}?w=200`)]).toEqual([origin, `${to}?w=200`]);
  }
  expect(text(encodeURIComponent(`https://${HOST}${from}`))).toBe(encodeURIComponent(to));
  expect(css(`a{background:url("https://${HOST}${from}")}`)).toBe(`a{background:url("${to}")}`);
  expect(text(`<img src="https://${HOST}${from}" alt="A roof">`)).toBe(`<img src="${to}" alt="A roof">`);
  expect(text(`<a href="https://${HOST}/x">a</a><img src="${from}">`)).toBe(`<a href="">a</a><img src="${to}">`);
  expect(text(`https://${HOST}${from} and https://${HOST}/x`)).toBe(`${to} and `);
  expect(text(`https://${HOST}/?to=${from}`)).toBeNull();
});

test('other hostnames stay, even if they are similar to a hostname of the source', () => {
  const hosts = [
    `www.${HOST}`,
    `my${HOST}`,
    `${HOST}.evil.example`,
    `${HOST}s`,
    'northlight.example',
    'dacher.example',
  ];
  for (const host of hosts) expect(foreign.text(`https://${host}/`)).toBe(`https://${host}/`);
});

test('ids that do not belong to the source stay', () => {
  const { strangeId } = foreign.ids;
  for (const value of [strangeId, `/x/${strangeId}`, `url(${strangeId})`]) expect(foreign.text(value)).toBe(value);
});

test('a reference to a file of the source organization is cleared if the file is not an asset of the page', () => {
  const other = `${copied.ids.orgId}/${copied.ids.strangeId}/${copied.ids.strangeId}.png`;
  expect(copied.text(`/assets/${other}`)).toBeNull();
});

test('a copy within one organization, without the files, keeps references and file URLs, but not the page id', () => {
  const { text, keys, ids, target, rewrite, whole } = within;
  const values = [ids.funnelId, `https://${HOST}/`, `/assets/${keys[0]}`, whole.assets[0]?.id ?? '', ids.orgId];
  for (const value of values) expect(text(value)).toBe(value);
  expect(text(`/p/${ids.pageId}`)).toBe(`/p/${target.pageId}`);
  expect(rewrite().assets).toEqual(whole.assets);
});

test('a copy within one organization drops an asset whose file is missing, and copies the other assets', () => {
  const { text, keys, copiedKeys, rewrite } = aSource({ within: true, copyAssets: true, missing: [1] });
  expect(text(`/assets/${keys[1]}`)).toBeNull();
  expect(text(`/assets/${keys[0]}`)).toBe(`/assets/${copiedKeys[0]}`);
  expect(rewrite().assets.map(({ key: at }) => at)).toEqual([copiedKeys[0], copiedKeys[2]]);
});

test('an asset URL becomes the URL of the copied asset even if the file belongs to another page', () => {
  const source = aSource({ copyAssets: true });
  const [asset] = source.whole.assets;
  const elsewhere = `${source.ids.orgId}/${source.ids.strangeId}/${asset?.id}.png`;
  expect(source.text(`/assets/${elsewhere}`)).toBe(`/assets/${source.copiedKeys[0]}`);
});
