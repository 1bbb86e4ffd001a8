/* global SwaggerUIBundle */
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  // do not call an external validator, and do not store tokens in the browser
  validatorUrl: null,
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
});

const dark = matchMedia('(prefers-color-scheme: dark)');
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyScheme);
applyScheme();

// what Swagger UI leaves out for screen readers: names, regions, and the level of headings
const described = [
  ['#servers', { 'aria-label': 'Server' }],
  ['.information-container', { role: 'region', 'aria-label': 'About this API' }],
  ['.scheme-container', { role: 'region', 'aria-label': 'Server and authorization' }],
  ['h3.opblock-tag, section.models > h4', { 'aria-level': '2' }],
  ['.opblock-body h4', { 'aria-level': '3' }],
];
new MutationObserver(() => {
  for (const [selector, attributes] of described)
    for (const element of document.querySelectorAll(selector))
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}).observe(document.getElementById('reference'), { childList: true, subtree: true });
