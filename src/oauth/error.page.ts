import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { html, renderPage, pageHeaders, type PageContent, renderMarkedText } from '../platform/http/page.js';

type Context = Pick<KoaContextWithOIDC, 'path' | 'set' | 'body' | 'type'>;

/**
 * Renders errors that must not be redirected to the product because its redirect URI is not verified. The authorization
 * endpoint gets a page; every other endpoint serves programs and gets JSON, regardless of the Accept header.
 */
export function renderError(ctx: Context, out: ErrorOut): void {
  if (!ctx.path.startsWith('/oauth2/authorize')) {
    ctx.body = out;
    return;
  }
  ctx.set(pageHeaders());
  ctx.type = 'html';
  ctx.body = renderPage(errorPage(out)).toString();
}

const errorPage = ({ error, error_description: detail }: ErrorOut): PageContent => {
  const { title, advice } = words[error] ?? words.invalid_request;
  return {
    title,
    body: html`<p>${advice}</p>
      <p>
        <small
          >For the product's developers:
          <code>${error}</code>${detail && html`, ${renderMarkedText(detail)}`}.</small
        >
      </p>`,
  };
};

const words: Record<string, { title: string; advice: string }> = {
  invalid_client: {
    title: 'Unknown product',
    advice:
      'The product that sent you here is not registered with an organization on this server, or an administrator has disabled it. It got no access. If you expected it to work, ask your administrator.',
  },
  invalid_redirect_uri: {
    title: 'The redirect address is not registered',
    advice:
      'The product asked to send you to an address that is not registered for it. You were not redirected, and the product got no access. Its administrator must register the exact address.',
  },
  invalid_request: {
    title: 'Invalid request',
    advice:
      'The link or form that brought you here is incomplete, expired, or was opened twice. The product got no access. Go back to it and start again.',
  },
  temporarily_unavailable: {
    title: 'Temporarily unavailable',
    advice:
      'An administrator has paused this organization, or too many requests came from your network. Try again later.',
  },
  server_error: {
    title: 'Something went wrong on our side',
    advice: 'The request failed on the server. Go back to the product and start again.',
  },
};
