import { readFileSync } from 'node:fs';
import type { Response } from 'express';
import { sha256 } from '../crypto/digest.js';
import { html, type Html } from './html.js';

export { html, type Html } from './html.js';
export { renderMarkedText } from './render-marked-text.js';

/** A server-rendered page that works without JavaScript. */
export interface PageContent {
  title: string;
  body: Html;
  /** In the header: the organization and the signed-in user. */
  headerContent?: Html;
  status?: number;
  /** For pages with columns. */
  isWide?: boolean;
  /** Other origins to which a form may lead: browsers apply form-action to redirects of the response as well. */
  formTargets?: readonly string[];
  /** The browser navigates to this URL immediately. */
  redirectTo?: string;
  /** URL of our own script, for features that need one. The page must also work without it. */
  script?: string;
}

export const stylesheet = readFileSync(new URL('./page.css', import.meta.url), 'utf8');
export const icon = readFileSync(new URL('./icon.svg', import.meta.url), 'utf8');
const stylesheetAddress = `/assets/page.css?${sha256(stylesheet).toString('hex').slice(0, 8)}`;

export const renderPage = ({ title, body, headerContent, isWide, script, redirectTo }: PageContent): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${redirectTo && html`<meta http-equiv="refresh" content="0; url=${redirectTo}" />`}
        <title>${title} · Countersign</title>
        <link rel="icon" href="/assets/icon.svg" />
        <link rel="stylesheet" href="${stylesheetAddress}" />
        ${script && html`<script type="module" src="${script}"></script>`}
      </head>
      <body>
        <header>
          <span class="brand">Countersign</span>${headerContent && html`<span class="corner">${headerContent}</span>`}
        </header>
        <main ${isWide && html`class="wide"`}>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `;

// no scripts except our own file if the page has one, no framing, no foreign resources, forms only to our own origin
const pageSecurityPolicy = (formTargets: readonly string[], hasScript: boolean) =>
  `default-src 'none'; style-src 'self'; img-src 'self'; form-action ${["'self'", ...formTargets].join(' ')}; frame-ancestors 'none'; base-uri 'none'${hasScript ? "; script-src 'self'" : ''}`;

/** Headers of every page. */
export const pageHeaders = ({ formTargets = [], script }: Pick<PageContent, 'formTargets' | 'script'> = {}) =>
  documentHeaders(pageSecurityPolicy(formTargets, Boolean(script)));

/** Headers of every HTML document. With "no-referrer", browsers would send `Origin: null` with our forms. */
export const documentHeaders = (contentSecurityPolicy: string) => ({
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
});

export function sendPage(response: Response, content: PageContent): void {
  response
    .status(content.status ?? 200)
    .set(pageHeaders(content))
    .type('html')
    .send(renderPage(content).toString());
}

interface FieldOptions {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  value?: string;
  help?: string;
  autocomplete?: string;
  isOptional?: boolean;
  hasFocus?: boolean;
  minLength?: number;
  maxLength?: number;
}

/** A labeled input. */
export const field = ({
  name,
  label,
  type = 'text',
  value,
  help,
  autocomplete,
  isOptional,
  hasFocus,
  minLength,
  maxLength,
}: FieldOptions): Html =>
  html` <p class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete ?? 'off'}"
      ${minLength && html`minlength="${minLength}"`}
      ${maxLength && html`maxlength="${maxLength}"`}
      ${help && html`aria-describedby="${name}-help"`}
      ${isOptional ? '' : html`required`}
      ${hasFocus && html`autofocus`}
    />
    ${help && html`<small id="${name}-help">${help}</small>`}
  </p>`;

/** The error of a submitted form, above the form that is shown again. */
export const notice = (text: string | undefined): Html =>
  text ? html`<p class="notice" role="alert">${text}</p>` : html``;
