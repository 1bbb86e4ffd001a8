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
