const FONT = '-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';

/** Inline styles, because many mail clients drop style sheets. The colours work in light and dark mode. */
export const STYLE = {
  page: 'margin:0;padding:24px 12px;background-color:#f3f4f6;',
  card: `max-width:600px;margin:0 auto;padding:28px;background-color:#ffffff;border-radius:12px;color:#1f2937;font:16px/1.5 ${FONT};`,
  title: 'margin:0 0 20px;font-size:22px;line-height:1.25;font-weight:700;',
  paragraph: 'margin:0 0 16px;overflow-wrap:anywhere;',
  action: 'margin:24px 0;',
  button:
    'display:inline-block;padding:12px 24px;border-radius:8px;background-color:#4338ca;color:#ffffff;font-weight:600;text-decoration:none;',
  section: 'width:100%;margin:0 0 20px;border-collapse:collapse;border-top:2px solid #e5e7eb;',
  label:
    'padding:10px 0 0;color:#6b7280;font-size:13px;line-height:1.4;text-align:left;font-weight:400;overflow-wrap:anywhere;',
  value:
    'padding:0 0 10px;border-bottom:1px solid #f3f4f6;overflow-wrap:anywhere;word-break:break-word;white-space:pre-line;',
  footer: `max-width:600px;margin:16px auto 0;padding:0 28px;color:#6b7280;font:13px/1.5 ${FONT};overflow-wrap:anywhere;`,
  link: 'color:#6b7280;',
};

export const TEXT_TEMPLATE = `{{title}}
{{#paragraphs}}

{{.}}
{{/paragraphs}}
{{#action}}

{{label}}:
{{url}}
{{/action}}
{{#sections}}

{{#rows}}
{{label}}: {{value}}
{{/rows}}
{{/sections}}
{{#notes}}

{{.}}
{{/notes}}
{{#footer}}

--
{{reason}}
{{label}}: {{url}}
{{/footer}}
`;

/** The mail has no scripts and no remote images. */
export const HTML_TEMPLATE = `<!doctype html>
<html lang="{{language}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{subject}}</title>
</head>
<body style="{{style.page}}">
<div style="{{style.card}}">
<h1 style="{{style.title}}">{{title}}</h1>
{{#paragraphs}}
<p style="{{style.paragraph}}">{{.}}</p>
{{/paragraphs}}
{{#action}}
<p style="{{style.action}}"><a href="{{url}}" style="{{style.button}}">{{label}}</a></p>
{{/action}}
{{#sections}}
<table style="{{style.section}}">
{{#rows}}
<tr><th scope="row" style="{{style.label}}">{{label}}</th></tr>
<tr><td style="{{style.value}}" dir="auto">{{value}}</td></tr>
{{/rows}}
</table>
{{/sections}}
{{#notes}}
<p style="{{style.paragraph}}">{{.}}</p>
{{/notes}}
</div>
{{#footer}}
<p style="{{style.footer}}">{{reason}} <a href="{{url}}" style="{{style.link}}">{{label}}</a></p>
{{/footer}}
</body>
</html>
`;
