const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** Inline styles, because many mail clients drop style sheets. The colours work in light and dark mode. */
const STYLE = {
  page: 'margin:0;padding:24px 12px;background-color:#f3f4f6;',
  card: [
    'max-width:480px;margin:0 auto;padding:28px;background-color:#ffffff;border-radius:12px;color:#1f2937;',
    'font:16px/1.5 -apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;text-align:left;',
  ].join(''),
  paragraph: 'margin:0 0 16px;overflow-wrap:anywhere;',
  code: [
    'margin:0 0 16px;padding:14px 0;background-color:#eef2ff;border-radius:8px;color:#1e1b4b;',
    'font:700 32px/1.2 Menlo,Consolas,monospace;letter-spacing:6px;text-align:center;',
  ].join(''),
};

type Part = { subject: string; text: string; code: string; language: string };

/**
 * Renders the text of a message as HTML. Blank lines separate paragraphs. The code is shown in large type if it is a
 * paragraph of its own, otherwise in bold. The HTML has no links and no remote resources, because spam filters penalize
 * them.
 */
export function renderHtmlBody({ subject, text, code, language }: Part): string {
  const paragraphs = text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => (paragraph.trim() === code ? codeBlock(code) : paragraphOf(paragraph, code)));
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(subject)}</title>
</head>
<body style="${STYLE.page}">
<div style="${STYLE.card}" dir="auto">
${paragraphs.join('\n')}
</div>
</body>
</html>
`;
}

const codeBlock = (code: string): string => `<p style="${STYLE.code}">${escaped(code)}</p>`;

function paragraphOf(paragraph: string, code: string): string {
  const lines = escaped(paragraph.trim()).split('\n').join('<br>\n');
  return `<p style="${STYLE.paragraph}">${lines.replaceAll(code, `<strong>${code}</strong>`)}</p>`;
}
