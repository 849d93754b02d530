const { documentUrl, token } = JSON.parse(document.getElementById('config').textContent);

const darkScheme = matchMedia('(prefers-color-scheme: dark)');
const applyColorScheme = () => document.documentElement.classList.toggle('dark-mode', darkScheme.matches);
darkScheme.addEventListener('change', applyColorScheme);
applyColorScheme();

const ui = globalThis.SwaggerUIBundle({
  url: documentUrl,
  domNode: document.getElementById('api'),
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // Shows the section of schemas collapsed.
  defaultModelsExpandDepth: 0,
  onComplete: () => ui.preauthorizeApiKey('accessToken', token),
});
