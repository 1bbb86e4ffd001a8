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

// Swagger UI gives this field no name
new MutationObserver(() => {
  document.querySelector('select#servers:not([aria-label])')?.setAttribute('aria-label', 'Server');
}).observe(document.getElementById('reference'), { childList: true, subtree: true });
