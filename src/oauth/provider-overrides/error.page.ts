import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { html, renderPage, pageHeaders, type PageContent, renderMarkedText } from '../../platform/http/page.js';

type Context = Pick<KoaContextWithOIDC, 'path' | 'set' | 'body' | 'type'>;

/**
 * The library renders a page in its own style, or JSON, by the Accept header. Here the authorization endpoint gets our
 * page, for errors that must not be redirected to the product because its redirect URI is not verified; every other
 * endpoint serves programs and gets JSON.
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
          >For the product's developers: <code>${error}</code>${detail && html`, ${renderMarkedText(detail)}`}.</small
        >
      </p>`,
  };
};

const words: Record<string, { title: string; advice: string }> = {
  invalid_client: {
    title: 'Unknown product',
    advice:
      'The product that sent you here is not registered on this server, or an administrator has disabled it. It received nothing. If you expected it to work, ask your administrator.',
  },
  invalid_redirect_uri: {
    title: 'Unregistered redirect address',
    advice:
      'The product asked to send you to an address that is not registered for it. You were not sent there, and it received nothing. Its developers must register the exact address.',
  },
  invalid_request: {
    title: 'Invalid request',
    advice:
      'The link or form that brought you here is incomplete, expired, or was already used. Go back to the product and start again. It received nothing.',
  },
  temporarily_unavailable: {
    title: 'Temporarily unavailable',
    advice:
      'An administrator has paused all products of this organization, or your network sent too many requests. Try again later.',
  },
  server_error: {
    title: 'Something went wrong',
    advice: 'The request could not be completed. Go back to the product and start again.',
  },
};
