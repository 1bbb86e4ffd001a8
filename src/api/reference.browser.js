/* global SwaggerUIBundle */
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  // no badge of a validator elsewhere, and no token kept in the browser
  validatorUrl: null,
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
});
