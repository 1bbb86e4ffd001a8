import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../platform/config/config.js';
import { notFound } from '../platform/errors/general.error.js';
import { documentHeaders } from '../platform/http/page.js';
import { html } from '../platform/http/html.js';
import { Public } from '../principal/allow.decorator.js';
import { SERVED_OPERATIONS } from './api-cors.middleware.js';
import { openApi } from '../rest/openapi.js';
import { apiDescription } from './api-description.js';
import type { ServedOperation } from '../rest/routes.js';

const require = createRequire(import.meta.url);

/** All files that the page loads. */
const referenceFiles: Record<string, { type: string; content: Buffer }> = {
  'swagger-ui.css': { type: 'text/css', content: readFileSync(require.resolve('swagger-ui-dist/swagger-ui.css')) },
  'swagger-ui-bundle.js': {
    type: 'text/javascript',
    content: readFileSync(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  },
  'reference.css': {
    type: 'text/css',
    content: readFileSync(new URL('./reference.css', import.meta.url)),
  },
  'reference.js': {
    type: 'text/javascript',
    content: readFileSync(new URL('./reference.browser.js', import.meta.url)),
  },
};

const referencePage = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>API reference · Countersign</title>
      <link rel="icon" href="/assets/icon.svg" />
      <link rel="stylesheet" href="docs/swagger-ui.css" />
      <link rel="stylesheet" href="docs/reference.css" />
    </head>
    <body>
      <div id="reference"></div>
      <script src="docs/swagger-ui-bundle.js"></script>
      <script src="docs/reference.js"></script>
    </body>
  </html> `;

// scripts, styles and requests only use this origin; the stylesheet contains its images as data URLs
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** The API reference for programs and people. Public, because it contains no data. */
@Controller('v1')
@Public()
export class ReferenceController {
  private description?: string;

  constructor(
    @Inject(SERVED_OPERATIONS) private readonly served: readonly ServedOperation[],
    private readonly config: Config,
  ) {}

  @Get('openapi.json')
  describe(@Res() response: Response): void {
    this.description ??= JSON.stringify(openApi(this.served, apiDescription(this.config.baseUrl)));
    response
      .set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, no-cache' })
      .type('application/json')
      .send(this.description);
  }

  @Get('docs')
  page(@Req() request: Request, @Res() response: Response): void {
    // the page uses relative URLs, which a trailing slash would break
    if (request.path.endsWith('/')) return response.redirect(308, `${this.config.baseUrl}/v1/docs`);
    response
      .set({ ...documentHeaders(contentSecurityPolicy), 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-cache' })
      .type('html')
      .send(referencePage.toString());
  }

  @Get('docs/:file')
  file(@Param('file') name: string, @Res() response: Response): void {
    const file = Object.hasOwn(referenceFiles, name) ? referenceFiles[name] : undefined;
    if (!file) throw notFound('The API reference has no file with this name.');
    response.set({ 'Cache-Control': 'public, no-cache' }).type(file.type).send(file.content);
  }
}
